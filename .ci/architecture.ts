import { glob, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type EcmaScriptModule, parseSync } from 'oxc-parser'
import { createMessageRules } from './message-rules.ts'
import { sentencesIn } from './sentence-rules.ts'
import { createTransactionRules } from './transaction-rules.ts'

/**
 * Checks what Biome cannot: which packages a package depends on, that no relative import leaves its
 * package or, in production code, its `src`, that each folder of the API has import rules, that a
 * transaction uses no other connection (`transaction-rules.ts`), that sentences of the API are in
 * the catalogue (`sentence-rules.ts`), and that each page of the portals loads the messages it uses
 * (`message-rules.ts`). Biome checks the imports themselves: dependencies that `package.json` does
 * not declare, cycles, barrel files, and the folders of the API (`apps/api/biome.json`).
 */
const packageRules: Readonly<
  Record<string, { dependencies: readonly string[]; types?: readonly string[] }>
> = {
  'packages/messages': { dependencies: [] },
  'packages/core': { dependencies: ['messages'] },
  'packages/cli': { dependencies: ['client'], types: ['api', 'core', 'setup'] },
  'packages/client': { dependencies: [], types: ['api', 'core'] },
  'packages/db': { dependencies: ['core'] },
  'packages/integrations': { dependencies: ['core'] },
  'packages/ui': { dependencies: ['core', 'messages'], types: ['api'] },
  'packages/sandbox': { dependencies: ['core'] },
  'packages/setup': { dependencies: ['core', 'integrations'], types: ['api', 'bff'] },
  'packages/bff': { dependencies: ['core', 'db', 'messages'], types: ['api'] },
  'packages/testing': { dependencies: ['api', 'bff', 'core', 'db', 'integrations', 'sandbox'] },
  'apps/api': { dependencies: ['core', 'db', 'integrations', 'messages'] },
  'apps/portal': { dependencies: ['core', 'ui', 'bff', 'messages'], types: ['api'] },
  'apps/operator': { dependencies: ['core', 'ui', 'bff', 'messages'], types: ['api'] },
  'apps/booking': { dependencies: ['core', 'bff', 'messages'], types: ['api'] },
}
/** Production code imports these for tests alone; Biome keeps them out of `src`. */
const forTests = ['sandbox', 'testing']
const root = join(import.meta.dirname, '..')
/** Packages whose code runs inside transactions. */
const transactional = ['packages/db', 'apps/api']
/**
 * Parts of the API that hold texts themselves: the reference for developers, and commands and
 * programs that an operator runs.
 */
const ownTexts =
  /^apps\/api\/src\/(http\/(reference\/|openapi|docs|readiness)|admin\/|(main|migrate|identity-setup|rename-tenant-groups)\.ts)/
/** Apps whose pages load their messages. */
const portals = ['apps/portal', 'apps/operator']
const faults: string[] = []
let fileCount = 0

const transactions = createTransactionRules()
for (const folder of transactional)
  for (const file of await sources(join(root, folder, 'src')))
    transactions.learn(parseSync(file, await readFile(file, 'utf8')).program)

const messages = createMessageRules()
for (const [folder, rule] of Object.entries(packageRules)) {
  await checkManifest(folder, rule)
  for (const file of await sources(join(root, folder, 'src'))) await checkFile(file, folder)
}
await checkTests()
await checkApiFolders()
for (const portal of portals) faults.push(...messages.faultsOf(portal))

for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`${fileCount} files, ${faults.length} faults\n`)
if (fileCount === 0) throw new Error('no source file was found, so nothing was checked')
process.exitCode = faults.length > 0 ? 1 : 0

async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Types of a package that runs elsewhere are a development dependency. */
async function checkManifest(
  folder: string,
  { dependencies, types = [] }: { dependencies: readonly string[]; types?: readonly string[] },
): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >
  const own = (kind: string) =>
    Object.keys(manifest[kind] ?? {}).flatMap((name) => /^@atrium\/(.+)$/.exec(name)?.[1] ?? [])
  for (const name of own('dependencies'))
    if (!dependencies.includes(name))
      faults.push(`${folder}/package.json: depends on ${name}, against the direction`)
  for (const name of own('devDependencies'))
    if (![...dependencies, ...types, ...forTests].includes(name))
      faults.push(`${folder}/package.json: uses ${name} in tests, against the direction`)
}

async function checkFile(file: string, folder: string): Promise<void> {
  fileCount += 1
  const name = relative(root, file)
  const text = await readFile(file, 'utf8')
  const parsed = parseSync(file, text)
  const { module, program } = parsed
  if ([...portals, 'packages/ui'].includes(folder)) messages.learn(name, parsed)
  if (transactional.includes(folder)) {
    for (const { at, fault } of transactions.faultsOf(program))
      faults.push(`${name}:${text.slice(0, at).split('\n').length}: ${fault}`)
  }
  if (folder === 'apps/api' && !ownTexts.test(name))
    for (const { at, sentence } of sentencesIn(program, text))
      faults.push(
        `${name}:${text.slice(0, at).split('\n').length}: "${sentence}" is not in the catalogue`,
      )
  for (const target of importedPaths(text, module))
    if (!isInside(join(root, folder, 'src'), resolve(dirname(file), target)))
      faults.push(`${name}: ${target} leaves its package by a path`)
}

/** Tests, tools and files beside `src` import other packages by name. */
async function checkTests(): Promise<void> {
  const folders = ['', 'bench', 'e2e', 'tests']
  for await (const manifest of glob('{apps,packages}/*/package.json', { cwd: root }))
    folders.push(dirname(manifest))
  const packageOf = (path: string) =>
    folders
      .filter((folder) => isInside(join(root, folder), path))
      .sort()
      .at(-1)
  const exclude = [
    '**/node_modules',
    '**/dist',
    '**/dist-server',
    '**/.atrium',
    '{apps,packages}/*/src',
  ]
  for await (const name of glob('**/*.{ts,tsx}', { cwd: root, exclude })) {
    fileCount += 1
    const text = await readFile(join(root, name), 'utf8')
    const file = join(root, name)
    for (const target of importedPaths(text, parseSync(name, text).module))
      if (packageOf(resolve(dirname(file), target)) !== packageOf(file))
        faults.push(`${name}: ${target} leaves its package by a path`)
  }
}

/** What a file imports by a path, as it is written there. */
function importedPaths(text: string, module: EcmaScriptModule): string[] {
  const targets = [
    ...module.staticImports.map((one) => one.moduleRequest.value),
    ...module.staticExports
      .flatMap((one) => one.entries)
      .flatMap((entry) => entry.moduleRequest?.value ?? []),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
      text.slice(start + 1, end - 1),
    ),
  ]
  return targets.filter((target) => target.startsWith('.'))
}

function isInside(folder: string, path: string): boolean {
  return `${path}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

async function checkApiFolders(): Promise<void> {
  const { overrides } = JSON.parse(await readFile(join(root, 'apps/api/biome.json'), 'utf8')) as {
    overrides: { includes: string[] }[]
  }
  const ruled = new Set(
    overrides.flatMap(({ includes }) => includes.map((path) => path.split('/')[1])),
  )
  for (const entry of await readdir(join(root, 'apps/api/src'), { withFileTypes: true }))
    if (entry.isDirectory() && !ruled.has(entry.name))
      faults.push(`apps/api/src/${entry.name}: has no import rule in apps/api/biome.json`)
}
