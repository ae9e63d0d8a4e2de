import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'
import { createTransactionRules } from './transaction-rules.ts'

/**
 * Checks the import rules of docs/architecture.md: which package may import which, no cycles
 * between files, no production code that reaches into tests or the sandbox, no barrel files, no
 * import of a package that the package does not declare, and no other connection inside a
 * transaction (`transaction-rules.ts`).
 */
const packageRules: Readonly<
  Record<string, { imports: readonly string[]; types?: readonly string[] }>
> = {
  'packages/messages': { imports: [] },
  'packages/core': { imports: ['messages'] },
  'packages/db': { imports: ['core'] },
  'packages/integrations': { imports: ['core'] },
  'packages/ui': { imports: ['core', 'messages'], types: ['api'] },
  'packages/sandbox': { imports: ['core'] },
  'packages/bff': { imports: ['core', 'db', 'messages'], types: ['api'] },
  'apps/api': { imports: ['core', 'db', 'integrations', 'messages'] },
  'apps/portal': { imports: ['core', 'ui', 'bff', 'messages'], types: ['api'] },
  'apps/operator': { imports: ['core', 'ui', 'bff', 'messages'], types: ['api'] },
  'apps/booking': { imports: ['core', 'bff', 'messages'], types: ['api'] },
}
const root = join(import.meta.dirname, '..')
/** Packages whose code runs inside transactions. */
const transactional = ['packages/db', 'apps/api']
const faults: string[] = []
/** File → files it needs at run time. */
const graph = new Map<string, string[]>()

const transactions = createTransactionRules()
for (const folder of transactional)
  for (const file of await sources(join(root, folder, 'src')))
    transactions.learn(parseSync(file, await readFile(file, 'utf8')).program)

for (const [folder, rule] of Object.entries(packageRules)) {
  const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >
  const declared = new Set(
    Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
  )
  const declaredForTypes = new Set([...declared, ...Object.keys(manifest.devDependencies ?? {})])
  for (const file of await sources(join(root, folder, 'src')))
    await check(file, folder, rule, declared, declaredForTypes)
}
for (const cycle of findCycles()) faults.push(`${cycle.join(' -> ')}: a cycle`)

for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`${graph.size} files, ${faults.length} faults\n`)
if (graph.size === 0) throw new Error('no source file was found, so nothing was checked')
process.exitCode = faults.length > 0 ? 1 : 0

async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

async function check(
  file: string,
  folder: string,
  rule: { imports: readonly string[]; types?: readonly string[] },
  declared: ReadonlySet<string>,
  declaredForTypes: ReadonlySet<string>,
): Promise<void> {
  const name = relative(root, file)
  const text = await readFile(file, 'utf8')
  const { module, program } = parseSync(file, text)
  if (transactional.includes(folder)) {
    for (const { at, fault } of transactions.faultsOf(program))
      faults.push(`${name}:${text.slice(0, at).split('\n').length}: ${fault}`)
  }
  const needed: string[] = []
  const imports = [
    ...module.staticImports.map((one) => ({
      target: one.moduleRequest.value,
      typeOnly: one.entries.length > 0 && one.entries.every((entry) => entry.isType),
    })),
    ...module.staticExports
      .flatMap((one) => one.entries)
      .flatMap((entry) =>
        entry.moduleRequest ? [{ target: entry.moduleRequest.value, typeOnly: entry.isType }] : [],
      ),
  ]
  if (program.body.length > 0 && program.body.every((node) => node.type === 'ExportAllDeclaration'))
    faults.push(`${name}: a barrel file`)
  for (const { target, typeOnly } of imports) {
    if (target.startsWith('.')) {
      const found = resolve(dirname(file), target)
      if (!found.startsWith(join(root, folder, 'src')))
        faults.push(`${name}: ${target} leaves its package by a path`)
      if (!typeOnly) needed.push(found)
      continue
    }
    if (target.startsWith('node:')) continue
    const own = /^@atrium\/([a-z]+)(\/|$)/.exec(target)
    if (own?.[1]) {
      const allowed =
        rule.imports.includes(own[1]) || (typeOnly && (rule.types ?? []).includes(own[1]))
      if (!allowed)
        faults.push(`${name}: imports ${target}${typeOnly ? ' (types)' : ''}, against the arrows`)
      if (!typeOnly && !target.endsWith('.css'))
        needed.push(join(root, `packages/${own[1]}/src/${target.split('/').slice(2).join('/')}.ts`))
    }
    const packageName = target
      .split('/')
      .slice(0, target.startsWith('@') ? 2 : 1)
      .join('/')
    if (!(typeOnly ? declaredForTypes : declared).has(packageName))
      faults.push(`${name}: imports ${packageName}, which ${folder}/package.json does not declare`)
  }
  graph.set(file, needed)
}

function findCycles(): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (file: string) => {
    const at = trail.indexOf(file)
    if (at >= 0) {
      cycles.push([...trail.slice(at), file].map((one) => relative(root, one)))
      return
    }
    if (done.has(file)) return
    trail.push(file)
    for (const next of graph.get(file) ?? []) visit(next)
    trail.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return cycles
}
