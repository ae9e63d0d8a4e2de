import { checkText, writeCheckText } from '@atrium/core/mail/check-text'
import type { Ask, DnsAnswer } from '@atrium/core/mail/dns-answers'
import { isSpf, isSpfText, parseSpf } from '@atrium/core/mail/spf'
import { compareSpf as compare } from '@atrium/core/mail/spf-check'
import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { inEnglish } from './check-texts.ts'

const domain = 'acme.example'
const host = 'mail.host.example'
const expected = 'v=spf1 mx -all'

/** DNS made of a table; what is not in it does not exist. */
function dns(table: Record<string, readonly string[] | DnsAnswer>): Ask {
  return (type, name) => {
    const entry = table[`${type} ${name}`]
    if (entry === undefined) return { state: 'absent', nonexistent: true }
    return 'state' in entry ? entry : { state: 'found', values: entry }
  }
}

const compareSpf = (request: Parameters<typeof compare>[0]) => inEnglish(compare(request))

const addresses = { [`A ${host}`]: ['192.0.2.10'], [`AAAA ${host}`]: ['2001:db8::10'] }
const judge = (
  texts: readonly string[],
  more: Record<string, readonly string[] | DnsAnswer> = {},
  senders = [host],
) =>
  compareSpf({
    domain,
    expected,
    senders,
    ask: dns({ ...addresses, [`TXT ${domain}`]: texts, ...more }),
  })

describe('parseSpf', () => {
  it.each([
    ['v=spf1 -all', 1],
    ['v=spf1', 0],
    ['V=SPF1 MX ~ALL', 2],
    ['v=spf1  a:host.example/24//64 mx/30 ?all', 3],
    [
      'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 include:_spf.example exists:%{i}.x.example ptr -all',
      6,
    ],
    ['v=spf1 mx redirect=other.example unknown=value', 1],
    ['v=spf1 ip4:192.0.2.10/32 ip6:2001:db8::10/128 a/32//128 mx//0 -all', 5],
    ['v=spf1 ptr:host.example. exp=why.example -all', 2],
  ])('reads %s', (text, terms) => {
    expect(parseSpf(text).record?.terms).toHaveLength(terms)
  })

  it.each([
    ['v=spf1 mx all -al', '“-al” is not an SPF mechanism'],
    ['v=spf1 192.0.2.1 -all', 'needs “ip4:”'],
    ['v=spf1 ip4:192.0.2.256 -all', 'no IPv4 network'],
    ['v=spf1 ip4:192.0.2.0/33', 'no IPv4 network'],
    ['v=spf1 ip4:10.1 -all', 'no IPv4 network'],
    ['v=spf1 ip6:192.0.2.1', 'no IPv6 network'],
    ['v=spf1 include: -all', 'names no domain'],
    ['v=spf1 include -all', 'names no domain'],
    ['v=spf1 a/33', 'cannot be read'],
    ['v=spf1 mx//129', 'cannot be read'],
    ['v=spf1 a:-host.example', 'cannot be read'],
    ['v=spf1 ptr:', 'cannot be read'],
    ['v=spf1 ip6:2001:db8::/129', 'no IPv6 network'],
    [`v=spf1 include:${'a'.repeat(250)}.com`, 'names no domain'],
    ['v=spf1 redirect= -all', 'names no domain'],
    ['v=spf1 exp=a.example exp=b.example', 'appears twice'],
    ['v=spf1 mx: -all', 'cannot be read'],
    ['v=spf1 -all:x', 'cannot be read'],
    ['v=spf1 redirect=a.example redirect=b.example', 'appears twice'],
    ['v=spf10 -all', 'does not start'],
  ])('finds the fault of %s', (text, fault) => {
    const found = parseSpf(text).fault
    expect(found && writeCheckText(found, 'en')).toContain(fault)
  })

  it('tells SPF from what only looks like it', () => {
    expect([
      isSpf('v=spf1 -all'),
      isSpf('v=spf1'),
      isSpf('v=spf10 -all'),
      isSpf('"v=spf1 -all"'),
    ]).toEqual([true, true, false, false])
    expect(['"v=spf1 -all"', 'v = spf1 mx', 'spf1 mx', 'v=spf 1'].map(isSpfText)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(['v=spf1 -all', 'google-site-verification=x', 'spfx'].map(isSpfText)).toEqual([
      false,
      false,
      false,
    ])
  })

  property.prop([fc.string({ unit: 'binary' })])('never throws', (text) => {
    const { record, fault } = parseSpf(`v=spf1 ${text}`)
    expect(record === undefined).toBe(fault !== undefined)
  })

  property.prop([
    fc.array(
      fc.constantFrom(
        'mx',
        'a',
        '-ip4:192.0.2.0/24',
        '~all',
        'ip6:2001:db8::/32',
        '?include:x.example',
        'exists:%{i}.y',
        'redirect=z.example',
      ),
      { maxLength: 6 },
    ),
  ])('reads what is made of its own parts, in their order', (parts) => {
    fc.pre(parts.filter((part) => part.startsWith('redirect')).length < 2)
    const text = `v=spf1 ${parts.join(' ')}`
    expect(parseSpf(text).record?.terms.map((term) => term.text)).toEqual(
      parts.filter((part) => !part.startsWith('redirect')),
    )
  })
})

describe('compareSpf', () => {
  it.each<[string, Record<string, readonly string[]>]>([
    ['v=spf1 mx -all', {}],
    ['V=spf1 MX -ALL', {}],
    ['v=spf1 a:mail.host.example -all', {}],
    ['v=spf1 ip4:192.0.2.0/28 ip6:2001:db8::/64 -all', {}],
    [
      'v=spf1 include:_spf.host.example -all',
      { 'TXT _spf.host.example': ['v=spf1 a:mail.host.example -all', 'something else'] },
    ],
    [
      'v=spf1 include:_spf.host.example -all',
      {
        'TXT _spf.host.example': ['v=spf1 redirect=other.example'],
        'TXT other.example': ['v=spf1 ip4:192.0.2.10 ip6:2001:db8::10 -all'],
      },
    ],
    ['v=spf1 redirect=other.example', { 'TXT other.example': ['v=spf1 a:mail.host.example -all'] }],
    [
      'v=spf1 a:near.example/24//32 -all',
      { 'A near.example': ['192.0.2.200'], 'AAAA near.example': ['2001:db8:ffff::1'] },
    ],
    ['v=spf1 mx:other.example -all', { 'MX other.example': ['10 mail.host.example'] }],
    ['v=spf1 exists:%{i}.list.example mx -all', {}],
    // RFC 7208 section 6.1: `all` makes a redirect moot.
    ['v=spf1 mx -all redirect=gone.example', {}],
  ])('is ok with %s', (text, more) => {
    expect(judge([text], more)).toEqual({ verdict: 'ok', reason: null })
  })

  it.each<[string, string, Record<string, readonly string[]>]>([
    ['v=spf1 -all', 'Publish: v=spf1 mx -all', {}],
    [
      'v=spf1 include:_spf.other.example ~all',
      'Publish: v=spf1 mx include:_spf.other.example ~all',
      { 'TXT _spf.other.example': ['v=spf1 ip4:198.51.100.0/24 -all'] },
    ],
    ['v=spf1 ip4:192.0.2.10 -all', 'mail.host.example (2001:db8::10) send: the result is fail', {}],
    ['v=spf1 -mx a:mail.host.example -all', 'the result is fail', {}],
    ['v=spf1 ?mx -all', 'the result is neutral', {}],
    ['v=spf1 ~mx -all', 'the result is softfail', {}],
    [
      'v=spf1 include:soft.example',
      'the result is neutral',
      { 'TXT soft.example': ['v=spf1 ~mx'] },
    ],
    ['v=spf1 a -all', '(2001:db8::10) send', { 'A acme.example': ['192.0.2.10'] }],
    [
      'v=spf1 mx:other.example -all',
      'the result is fail',
      { 'MX other.example': ['10 x.example'] },
    ],
    ['v=spf1 mx +all', 'lets everyone send', {}],
    ['v=spf1 mx', 'End it with -all', {}],
    ['v=spf1 mx ?all', 'End it with -all', {}],
    ['v=spf1 mx include:gone.example -all', 'gone.example, which has no SPF record', {}],
    [
      'v=spf1 mx include:two.example -all',
      'has 2 SPF records',
      { 'TXT two.example': ['v=spf1 -all', 'v=spf1 mx -all'] },
    ],
    [
      'v=spf1 mx include:bad.example -all',
      'whose SPF record cannot be read',
      { 'TXT bad.example': ['v=spf1 nonsense'] },
    ],
    [
      'v=spf1 mx include:loop.example -all',
      'includes itself',
      { 'TXT loop.example': ['v=spf1 include:acme.example -all'] },
    ],
    ['v=spf1 mx include:acme.example -all', 'includes itself', {}],
  ])('tells what is wrong with %s', (text, reason, more) => {
    const compared = judge([text], more)
    expect(compared).toMatchObject({ verdict: 'mismatch', reason: expect.stringContaining(reason) })
  })

  it('says which domains a loop goes through', () => {
    const loop = { 'TXT loop.example': ['v=spf1 redirect=acme.example'] }
    expect(judge(['v=spf1 mx include:loop.example -all'], loop).reason).toBe(
      'The record includes itself, by way of acme.example, loop.example, acme.example.',
    )
  })

  it('puts in front what is missing, and nothing twice', () => {
    const requested = 'v=spf1 mx a:second.example include:third.example ~all'
    const repaired = (text: string) => {
      const ask = dns({ ...addresses, [`TXT ${domain}`]: [text] })
      return compareSpf({ domain, expected: requested, senders: [host], ask }).reason
    }
    expect(repaired('v=spf1 a:second.example -all')).toMatch(
      /Publish: v=spf1 mx include:third\.example a:second\.example -all$/,
    )
    expect(repaired('v=spf1')).toMatch(
      /Publish: v=spf1 mx a:second\.example include:third\.example$/,
    )
    expect(repaired(`v=spf1 -a:${host} mx a:second.example`)).toMatch(
      /Publish: v=spf1 include:third\.example -a:mail\.host\.example mx a:second\.example$/,
    )
  })

  it('proposes what is expected where all of it is there but does not count', () => {
    expect(judge([`v=spf1 -a:${host} mx -all`]).reason).toMatch(/Publish: v=spf1 mx -all$/)
  })

  describe('a sender without an address in DNS', () => {
    const judgeBare = (text: string, more: Record<string, readonly string[]> = {}) =>
      compareSpf({
        domain,
        expected,
        senders: [host],
        ask: dns({ [`TXT ${domain}`]: [text], ...more }),
      })

    it.each(['v=spf1 mx -all', `v=spf1 a:${host} -all`, 'v=spf1 include:_spf.host.example -all'])(
      'is allowed by its name: %s',
      (text) => {
        expect(judgeBare(text, { 'TXT _spf.host.example': [`v=spf1 a:${host}`] }).verdict).toBe(
          'ok',
        )
      },
    )

    it.each([
      'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all',
      'v=spf1 a:other.example -all',
      'v=spf1 mx:other.example -all',
    ])('is rejected by name: %s', (text) => {
      const other = { 'A other.example': ['192.0.2.10'], 'MX other.example': ['10 x.example'] }
      expect(judgeBare(text, other)).toMatchObject({
        verdict: 'mismatch',
        reason: expect.stringContaining(
          'It does not let mail.host.example send: the result is fail.',
        ),
      })
    })
  })

  it('knows networks of either kind from the other', () => {
    expect(judge(['v=spf1 ip4:192.0.2.10 -all']).reason).toContain('(2001:db8::10)')
    expect(judge(['v=spf1 ip6:2001:db8::10 -all']).reason).toContain('(192.0.2.10)')
  })

  it.each([
    'a:h$.example',
    'mx:h$.example',
    'exists:h$.example',
    'ptr:h$.example',
    'include:h$.example',
  ])('counts %s as a query', (term) => {
    const names = Array.from({ length: 10 }, (_, i) => `h${i}.example`)
    const found = Object.fromEntries(
      names.flatMap((name) => [
        [`TXT ${name}`, ['v=spf1 ?all']],
        [`A ${name}`, ['198.51.100.1']],
        [`AAAA ${name}`, ['2001:db8:1::1']],
        [`MX ${name}`, ['10 x.example']],
      ]),
    )
    const record = (n: number) =>
      `v=spf1 mx ${names
        .slice(0, n)
        .map((_, i) => term.replace('$', String(i)))
        .join(' ')} -all`
    expect(judge([record(9)], found).verdict).toBe('ok')
    expect(judge([record(10)], found).reason).toContain('more than 10 DNS queries')
  })

  it('counts a redirect and what is behind it', () => {
    const behind = (n: number) => ({
      'TXT other.example': [
        `v=spf1 a:${host} ${Array.from({ length: n }, (_, i) => `a:h${i}.example`).join(' ')} -all`,
      ],
    })
    expect(judge(['v=spf1 redirect=other.example'], behind(8)).verdict).toBe('ok')
    expect(judge(['v=spf1 redirect=other.example'], behind(9)).reason).toContain('10 DNS queries')
    // Beside `all` it costs nothing.
    expect(judge(['v=spf1 mx -all redirect=other.example'], behind(20)).verdict).toBe('ok')
  })

  it('counts the queries of what is included: ten are allowed, eleven are not', () => {
    const nested = (n: number) => ({
      'TXT nest.example': [
        `v=spf1 ${Array.from({ length: n }, (_, i) => `a:h${i}.example`).join(' ')} -all`,
      ],
    })
    expect(judge(['v=spf1 mx include:nest.example -all'], nested(8)).verdict).toBe('ok')
    expect(judge(['v=spf1 mx include:nest.example -all'], nested(9))).toMatchObject({
      verdict: 'mismatch',
      reason: expect.stringContaining('more than 10 DNS queries'),
    })
  })

  it('rejects two records, and says what only looks like one', () => {
    expect(judge(['v=spf1 mx -all', 'v=spf1 -all']).reason).toContain('There are 2 SPF records')
    expect(judge(['"v=spf1 mx -all"'])).toMatchObject({
      verdict: 'mismatch',
      reason: expect.stringContaining('without quotation marks'),
    })
    expect(judge(['unrelated'])).toEqual({ verdict: 'missing', reason: null })
  })

  it('is unknown, never missing, while DNS does not tell', () => {
    const broken: DnsAnswer = { state: 'unknown', reason: checkText('dns.busy') }
    expect(
      compareSpf({ domain, expected, senders: [host], ask: dns({ [`TXT ${domain}`]: broken }) }),
    ).toEqual({
      verdict: 'unknown',
      reason: 'Too many of our own DNS queries are waiting.',
    })
    expect(
      judge(['v=spf1 include:far.example mx -all'], { 'TXT far.example': broken }).verdict,
    ).toBe('unknown')
    expect(judge(['v=spf1 exists:%{i}.list.example -all']).verdict).toBe('unknown')
    for (const text of [
      'a:far.example',
      'mx:far.example',
      'a:%{d}.example',
      'include:%{d}.example',
    ]) {
      const far = { 'A far.example': broken, 'AAAA far.example': broken, 'MX far.example': broken }
      expect(judge([`v=spf1 ${text} -all`], far).verdict, text).toBe('unknown')
      // What is not known changes nothing where a later part allows anyway.
      expect(judge([`v=spf1 ${text} a:${host} -all`], far).verdict, text).toBe('ok')
    }
  })

  it.each([
    ['a:far.example', 'The addresses of far.example could not be read.'],
    ['mx:far.example', 'The mail servers of far.example could not be read.'],
    ['mx:near.example', 'The addresses of far.example could not be read.'],
    ['include:far.example', 'The SPF record of far.example could not be read.'],
    ['include:%{d}.example', 'It refers to %{d}.example, which only a receiver can fill in.'],
    ['a:%{d}.example', 'It uses a:%{d}.example, which only a receiver can evaluate.'],
    ['exists:%{i}.example', 'It uses exists:%{i}.example, which only a receiver can evaluate.'],
    ['ptr', 'It uses ptr, which only a receiver can evaluate.'],
    ['-ptr mx', 'It uses -ptr, which only a receiver can evaluate.'],
    ['a:far.example mx:far.example', 'The addresses of far.example could not be read.'],
    ['mx:far.example a:far.example', 'The mail servers of far.example could not be read.'],
    ['include:far.example ptr', 'The SPF record of far.example could not be read.'],
    ['ptr exists:%{i}.example', 'It uses ptr, which only a receiver can evaluate.'],
    [
      'mx include:far.example',
      'The SPF record of far.example, which is included, could not be read.',
    ],
    [
      'mx include:near.example',
      'The SPF record of far.example, which is included, could not be read.',
    ],
    [
      'mx include:far.example include:farther.example',
      'The SPF record of far.example, which is included, could not be read.',
    ],
    [
      'mx include:near.example include:farther.example',
      'The SPF record of far.example, which is included, could not be read.',
    ],
  ])('says what it could not find out with %s', (text, reason) => {
    const broken: DnsAnswer = { state: 'unknown', reason: checkText('dns.busy') }
    const silent = Object.fromEntries(
      ['far.example', 'farther.example'].flatMap((name) =>
        ['A', 'AAAA', 'MX', 'TXT'].map((type) => [`${type} ${name}`, broken]),
      ),
    )
    const near = {
      'MX near.example': ['10 x.example', '20 far.example'],
      'TXT near.example': ['v=spf1 include:far.example'],
    }
    expect(judge([`v=spf1 ${text} -all`], { ...silent, ...near })).toEqual({
      verdict: 'unknown',
      reason,
    })
  })

  it('shows the beginning of a long text that only looks like SPF', () => {
    const long = `"v=spf1 ${'a:x.example '.repeat(20)}"`
    expect(judge([long]).reason).toContain(`“${long.slice(0, 80)}”`)
  })

  it('passes on a fault of its own', () => {
    const ask: Ask = (type, name) => {
      if (type === 'A') throw new Error(`no ${name}`)
      return { state: 'found', values: ['v=spf1 mx -all'] }
    }
    expect(() => compareSpf({ domain, expected, senders: [host], ask })).toThrow(`no ${host}`)
  })

  it('is content with ~all and says what -all would do', () => {
    expect(judge(['v=spf1 mx ~all'])).toMatchObject({
      verdict: 'ok',
      reason: expect.stringContaining('~all'),
    })
  })

  property.prop([
    fc.array(
      fc.constantFrom(
        'mx',
        '-mx',
        'a',
        'include:a.example',
        'include:b.example',
        '~all',
        '-all',
        'ptr',
        'exists:%{i}.x',
        'ip4:192.0.2.10',
        'redirect=b.example',
        'zzz',
      ),
      { maxLength: 7 },
    ),
    fc.array(
      fc.constantFrom('include:a.example', 'include:b.example', 'mx', '-all', 'redirect=a.example'),
      { maxLength: 5 },
    ),
  ])(
    'ends with a verdict and a bounded number of questions, whatever refers to whatever',
    (own, other) => {
      const asked = new Set<string>()
      const answers = dns({
        ...addresses,
        [`TXT ${domain}`]: [`v=spf1 ${own.join(' ')}`],
        'TXT a.example': [`v=spf1 ${other.join(' ')}`],
        'TXT b.example': [`v=spf1 include:a.example ${other.join(' ')}`],
      })
      const ask: Ask = (type, name) => {
        asked.add(`${type} ${name}`)
        return answers(type, name)
      }
      expect(['ok', 'mismatch', 'unknown']).toContain(
        compareSpf({ domain, expected, senders: [host], ask }).verdict,
      )
      expect(asked.size).toBeLessThan(30)
    },
  )
})
