import { findDeepFlagChain, findFlagCycle } from '@atrium/core/flags/flag-graph'
import { describe, expect, it } from 'vitest'

const graph = (edges: Record<string, string[]>) =>
  new Map(
    Object.entries(edges).map(([key, needs]) => [
      key,
      needs.map((one) => ({ key: one, value: true })),
    ]),
  )

describe('prerequisites', () => {
  it('that lead back are found, with the way', () => {
    expect(findFlagCycle(graph({ a: ['a'] }), 'a')).toEqual(['a', 'a'])
    expect(findFlagCycle(graph({ a: ['x', 'b'], b: ['c'], c: ['a'], x: [] }), 'a')).toEqual([
      'a',
      'b',
      'c',
      'a',
    ])
    expect(findFlagCycle(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }), 'a')).toBeUndefined()
  })

  it('end although others go in a circle', () => {
    expect(findFlagCycle(graph({ a: ['b'], b: ['c'], c: ['b'] }), 'a')).toBeUndefined()
  })

  it('may be five deep and no deeper, counted through the flag in both directions', () => {
    const five = { a: ['b'], b: ['c'], c: ['d'], d: ['e'], e: ['f'], f: [] }
    expect(findDeepFlagChain(graph(five), 'c')).toBeUndefined()
    expect(findDeepFlagChain(graph({ ...five, f: ['g'] }), 'f')).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
    ])
    expect(findDeepFlagChain(graph({ ...five, f: ['g'] }), 'a')?.length).toBe(7)
    for (const needs of [
      ['x', 'b'],
      ['b', 'x'],
    ])
      expect(findDeepFlagChain(graph({ ...five, a: needs, f: ['g'] }), 'a')).toHaveLength(7)
  })
})
