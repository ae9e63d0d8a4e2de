import { readFileSync } from 'node:fs'
import { fieldLabel } from '@atrium/core/audit/audit-changes'
import { expect, it } from 'vitest'
import { changesText } from '../src/audit-sentence.ts'

const words = (changes: Record<string, unknown>, metadata: Record<string, unknown> = {}) =>
  changesText({ metadata: { ...metadata, changes } })

it('says what was and what is', () => {
  expect(words({ seats: [4, 80] })).toBe('changed seats 4 → 80')
  expect(words({ seats: [4, 80], plan: ['starter', 'business'] })).toBe(
    'changed seats 4 → 80 and plan starter → business',
  )
  expect(words({ industry: [null, 'Law'], enabled: [true, false] })).toBe(
    'changed industry none → Law and enabled yes → no',
  )
  expect(words({ marginPct: [null, 17.5] })).toBe('changed margin none → 17.5%')
})

it('says money with its currency, of either side', () => {
  expect(words({ perSeatAmount: [850, 950] }, { currency: 'eur' })).toBe(
    'changed price per seat €8.50 → €9.50',
  )
  expect(words({ currency: ['eur', 'jpy'], periodAmount: [850, 1200] })).toContain(
    'price per period €8.50 → ¥1,200',
  )
  expect(words({ perSeatAmount: [850, 950] })).toBe('changed price per seat 850 → 950')
  const amount = (unitAmount: number) =>
    JSON.stringify({ currency: 'eur', unitAmount, tiers: null })
  expect(words({ amounts: [[amount(850)], [amount(950)]] })).toBe(
    'added €9.50 to amounts and removed €8.50 from amounts',
  )
})

it('says of lists what came and what went, whether they are kept whole or as the difference', () => {
  expect(words({ recipients: [[], ['anna@acme.test']] })).toBe('added anna@acme.test to recipients')
  expect(
    words({
      allowedCountries: [
        ['AT', 'DE'],
        ['DE', 'FR'],
      ],
    }),
  ).toBe('added FR to allowed countries and removed AT from allowed countries')
  expect(words({ domains: [['a', 'b', 'c', 'd', 'e'], []] })).toBe(
    'removed a, b, c, and 2 more from domains',
  )
  expect(
    words({
      durations: [
        [15, 30],
        [30, 15],
      ],
    }),
  ).toBe('changed the order of durations')
  expect(words({ partnerSlugs: [null, ['north']] })).toBe('added north to partners')
})

it('only names what no line can show, and cuts long texts', () => {
  expect(words({ weekly: [[{ day: 1 }], []] })).toBe('changed weekly')
  expect(words({ headline: ['', 'x'.repeat(200)] })).toBe(
    `changed headline none → ${'x'.repeat(60)}…`,
  )
  expect(words({ a: [1, 2], b: [1, 2], c: [1, 2], d: [1, 2], e: [1, 2] })).toBe(
    'changed a 1 → 2, b 1 → 2, c 1 → 2, and 2 more',
  )
})

it('says nothing of entries without changes, and survives what no version of ours writes', () => {
  expect(changesText({ metadata: {} })).toBeUndefined()
  expect(words({})).toBeUndefined()
  expect(words({ seats: 4, plan: [1, 2, 3] })).toBeUndefined()
  expect(changesText({ metadata: { changes: ['a'] } })).toBeUndefined()
})

it('names fields by the words that the search over the log finds', () => {
  const file = new URL('en/ui/audit.json', import.meta.resolve('@atrium/messages/messages'))
  const { fields } = JSON.parse(readFileSync(file, 'utf8')) as { fields: Record<string, string> }
  for (const [field, label] of Object.entries(fields)) expect(label, field).toBe(fieldLabel(field))
})
