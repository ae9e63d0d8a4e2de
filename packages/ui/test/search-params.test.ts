import { QueryAudit } from '@atrium/core/audit/audit'
import { cursor } from '@atrium/core/platform/paging'
import { describe, expect, it } from 'vitest'
import {
  auditAction,
  auditCursor,
  cursors,
  oneOf,
  recordId,
  searchReader,
  textUpTo,
  timeWord,
} from '../src/search-params.ts'

const id = '0196f1d2-aaaa-7bbb-8ccc-000000000001'

describe('the reader of an address', () => {
  const read = searchReader({ q: textUpTo(5), state: oneOf(['on', 'off']), cursors })

  it('keeps the fields that fit, and leaves out all others', () => {
    expect(read({ q: ' abc ', state: 'on', other: 'x' })).toEqual({ q: 'abc', state: 'on' })
    expect(Object.keys(read({ q: '  ', state: 'sideways', cursors: '' }))).toEqual([])
    expect(read({ q: 'abcdef', state: undefined, cursors: 7 })).toEqual({})
  })
})

describe('the same as the API accepts', () => {
  it.each([
    '2026-11-21T10:00:00Z',
    '2026-11-21T10:00:00.123456Z',
    '2026-11-21T10:00:00+15:59',
    '2026-11-21T10:00:00+16:00',
    '2024-02-29T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21',
    'yesterday',
  ])('of times (%s)', (text) => {
    const before = QueryAudit.shape.before
    expect(timeWord(text) !== undefined).toBe(QueryAudit.shape.since.safeParse(text).success)
    expect(auditCursor(text) !== undefined).toBe(before.safeParse(text).success)
    expect(auditCursor(`${text}_${id}`) !== undefined).toBe(
      before.safeParse(`${text}_${id}`).success,
    )
    expect(auditCursor(`${text}_x`)).toBeUndefined()
  })

  it.each([
    'tenant.created',
    'tenant',
    'tenant.',
    'tenant.*',
    'Tenant',
    'tenant created',
    '',
    'a'.repeat(101),
  ])('of actions (%s)', (text) => {
    const accepted = text !== '' && QueryAudit.shape.action.safeParse(text).success
    expect(auditAction(text) !== undefined).toBe(accepted)
  })

  it.each([id, id.toUpperCase(), id.slice(1), `${id}0`, 'x'])('of ids (%s)', (text) => {
    expect(recordId(text) !== undefined).toBe(cursor.safeParse(text).success)
  })
})
