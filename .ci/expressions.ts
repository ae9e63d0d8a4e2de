import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseSync, Visitor } from 'oxc-parser'
import { check } from 'recheck'

/**
 * Finds regular expressions whose time grows faster than the length of the text: one such
 * expression and a long text stop the event loop. Checks every literal and every `RegExp` of a
 * literal in the programs; tests choose their own texts. An expression that is built at run time
 * cannot be checked, so it is a fault unless `built` gives a reason.
 */
const root = join(import.meta.dirname, '..')
const programs = /^(apps|packages)\/.*\.tsx?$|^(\.ci|deploy)\/.*\.ts$|^[^/]+\.ts$/
const tests = /\/test\/|\.test\.tsx?$|^packages\/testing\//

/** Files that build expressions at run time, and why they may. */
const built: Readonly<Record<string, string>> = {
  'packages/core/src/platform/text.ts':
    'put together from constant classes of characters, each alternative of bounded length',
  'packages/sandbox/src/identity/api/providers.ts':
    'redirect addresses that authentik takes as expressions too; never in production',
  'packages/sandbox/src/identity/oidc/provider.ts':
    'redirect addresses that authentik takes as expressions too; never in production',
}

interface Expression {
  source: string
  flags: string
  places: string[]
}

const expressions = new Map<string, Expression>()
const faults: string[] = []

const { stdout } = await promisify(execFile)(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  },
)
for (const file of stdout.split('\n'))
  if (programs.test(file) && !tests.test(file)) await collect(file)
if (expressions.size === 0)
  throw new Error('no regular expression was found, so nothing was checked')

const waiting = [...expressions.values()]
await Promise.all(
  Array.from({ length: 2 }, async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await judge(next)
  }),
)
for (const fault of faults.sort()) process.stdout.write(`${fault}\n`)
process.stdout.write(`${expressions.size} regular expressions, ${faults.length} faults\n`)
process.exitCode = faults.length > 0 ? 1 : 0

async function collect(file: string): Promise<void> {
  const text = await readFile(join(root, file), 'utf8').catch(() => undefined)
  // Deleted, and not committed yet.
  if (text === undefined) return
  const add = (source: string, flags: string, offset: number) => {
    const key = `/${source}/${flags}`
    const place = `${file}:${text.slice(0, offset).split('\n').length}`
    const known = expressions.get(key)
    if (known) known.places.push(place)
    else expressions.set(key, { source, flags, places: [place] })
  }
  const constructed = (start: number, args: readonly { type: string; value?: unknown }[]) => {
    const [source, flags] = args
    const isText = (one: typeof source) =>
      one === undefined || (one.type === 'Literal' && typeof one.value === 'string')
    if (source !== undefined && isText(source) && isText(flags))
      return add(String(source.value), String(flags?.value ?? ''), start)
    if (!(file in built))
      faults.push(
        `${file}:${text.slice(0, start).split('\n').length}: an expression that is built at run time`,
      )
  }
  new Visitor({
    Literal: (node) => {
      if ('regex' in node) add(node.regex.pattern, node.regex.flags, node.start)
    },
    NewExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp')
        constructed(node.start, node.arguments)
    },
    CallExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp')
        constructed(node.start, node.arguments)
    },
  }).visit(parseSync(file, text).program)
}

/**
 * An automaton proves its findings. Where an expression has more than an automaton knows, such as a
 * look-ahead, the check searches for a slow text and counts steps: that finds exponential time
 * reliably, and takes several bounded scans for quadratic time.
 */
async function judge({ source, flags, places }: Expression): Promise<void> {
  const found = await check(source, flags, { timeout: 90_000, randomSeed: 1 })
  if (found.status === 'safe') return
  if (
    found.status === 'vulnerable' &&
    found.checker === 'fuzz' &&
    found.complexity.type === 'polynomial'
  )
    return
  const why =
    found.status === 'vulnerable' ? found.complexity.summary : `not checked: ${found.error.kind}`
  const example = found.status === 'vulnerable' ? `, slow for ${found.attack.pattern}` : ''
  faults.push(`${places.join(', ')}: /${source}/${flags}: ${why}${example}`)
}
