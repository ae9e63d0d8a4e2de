import {
  actionMatch,
  auditActions,
  auditCursorPattern,
  auditMetadata,
  before,
  changedFields,
  csvLine,
  QueryAudit,
  VerifyAudit,
} from '@atrium/core/audit/audit'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

/** One line of RFC 4180 as a spreadsheet reads it. */
function readCsvLine(text: string): string[] {
  expect(text.endsWith('\r\n')).toBe(true)
  const cells: string[] = []
  let rest = text.slice(0, -2)
  for (;;) {
    if (rest.startsWith('"')) {
      const end = /^"((?:[^"]|"")*)"/s.exec(rest)
      if (!end) throw new Error('an unfinished quote')
      cells.push((end[1] ?? '').replaceAll('""', '"'))
      rest = rest.slice(end[0].length)
    } else {
      const [plain = ''] = /^[^,]*/s.exec(rest) ?? []
      expect(plain).not.toMatch(/["\r\n]/)
      cells.push(plain)
      rest = rest.slice(plain.length)
    }
    if (rest === '') return cells
    expect(rest[0]).toBe(',')
    rest = rest.slice(1)
  }
}

describe('a CSV line', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('=1+1', '+x', '-x', '@x', '\tx', '\rx', '"', '""', 'a,b', 'a\r\nb', '', "'=1"),
  )

  test.prop([fc.array(cell, { minLength: 1, maxLength: 8 })])(
    'is read back as it was written, formulas as text',
    (cells) => {
      const read = readCsvLine(csvLine(cells))
      expect(read).toHaveLength(cells.length)
      for (const [index, value] of cells.entries()) {
        const guard =
          /^'(?=[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n])|(?<=[;\t\r\n])'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g
        expect(read[index]?.replace(guard, '')).toBe(value.replace(guard, ''))
        expect(read[index]).not.toMatch(
          /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]|[;\t\r\n][=+\-@\uff1d\uff0b\uff0d\uff20]/,
        )
      }
    },
  )
  it.each([
    ['=1+1', "'=1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a;b', 'a;b'],
    ['a\n=1', "a\n'=1"],
    ['\uff1d1', "'\uff1d1"],
    ['1-1', '1-1'],
  ])('shows %j as %j', (given, shown) => {
    expect(readCsvLine(csvLine([given]))).toEqual([shown])
  })
  it('shows what is no text: nothing, numbers and objects', () => {
    expect(csvLine([null, undefined, 7, true, { a: 'x,"y"' }])).toBe(
      ',,7,true,"{""a"":""x,\\""y\\""""}"\r\n',
    )
    expect(csvLine([-99_997, -0.05, '-99997'])).toBe("-99997,-0.05,'-99997\r\n")
  })
})

const awkward = fc.string({ unit: fc.constantFrom('\u0000', '\ud83c', '\udf89', 'a', '"', '\\') })

describe('metadata', () => {
  it('hides what is under a name of a secret, at any depth', () => {
    const hidden = auditMetadata({
      password: 'x',
      clientSecret: 'x',
      nested: {
        list: [{ access_token: 'x', apiKey: 'x', api_key: 'x', Authorization: 'x', note: 'y' }],
      },
    })
    expect(JSON.stringify(hidden)).not.toContain('"x"')
    expect(hidden).toMatchObject({ password: '***', nested: { list: [{ note: 'y' }] } })
  })
  it('hides both values of a change', () => {
    const changes = { 'member.password_reset': ['before', { subject: 'after' }], tokens: [] }
    expect(auditMetadata({ changes })).toEqual({
      changes: { 'member.password_reset': ['***', '***'], tokens: [] },
    })
  })
  it('keeps what only sounds alike', () => {
    expect(auditMetadata({ monkey: 'a', keyboard: 'b', handoff: 'tempPassword' })).toEqual({
      monkey: 'a',
      keyboard: 'b',
      handoff: 'tempPassword',
    })
  })
  it('cuts long texts and replaces what is too wide by its size', () => {
    expect(String(auditMetadata({ a: 'x'.repeat(600) }).a)).toHaveLength(513)
    expect(auditMetadata({ a: 'x'.repeat(512) })).toEqual({ a: 'x'.repeat(512) })
    const wide = auditMetadata({
      requestId: 'r',
      ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, 'x'.repeat(500)])),
    })
    expect(wide).toEqual({ truncated: true, size: expect.any(Number), requestId: 'r' })
  })
  it('may be 8,000 characters wide', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 15 }, (_, n) => [`f${n}`, 'x'.repeat(500)]),
    )
    const left = 8_000 - JSON.stringify({ ...fields, rest: '' }).length
    const widest = { ...fields, rest: 'x'.repeat(left) }
    expect(auditMetadata(widest)).toEqual(widest)
    expect(auditMetadata({ ...fields, rest: 'x'.repeat(left + 1) })).toEqual({
      truncated: true,
      size: 8_001,
    })
  })
  it('keeps numbers, truths and nothing as they are, and the first 100 of a list', () => {
    const plain = { seats: 4, on: true, none: null }
    expect(auditMetadata(plain)).toEqual(plain)
    const list = Array.from({ length: 101 }, (_, n) => n)
    const { all, token } = auditMetadata({ all: list, token: list })
    expect(all).toEqual(list.slice(0, 100))
    expect(token).toEqual(Array(100).fill('***'))
  })
  it('ends six levels down, through fields and lists alike', () => {
    const fields = { a: { a: { a: { a: { a: { a: 'kept' } } } } } }
    expect(auditMetadata(fields)).toEqual(fields)
    expect(auditMetadata({ a: fields })).toEqual({
      a: { a: { a: { a: { a: { a: { a: '…' } } } } } },
    })
    expect(auditMetadata({ a: [[[[[['cut']]]]]] })).toEqual({ a: [[[[[['…']]]]]] })
  })
  it('cuts no character in half, and leaves out what a database cannot hold', () => {
    const cut = String(auditMetadata({ a: `${'x'.repeat(511)}🎉` }).a)
    expect(cut.isWellFormed()).toBe(true)
    expect(auditMetadata({ 'k\u0000\ud800': 'v\u0000\udc00' })).toEqual({
      'k\ufffd\ufffd': 'v\ufffd\ufffd',
    })
  })
  it('ends on a cycle and on values that JSON does not know', () => {
    const cycle: Record<string, unknown> = {
      date: new Date(0),
      big: 7n,
      none: undefined,
      call: () => 1,
    }
    cycle.self = cycle
    const cleaned = auditMetadata(cycle)
    expect(cleaned).toMatchObject({ date: '1970-01-01T00:00:00.000Z', big: '7' })
    expect(Object.keys(cleaned)).toEqual(['date', 'big', 'self'])
  })
  test.prop([
    fc.dictionary(awkward, fc.oneof(awkward, fc.dictionary(awkward, awkward), fc.jsonValue())),
  ])('can always be stored: bounded, serialisable, no NUL and no lone surrogate', (given) => {
    const text = JSON.stringify(auditMetadata(given))
    expect(text.length).toBeLessThanOrEqual(8_200)
    expect(text.replaceAll('\\\\', '')).not.toMatch(/\\u0000|\\ud[89a-f]/)
  })
})

describe('the action filter', () => {
  it('tells a leading part from a whole action', () => {
    expect(actionMatch('tenant.created')).toEqual({ exact: 'tenant.created' })
    expect(actionMatch('tenant.*')).toEqual({ prefix: 'tenant.' })
    expect(actionMatch('tenant.')).toEqual({ prefix: 'tenant.' })
    for (const part of ['tenant', 'tenant.sus', 'platform'])
      expect(actionMatch(part)).toEqual({ prefix: part })
    for (const action of auditActions) expect(actionMatch(action)).toEqual({ exact: action })
  })
  it('takes every action that is recorded, and its leading part', () => {
    for (const action of auditActions) {
      expect(QueryAudit.safeParse({ action }).success, action).toBe(true)
      expect(QueryAudit.safeParse({ action: `${action.split('.')[0]}.*` }).success, action).toBe(
        true,
      )
    }
  })
})

describe('a query of the audit log', () => {
  it('has 100 entries unless it asks for others, and 500 at most', () => {
    expect(QueryAudit.parse({}).limit).toBe(100)
    expect(QueryAudit.parse({ limit: '20' }).limit).toBe(20)
    expect(QueryAudit.parse({ limit: 501 }).limit).toBe(500)
    expect(QueryAudit.safeParse({ limit: 0 }).success).toBe(false)
  })

  const at = '2026-03-01T00:00:00.000Z'
  const id = '01a1ffa0-915e-7644-aaf6-d11f66e35098'
  it.each([at, `${at}_${id}`, `2026-10-31T23:59:59.123456Z_${id}`, '2026-01-30T08:00:00+02:00'])(
    'goes on before %s, as the API description says',
    (cursor) => {
      expect(before.safeParse(cursor).success).toBe(true)
      expect(cursor).toMatch(new RegExp(auditCursorPattern, 'u'))
    },
  )
  it.each(['', id, `_${id}`, `${at}_`, `${at}_7`, `${at}_${id}_`, `2026-02-30T00:00:00Z_${id}`])(
    'does not go on before %j',
    (cursor) => {
      expect(before.safeParse(cursor).error?.issues).toHaveLength(1)
    },
  )
})

describe('a verification', () => {
  it('is of a tenant, of a partner or of everything', () => {
    const [tenantSlug, partnerSlug] = ['acme', 'north']
    for (const of of [{}, { tenantSlug }, { partnerSlug }])
      expect(VerifyAudit.safeParse(of).success).toBe(true)
    expect(VerifyAudit.safeParse({ tenantSlug, partnerSlug }).error?.issues).toMatchObject([
      { path: ['partnerSlug'] },
    ])
  })
})

describe('changed fields', () => {
  it('are those that differ, from what to what; absent counts as null', () => {
    const before = { name: 'a', seats: 1, list: ['x'], gone: undefined as string | undefined }
    const after = { name: 'b', seats: 1, list: ['x'], gone: null }
    expect(changedFields(before, after, ['name', 'seats', 'list', 'gone', 'never'])).toEqual({
      name: ['a', 'b'],
    })
  })
  test.prop([fc.dictionary(fc.string(), fc.jsonValue())])(
    'of a thing and itself are none',
    (thing) => {
      expect(changedFields(thing, structuredClone(thing), Object.keys(thing))).toEqual({})
    },
  )
})
