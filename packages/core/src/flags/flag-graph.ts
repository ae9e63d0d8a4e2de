import { deepestPrerequisites, type Prerequisite } from './flags.ts'

/** What every flag requires, by key. */
export type FlagGraph = ReadonlyMap<string, readonly Prerequisite[]>

/**
 * The way from a flag back to itself, `a`, `b`, `a`; undefined when its prerequisites never lead
 * back to it.
 */
export function findFlagCycle(graph: FlagGraph, from: string): string[] | undefined {
  const seen = new Set<string>()
  function walk(key: string, path: readonly string[]): string[] | undefined {
    for (const { key: next } of graph.get(key) ?? []) {
      if (next === from) return [...path, next]
      if (seen.has(next)) continue
      seen.add(next)
      const found = walk(next, [...path, next])
      if (found) return found
    }
    return undefined
  }
  return walk(from, [from])
}

/**
 * The longest chain of prerequisites through a flag when it is longer than allowed. The graph has
 * no cycle.
 */
export function findDeepFlagChain(graph: FlagGraph, through: string): string[] | undefined {
  const dependents = new Map<string, Prerequisite[]>()
  for (const [key, required] of graph) {
    for (const one of required)
      dependents.set(one.key, [...(dependents.get(one.key) ?? []), { key, value: one.value }])
  }
  const chain = [
    ...longestFrom(dependents, through).reverse(),
    ...longestFrom(graph, through).slice(1),
  ]
  return chain.length - 1 > deepestPrerequisites ? chain : undefined
}

function longestFrom(graph: FlagGraph, from: string): string[] {
  const known = new Map<string, string[]>()
  function walk(key: string): string[] {
    const before = known.get(key)
    if (before) return before
    const rest = (graph.get(key) ?? [])
      .map((one) => walk(one.key))
      .reduce((longest, one) => (one.length > longest.length ? one : longest), [])
    const chain = [key, ...rest]
    known.set(key, chain)
    return chain
  }
  return walk(from)
}
