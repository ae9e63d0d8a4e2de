import { describe, expect, it } from 'vitest'
import { actionSuggestions } from '../src/audit-actions.ts'
import { readMetadata } from '../src/audit-metadata.ts'

describe('metadata of an audit entry', () => {
  it('names known keys, shows others as they are, and keeps plain values on one line', () => {
    expect(readMetadata({ requestId: 'r1', count: 0, ok: false, tags: ['a', 'b'] })).toEqual([
      { path: 'requestId', label: 'Request ID', depth: 0, value: 'r1' },
      { path: 'count', label: 'count', isKey: true, depth: 0, value: '0' },
      { path: 'ok', label: 'ok', isKey: true, depth: 0, value: 'no' },
      { path: 'tags', label: 'tags', isKey: true, depth: 0, value: 'a, b' },
    ])
  })

  it('shows a change as before and after, and an empty side as a dash', () => {
    expect(
      readMetadata({ changes: { partnerId: [null, 'p1'], plan: ['free', 'business'] } }),
    ).toEqual([
      { path: 'changes', label: 'Changes', depth: 0 },
      {
        path: 'changes.partner',
        label: 'Partner',
        depth: 1,
        change: { before: 'none', after: 'p1' },
      },
      {
        path: 'changes.plan',
        label: 'Plan',
        depth: 1,
        change: { before: 'free', after: 'business' },
      },
    ])
  })

  it('indents parts of parts', () => {
    expect(
      readMetadata({ results: { mail: { state: 'error' } } }).map(({ path, depth, value }) => [
        path,
        depth,
        value,
      ]),
    ).toEqual([
      ['results', 0, undefined],
      ['results.mail', 1, undefined],
      ['results.mail.state', 2, 'error'],
    ])
  })

  it('numbers the objects of a list', () => {
    expect(
      readMetadata({ steps: [{ name: 'mail' }] }).map(({ label, value }) => [label, value]),
    ).toEqual([
      ['steps', undefined],
      ['1', undefined],
      ['Name', 'mail'],
    ])
  })

  it('gives every line its own path', () => {
    const paths = readMetadata({
      a: { b: 1, c: [{ d: 1 }, { d: 2 }] },
      changes: { b: [1, 2] },
    }).map((line) => line.path)
    expect(new Set(paths).size).toBe(paths.length)
  })
})

describe('suggested actions', () => {
  it('offers a resource as a whole before its actions', () => {
    const tenant = actionSuggestions().find(({ group }) => group === 'Tenant')
    expect(tenant?.items[0]).toBe('tenant.*')
    expect(tenant?.items).toContain('tenant.suspended')
  })
})
