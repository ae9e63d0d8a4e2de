import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Program, parseSync, visitorKeys } from 'oxc-parser'

/**
 * Prints what can be counted about the shape of the code: `node .ci/measure.ts`. Tests and
 * migrations are left out, except where a line says so.
 */
interface AnyNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

interface BiomeConfig {
  overrides: { includes: string[] }[]
}

interface Source {
  file: string
  text: string
  lines: readonly string[]
  program: Program
}

/** Where the code says something that the field has another word for. */
const oldWords = [
  ...['house', 'household', 'arrow', 'crowd', 'owed', 'dues', 'looks', 'acts', 'trail', 'wish'],
  ...[
    'wanted',
    'asked',
    'given',
    'told',
    'begun',
    'refuse',
    'refused',
    'refusal',
    'answer',
    'wake',
  ],
  ...['leniency', 'moments', 'whoever', 'somebody', 'nobody', 'everybody', 'anybody', 'room'],
  ...['rooms', 'stands', 'mend', 'mends', 'mended', 'refuses', 'refusals', 'wakes', 'wishes'],
]

/**
 * Names that others chose or that are stored: columns and claims, keys and icons, procedures.
 * `answer` is also the word for what a DNS server sends and for a field of a booking form.
 */
const fixedNames =
  /_|Arrow(Up|Down|Left|Right|BackUp)|^(withArrow|givenName|refuseAdjustment)$|^(Dns|String|Wire|Booking)?Answer$|^answerCharacters$/
/** Fields of the API, of rows and of messages. A variable of such a name counts. */
const fixedFields = [
  'askedWithinDays',
  'lastAskedAt',
  'owed',
  'owedSince',
  'refused',
  'wakes',
  'wanted',
]

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' })
const all = tracked.trim().split('\n').map(read)
const isTest = (file: string) =>
  /(^|\/)(test|tests|e2e)\/|\.test\.tsx?$|^bench\/|^packages\/testing\//.test(file)
const sources = all.filter(({ file }) => !isTest(file) && !file.includes('/migrations/'))
const byFile = new Map(all.map((source) => [source.file, source]))
const imports = new Map(all.map((source) => [source.file, importsOf(source)]))

const lineCount = sources.reduce((sum, { lines }) => sum + lines.length, 0)
print('lines of source', lineCount)
print('lines of tests', all.filter(({ file }) => isTest(file)).flatMap(({ lines }) => lines).length)
print('lines of a file', spread(sources.map(({ lines }) => lines.length)))
print('lines of a function', spread(sources.flatMap(functionLines)))
const long = all.flatMap(longLines)
print('lines over 100 columns', long.length)
print('of them without a string or expression', long.filter(({ hasText }) => !hasText).length)
print('import cycles, type imports too', cycles().length)
const { count, against } = folderArrows('apps/api/src')
print('arrows between folders of apps/api/src', `${count}, ${against} against the direction`)
print('exact duplicates of 6 lines, per 1,000 lines', duplicates().toFixed(1))
print('relative imports across packages, tests too', acrossPackages())
print('names with a word of the old vocabulary', oldNames())

function print(name: string, value: number | string): void {
  process.stdout.write(`${name.padEnd(48)}${value}\n`)
}

function read(file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  return {
    file,
    text,
    lines: text.split('\n').slice(0, -1),
    program: parseSync(file, text).program,
  }
}

/** Median, 90th percentile and maximum. */
function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return `median ${at(0.5)}, p90 ${at(0.9)}, max ${sorted.at(-1)}`
}

function* nodesOf(node: AnyNode): Generator<AnyNode> {
  yield node
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of [node[key]].flat())
      if (typeof child === 'object' && child !== null && 'type' in child)
        yield* nodesOf(child as AnyNode)
}

function functionLines({ text, program }: Source): number[] {
  return [...nodesOf(program as unknown as AnyNode)]
    .filter(({ type }) => /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type))
    .map(({ start, end }) => text.slice(start, end).split('\n').length)
}

/** The files that a file imports by a path. Packages of the workspace are resolved too. */
function importsOf({ file, text, program }: Source): string[] {
  const found: string[] = []
  for (const node of nodesOf(program as unknown as AnyNode)) {
    const source = node.source as AnyNode | null | undefined
    if (!/^(Import|Export)/.test(node.type) || source?.type !== 'Literal') continue
    const name = text.slice(source.start + 1, source.end - 1)
    const [, packageName, path] = /^@atrium\/([a-z]+)\/(.+)$/.exec(name) ?? []
    if (name.startsWith('.')) found.push(relative(root, resolve(root, dirname(file), name)))
    else if (packageName && path)
      for (const folder of [`packages/${packageName}/src`, `apps/${packageName}/src`])
        for (const ending of ['ts', 'tsx']) found.push(`${folder}/${path}.${ending}`)
  }
  return [...new Set(found)].filter((one) => one !== file && byFile.has(one))
}

/** Tarjan's strongly connected components of more than one file. */
function cycles(): string[][] {
  const order = new Map<string, { index: number; low: number }>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string) => {
    const own = { index: order.size, low: order.size }
    order.set(file, own)
    stack.push(file)
    for (const next of imports.get(file) ?? []) {
      const seen = order.get(next)
      if (!seen) own.low = Math.min(own.low, visit(next).low)
      else if (stack.includes(next)) own.low = Math.min(own.low, seen.index)
    }
    if (own.low === own.index) {
      const component = stack.splice(stack.indexOf(file))
      if (component.length > 1) found.push(component)
    }
    return own
  }
  for (const { file } of sources) if (!order.has(file)) visit(file)
  return found
}

/**
 * Imports between the folders of a package, each pair once. The direction is the order of the
 * import rules in the package's `biome.json`: a folder may import those below it. Files beside the
 * folders come first, unless a rule names them.
 */
function folderArrows(base: string): { count: number; against: number } {
  const { overrides } = JSON.parse(
    readFileSync(join(root, base, '../biome.json'), 'utf8'),
  ) as BiomeConfig
  const order = overrides.flatMap(({ includes }) =>
    includes.map((path) => path.split('/')[1] ?? ''),
  )
  const folderOf = (file: string) => file.slice(base.length + 1).split('/')[0] ?? ''
  const arrows = new Set<string>()
  for (const { file } of sources.filter((source) => source.file.startsWith(`${base}/`)))
    for (const target of imports.get(file) ?? [])
      if (target.startsWith(`${base}/`) && folderOf(target) !== folderOf(file))
        arrows.add(`${folderOf(file)} ${folderOf(target)}`)
  const pairs = [...arrows].map((pair) => pair.split(' ') as [string, string])
  const isFirst = (name: string) => name.endsWith('.ts') && !order.includes(name)
  const against = pairs.filter(
    ([from, to]) => !isFirst(from) && (isFirst(to) || order.indexOf(from) > order.indexOf(to)),
  )
  return { count: pairs.length, against: against.length }
}

/**
 * Repeats of six or more lines per 1,000 lines: a repeat of any length counts once. Imports,
 * comments and lines without a word of three letters are left out.
 */
function duplicates(): number {
  const seen = new Set<string>()
  let repeats = 0
  for (const source of sources) {
    const body = wordLines(source)
    let isRepeat = false
    for (let at = 0; at + 6 <= body.length; at += 1) {
      const run = body.slice(at, at + 6).join('\n')
      if (seen.has(run) && !isRepeat) repeats += 1
      isRepeat = seen.has(run)
      seen.add(run)
    }
  }
  return (repeats / lineCount) * 1_000
}

function wordLines({ text, program }: Source): string[] {
  let body = ''
  let end = 0
  for (const node of program.body)
    if (node.type === 'ImportDeclaration') {
      body += text.slice(end, node.start)
      end = node.end
    }
  return (body + text.slice(end))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[a-z]{3}/i.test(line) && !/^(\/\/|\/?\*)/.test(line))
}

/**
 * Lines over 100 columns, and whether something is on them that cannot be broken: a string, a
 * template, a regular expression or the text of an element.
 */
function longLines({ lines, program }: Source): { hasText: boolean }[] {
  if (!lines.some((line) => line.length > 100)) return []
  const texts = [...nodesOf(program as unknown as AnyNode)].filter(
    ({ type, value, regex }) =>
      /^(TemplateLiteral|JSXText)$/.test(type) ||
      (type === 'Literal' && (typeof value === 'string' || regex !== undefined)),
  )
  let end = -1
  return lines.flatMap((line) => {
    const start = end + 1
    end = start + line.length
    const hasText = texts.some((node) => node.start < end && node.end > start)
    return line.length > 100 ? [{ hasText }] : []
  })
}

/** Files at the root, in `.ci` and in `dev` are one package. */
function acrossPackages(): number {
  const packageOf = (file: string) => /^((apps|packages)\/[^/]+|bench|e2e|tests)\//.exec(file)?.[1]
  const found = all.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].filter(
      ([, path = '']) =>
        packageOf(relative(root, resolve(root, dirname(file), path))) !== packageOf(file),
    ),
  )
  return found.length
}

function oldNames(): number {
  const names = new Set<string>()
  for (const { program } of sources) {
    const fields = new Set<unknown>()
    for (const node of nodesOf(program as unknown as AnyNode)) {
      const name = String(node.name)
      if (node.type === 'Identifier' && !fixedNames.test(name) && !fields.has(node)) names.add(name)
      const field = (node.key ?? (node.computed ? undefined : node.property)) as AnyNode | undefined
      if (fixedFields.includes(String(field?.name))) fields.add(field)
    }
  }
  const wordsOf = (name: string) => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  return [...names].filter((name) => wordsOf(name).some((word) => oldWords.includes(word))).length
}
