import { compareDmarc as compare, dmarcText, isDmarc, parseDmarc } from '@atrium/core/mail/dmarc'
import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { inEnglish } from './check-texts.ts'

const expected = 'v=DMARC1; p=quarantine; pct=50; rua=mailto:reports@acme.example'

const compareDmarc = (requested: string, published: readonly string[]) =>
  inEnglish(compare(requested, published))

describe('compareDmarc', () => {
  it.each<[string, string | null]>([
    [expected, null],
    ['v=DMARC1;p=Quarantine;pct=50;rua=mailto:Reports@Acme.example!10m', null],
    ['v=DMARC1; rua=mailto:x@y.example,mailto:reports@acme.example; pct=50; p=quarantine', null],
    ['v=DMARC1; p=reject; rua=mailto:reports@acme.example', 'p=reject is stronger'],
    ['v=DMARC1; p=reject; pct=10; rua=mailto:reports@acme.example', 'p=reject is stronger'],
    [
      'v=DMARC1; p=quarantine; rua=mailto:reports@acme.example',
      '100 % of messages, more than requested',
    ],
    ['v=DMARC1; p=quarantine; sp=none; pct=50; rua=mailto:reports@acme.example', 'sp=none'],
  ])('is ok with %s', (text, reason) => {
    expect(compareDmarc(expected, [text])).toEqual({
      verdict: 'ok',
      reason: reason === null ? null : expect.stringContaining(reason),
    })
  })

  it.each([
    [['v=DMARC1; p=none; rua=mailto:reports@acme.example'], 'weaker than p=quarantine'],
    [
      ['v=DMARC1; p=quarantine; pct=49; rua=mailto:reports@acme.example'],
      '49 % of messages instead of 50 %',
    ],
    [['v=DMARC1; p=quarantine; pct=50'], 'Reports do not go to reports@acme.example'],
    [['v=DMARC1; p=quarantine; rua=reports@acme.example'], 'does not start with mailto:'],
    [['v=DMARC1; p=monitor'], 'p=monitor is not one of'],
    [['v=DMARC1; sp=reject'], 'p= is missing'],
    [['v=DMARC1; p=none; pct=101'], 'pct=101'],
    [['v=DMARC1; p=none; pct=half'], 'pct=half'],
    [['v=DMARC1; p=none; sp=monitor'], 'sp=monitor is not one of'],
    [[expected, expected], 'There are 2 DMARC records'],
    [['dmarc please'], 'does not start with v=DMARC1'],
    [['v=dmarc1; p=reject'], 'does not start with v=DMARC1'],
  ])('says what is wrong with %s', (texts, reason) => {
    expect(compareDmarc(expected, texts)).toMatchObject({
      verdict: 'mismatch',
      reason: expect.stringContaining(reason),
    })
  })

  it('reads shares and addresses as they are written', () => {
    const read = (tags: string) => parseDmarc(`v=DMARC1; p=none; ${tags}`).record
    expect([read('pct=0')?.pct, read('pct=100')?.pct, read('')?.pct]).toEqual([0, 100, 100])
    expect(read('sp=Reject')).toMatchObject({ policy: 'none', subdomains: 'reject' })
    expect(read('rua=mailto:A%21b@c.example!10m, MAILTO:d%zz@e.example')?.rua).toEqual([
      'a!b@c.example',
      'd%zz@e.example',
    ])
  })

  it('is missing without a TXT record, and passes over foreign ones beside it', () => {
    expect(compareDmarc(expected, [])).toEqual({ verdict: 'missing', reason: null })
    expect(compareDmarc(expected, ['other', expected]).verdict).toBe('ok')
  })

  const settings = fc.record({
    policy: fc.constantFrom('none' as const, 'quarantine' as const, 'reject' as const),
    pct: fc.integer({ min: 0, max: 100 }),
    rua: fc.constantFrom(null, 'a@b.example'),
  })
  property.prop([settings])('takes its own text, and reads back what it wrote', (requested) => {
    const text = dmarcText(requested)
    expect(isDmarc(text)).toBe(true)
    expect(parseDmarc(text).record).toEqual({
      policy: requested.policy,
      subdomains: requested.policy,
      pct: requested.pct,
      rua: requested.rua === null ? [] : [requested.rua],
    })
    expect(compareDmarc(text, [text])).toEqual({ verdict: 'ok', reason: null })
  })

  property.prop([settings, settings])(
    'never takes a weaker policy for enough',
    (requested, published) => {
      const order = ['none', 'quarantine', 'reject']
      const weaker = order.indexOf(published.policy) < order.indexOf(requested.policy)
      fc.pre(weaker)
      expect(compareDmarc(dmarcText(requested), [dmarcText(published)]).verdict).toBe('mismatch')
    },
  )

  property.prop([fc.string({ unit: 'binary' })])('reads anything or says why not', (text) => {
    const { record, fault } = parseDmarc(`v=DMARC1; ${text}`)
    expect(record === undefined).toBe(fault !== undefined)
    expect(compareDmarc(expected, [`v=DMARC1; ${text}`]).verdict).toMatch(/^(ok|mismatch)$/)
  })
})
