import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  CreateList,
  changeRecipients,
  loopThrough,
  mostRecipients,
  UpdateList,
} from '../../src/mail/lists.ts'

const lists = (entries: Record<string, string[]>) => new Map(Object.entries(entries))

describe('a loop among lists', () => {
  it('is the list itself as recipient', () =>
    expect(loopThrough('a', ['x', 'a'], lists({}))).toEqual(['a', 'a']))
  it('goes through another list', () =>
    expect(loopThrough('a', ['b'], lists({ b: ['c', 'a'] }))).toEqual(['a', 'b', 'a']))
  it('is told by its shortest way', () =>
    expect(loopThrough('a', ['b', 'c'], lists({ b: ['d'], d: ['a'], c: ['a'] }))).toEqual([
      'a',
      'c',
      'a',
    ]))
  it('is none where two ways meet', () =>
    expect(loopThrough('a', ['b', 'c'], lists({ b: ['d'], c: ['d'], d: ['x'] }))).toBeUndefined())
  it('is none when others loop that the list only sends to', () =>
    expect(loopThrough('a', ['b'], lists({ b: ['c'], c: ['b'] }))).toBeUndefined())

  const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const
  test.prop([
    fc.dictionary(fc.constantFrom(...names), fc.uniqueArray(fc.constantFrom(...names, 'x'))),
  ])(
    'is found exactly when mail could come back, and the way told is one that mail takes',
    (graph) => {
      const others = new Map(Object.entries(graph).filter(([name]) => name !== 'a'))
      const reached = new Set<string>()
      const walk = (at: string) => {
        if (reached.has(at)) return
        reached.add(at)
        for (const to of others.get(at) ?? []) walk(to)
      }
      for (const to of graph.a ?? []) walk(to)
      const way = loopThrough('a', graph.a ?? [], others)
      expect(way !== undefined).toBe(reached.has('a'))
      if (!way) return
      expect([way[0], way.at(-1)]).toEqual(['a', 'a'])
      for (const [index, step] of way.slice(1).entries())
        expect(graph[way[index] ?? '']).toContain(step)
    },
  )
})

describe('recipients', () => {
  const base = { slug: 'acme', address: 'team', name: 'Team' }
  const issuesOf = (recipients: unknown[]) =>
    CreateList.safeParse({ ...base, recipients }).error?.issues.map(
      ({ path, message }) => `${path.join('.')}: ${message}`,
    )

  it('are rejected one by one, with the reason', () => {
    expect(issuesOf(['anna@example.com', 'nobody', 'Anna@Example.com'])).toEqual([
      'recipients.1: This is not an e-mail address.',
    ])
    expect(issuesOf(['anna@example.com', 'eve@example.com', 'Anna@Example.com'])).toEqual([
      'recipients.2: anna@example.com is named twice.',
    ])
    expect(issuesOf([])).toEqual(['recipients: A list needs at least one recipient.'])
    expect(
      issuesOf(Array.from({ length: mostRecipients + 1 }, (_, n) => `r${n}@example.com`)),
    ).toEqual(['recipients: Enter at most 1,000 items.'])
  })

  it('are changed either wholly or in part', () => {
    const paths = (fields: object) =>
      UpdateList.safeParse({
        slug: 'acme',
        listId: '018f0000-0000-7000-8000-000000000000',
        ...fields,
      }).error?.issues.map(({ path }) => path.join('.'))
    expect(paths({})).toEqual([''])
    expect(paths({ recipients: ['a@example.com'], add: ['b@example.com'] })).toEqual(['recipients'])
    expect(paths({ add: ['a@example.com'], remove: ['a@example.com'] })).toEqual(['remove.0'])
    expect(paths({ add: ['a@example.com'] })).toBeUndefined()
    expect(paths({ remove: ['a@example.com'] })).toBeUndefined()
    expect(paths({ name: 'Team' })).toBeUndefined()
    const recipients = ['a@example.com']
    expect(paths({ recipients })).toBeUndefined()
    expect(paths({ recipients, remove: recipients })).toEqual(['recipients'])
    expect(paths({ add: ['b@example.com'], remove: ['a@example.com', 'b@example.com'] })).toEqual([
      'remove.1',
    ])
  })

  it('are those of before with what is added and without what is removed', () => {
    expect(changeRecipients(['a', 'b'], { add: ['c'], remove: ['a'] })).toEqual({
      recipients: ['b', 'c'],
    })
    expect(changeRecipients(['a'], { recipients: ['z', 'y'] })).toEqual({ recipients: ['y', 'z'] })
    expect(changeRecipients(['a', 'b'], { add: ['b'], remove: ['z'] })).toEqual({
      issues: [
        { path: 'add.0', message: 'b is already in the list.' },
        { path: 'remove.0', message: 'z is not in the list.' },
      ],
    })
    expect(changeRecipients(['a'], { remove: ['a'] })).toEqual({
      issues: [{ path: 'remove', message: 'A list needs at least one recipient.' }],
    })
  })

  it('are 1,000 at most after a change', () => {
    const before = Array.from({ length: mostRecipients - 1 }, (_, n) => `r${n}`)
    expect(changeRecipients(before, { add: ['a'] })).toMatchObject({
      recipients: { length: mostRecipients },
    })
    expect(changeRecipients(before, { add: ['a', 'b'] })).toEqual({
      issues: [{ path: 'add', message: 'Enter at most 1,000 items.' }],
    })
    expect(changeRecipients(before, { add: ['a', 'b'], remove: ['r0'] })).toHaveProperty(
      'recipients',
    )
  })
})
