import { join, normalize } from 'node:path'
import { type ParseResult, Visitor } from 'oxc-parser'

/**
 * A page renders only when every file of messages that its parts use is loaded (`translations`
 * throws otherwise). This follows the imports of an app from `main.tsx`: a part that is loaded with
 * `withMessages` has the files named there, those of the part that loads it, and those that
 * `main.tsx` loads.
 */
export interface MessageRules {
  /** Reads a file. Its path is relative to the repository: `apps/portal/src/main.tsx`. */
  learn(path: string, parsed: Pick<ParseResult, 'module' | 'program'>): void
  /** What is used without being loaded, and what is loaded for nothing, in an app. */
  faultsOf(app: string): string[]
}

interface Module {
  /** Files of messages that it uses: `portal.members`. */
  uses: Set<string>
  /** Modules that load with it, or later without further messages. */
  imports: string[]
  /** Modules that load together with messages. */
  parts: { path: string; messages: string[] }[]
  /** What `loadMessages` is called with. */
  loads: string[]
}

export function createMessageRules(): MessageRules {
  const modules = new Map<string, Module>()

  function learn(path: string, { module, program }: Pick<ParseResult, 'module' | 'program'>): void {
    const found: Module = { uses: new Set(), imports: [], parts: [], loads: [] }
    const importsOf = (specifier: string) => {
      const target = targetOf(path, specifier)
      return target === undefined ? [] : [target]
    }
    for (const { moduleRequest, entries } of module.staticImports)
      if (entries.length === 0 || entries.some(({ isType }) => !isType))
        found.imports.push(...importsOf(moduleRequest.value))
    for (const { moduleRequest, isType } of module.staticExports.flatMap(({ entries }) => entries))
      if (moduleRequest && !isType) found.imports.push(...importsOf(moduleRequest.value))
    const withMessages = new Set<unknown>()
    new Visitor({
      CallExpression({ callee, arguments: args }) {
        if (callee.type !== 'Identifier') return
        const names = args.flatMap((one) =>
          one.type === 'Literal' && typeof one.value === 'string' ? [one.value] : [],
        )
        const [first] = args
        if (callee.name === 'translations') for (const name of names) found.uses.add(name)
        if (callee.name === 'loadMessages') found.loads.push(...names)
        if (callee.name !== 'withMessages' || first?.type !== 'ImportExpression') return
        withMessages.add(first)
        for (const part of importsOf(specifierOf(first.source)))
          found.parts.push({ path: part, messages: names })
      },
      ImportExpression(node) {
        if (!withMessages.has(node)) found.imports.push(...importsOf(specifierOf(node.source)))
      },
    }).visit(program)
    modules.set(path, found)
  }

  function faultsOf(app: string): string[] {
    const faults = new Set<string>()
    const main = `${app}/src/main.tsx`
    const used = walk(main, main, new Set(moduleAt(main).loads))
    for (const name of moduleAt(main).loads)
      if (!used.has(name)) faults.add(`${main}: loads ${name} for nothing`)
    return [...faults]

    /** Checks what loads with a part and returns which messages it uses. */
    function walk(part: string, from: string, loaded: ReadonlySet<string>): Set<string> {
      const seen = new Set<string>()
      const uses = new Set<string>()
      const queue = [from]
      for (const path of queue) {
        if (seen.has(path)) continue
        seen.add(path)
        const module = moduleAt(path)
        for (const name of module.uses) {
          uses.add(name)
          if (!loaded.has(name))
            faults.add(`${path}: uses ${name}, which ${part} is not loaded with`)
        }
        queue.push(...module.imports)
        for (const { path: inner, messages } of module.parts) {
          const usedInside = walk(inner, inner, new Set([...loaded, ...messages]))
          for (const name of messages)
            if (!usedInside.has(name))
              faults.add(`${path}: loads ${name} with ${inner} for nothing`)
          for (const name of usedInside) if (!messages.includes(name)) uses.add(name)
        }
      }
      return uses
    }
  }

  function moduleAt(path: string): Module {
    const found = modules.get(path) ?? modules.get(path.replace(/\.ts$/, '.tsx'))
    if (!found) throw new Error(`${path} is imported and was not read`)
    return found
  }

  return { learn, faultsOf }
}

/** The file that a specifier names, where it may use messages. */
function targetOf(path: string, specifier: string): string | undefined {
  if (/^\..*\.tsx?$/.test(specifier)) return normalize(join(path, '..', specifier))
  const inUi = /^@atrium\/ui\/([\w/-]+)$/.exec(specifier)?.[1]
  return inUi === undefined ? undefined : `packages/ui/src/${inUi}.ts`
}

function specifierOf(source: { type: string; value?: unknown }): string {
  if (source.type !== 'Literal' || typeof source.value !== 'string')
    throw new Error('an import names its file in something other than a text')
  return source.value
}
