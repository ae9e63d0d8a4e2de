import { canonicalDomain, domainName, releasedLabel, SetDmarc } from '@atrium/core/mail/domains'
import { isHostName } from '@atrium/core/platform/text'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

describe('a domain', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    [' example.com ', 'example.com'],
    ['BÜCHER.example', undefined],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['bu\u0308cher.de', 'xn--bcher-kva.de'],
    ['faß.de', 'xn--fa-hia.de'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['ＥＸＡＭＰＬＥ.com', 'example.com'],
    ['a.b.co.uk', 'a.b.co.uk'],
    ['acme.github.io', 'acme.github.io'],
    ['acme.tenants.local', 'acme.tenants.local'],
    ['firm.test', 'firm.test'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
  ])('%j is %s', (given, canonical) => {
    expect(canonicalDomain(given)).toBe(canonical)
  })

  it.each([
    'com',
    'co.uk',
    'localhost',
    'test',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '::1',
    'a..com',
    '.com',
    '-a.com',
    'a-.com',
    'a_b.com',
    'a@b.com',
    'a.com/x',
    'a.com:25',
    'a.com?x',
    'a.com#x',
    'http://a.com',
    '*.a.com',
    'a b.com',
    'a\u0000.com',
    'a.com\nx',
    'a%2ecom',
    'a\\b.com',
    '',
    '.',
    '..',
    'xn--a.com',
    'xn--.com',
    `${'a'.repeat(64)}.com`,
    `${'abcdefgh.'.repeat(30)}com`,
    'example.notatld',
  ])('%j is none that can be owned', (given) => {
    expect(canonicalDomain(given)).toBeUndefined()
    expect(domainName.safeParse(given).success).toBe(false)
  })

  const label = fc
    .stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/)
    .filter((text) => !text.startsWith('xn--') && !/^..--/.test(text))
  test.prop([
    fc.array(label, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('com', 'de', 'test', 'org'),
  ])('of plain labels stays as it is, in any case and with a final dot', (labels, suffix) => {
    const name = `${labels.join('.')}.${suffix}`
    expect(canonicalDomain(name)).toBe(name)
    expect(canonicalDomain(`${name.toUpperCase()}.`)).toBe(name)
  })

  test.prop([fc.string({ unit: 'grapheme', maxLength: 60 })])(
    'is canonical once made so, whatever it was made from',
    (text) => {
      for (const given of [text, `${text}.com`, `${text}.test`]) {
        const canonical = canonicalDomain(given)
        if (canonical === undefined) continue
        expect(isHostName(canonical)).toBe(true)
        expect(canonicalDomain(canonical)).toBe(canonical)
      }
    },
  )
})

describe('the name of a released domain', () => {
  it.each([
    ['acme.example', 1, 'was-acme-example'],
    ['xn--bcher-kva.de', 1, 'was-xn--bcher-kva-de'],
    ['acme.example', 2, 'was-acme-example-2'],
    [`${'a'.repeat(49)}.example`, 1, `was-${'a'.repeat(49)}`],
    [`${'a'.repeat(48)}--.example`, 3, `was-${'a'.repeat(48)}-3`],
    [`${'a'.repeat(60)}.example`, 1, `was-${'a'.repeat(50)}`],
  ])('of %s, the %i. time, is %s', (name, number, label) => {
    expect(releasedLabel(name, number)).toBe(label)
    expect(isHostName(`${label}.acme.tenants.test`)).toBe(true)
  })
})

describe('the DMARC settings', () => {
  const settings = { slug: 'acme', domain: 'acme.example', policy: 'none' }
  const issuesOf = (fields: object) =>
    (SetDmarc.safeParse({ ...settings, ...fields }).error?.issues ?? []).map(({ path }) => path[0])

  it.each([{}, { rua: null }, { rua: 'dmarc@acme.example' }, { pct: 0 }, { pct: 100 }])(
    'may be %j',
    (fields) => {
      expect(issuesOf(fields)).toEqual([])
    },
  )
  it.each([
    { policy: 'monitor' },
    { rua: 'mailto:a@b.co' },
    { pct: -1 },
    { pct: 101 },
    { pct: 0.5 },
  ])('may not be %j', (fields) => {
    expect(issuesOf(fields)).toEqual(Object.keys(fields))
  })
})
