import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { allowlistAdmits, canonicalAllowlist } from '../../src/security-policy/ip-allowlist.ts'

const entriesOf = (...texts: string[]) => {
  const read = canonicalAllowlist(texts)
  if ('issues' in read) throw new Error(JSON.stringify(read.issues))
  return read.entries
}
const faultOf = (text: string) => {
  const read = canonicalAllowlist([text])
  return 'issues' in read ? read.issues[0]?.message : undefined
}

describe('an entry of an allowlist', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7/32 ', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['2001:0db8::/32', '2001:db8::/32'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['127.0.0.1', '127.0.0.1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
  ])('reads %j as %s', (text, canonical) => expect(entriesOf(text)).toEqual([canonical]))

  it.each([
    ['', /not an address/],
    ['office', /not an address/],
    ['203.0.113.7/', /prefix length/],
    ['203.0.113.0/33', /0 to 32/],
    ['203.0.113.0/-1', /prefix length/],
    ['203.0.113.0/2 4', /prefix length/],
    ['203.0.113.0/+24', /prefix length/],
    ['203.0.113.0/24e0', /prefix length/],
    ['203.0.113.0/255.255.255.0', /prefix length/],
    ['203.0.113.0/24/24', /not an address|four numbers/],
    ['2001:db8::/129', /0 to 128/],
    ['203.0.113', /four numbers/],
    ['203.0.113.256', /four numbers/],
    ['010.0.0.1', /four numbers/],
    ['0x7f.0.0.1', /not an address/],
    ['2130706433', /four numbers/],
    ['2001:db8:::1', /not an address/],
    ['fe80::1%eth0', /zone/],
    ['0.0.0.0/0', /everyone/],
    ['::/0', /everyone/],
    ['::ffff:0.0.0.0/96', /everyone/],
    ['::ffff:0.0.0.0/64', /prefix length|bits/i],
    ['0.0.0.0', /unspecified/],
    ['224.0.0.1', /multicast/],
    ['255.255.255.255', /broadcast/],
    ['ff02::1', /multicast/],
  ])('refuses %j with the reason', (text, reason) => expect(faultOf(text)).toMatch(reason))

  it('names the network and the address when bits stand behind the prefix', () => {
    expect(faultOf('203.0.113.9/24')).toBe(
      'Bits are set behind the prefix. Write 203.0.113.0/24 for the network, or 203.0.113.9 for the address.',
    )
    expect(faultOf('2001:db8::1/64')).toContain('2001:db8::/64')
  })
})

describe('an allowlist', () => {
  it('drops what lies within another entry and says so', () => {
    const read = canonicalAllowlist([
      '203.0.113.7',
      '2001:db8::/32',
      '203.0.113.0/24',
      '203.0.113.0/24',
      '2001:db8:1::/48',
    ])
    expect(read).toEqual({
      entries: ['203.0.113.0/24', '2001:db8::/32'],
      warnings: [
        {
          code: 'allowlist_overlap',
          path: 'ipAllowlist.0',
          message: '203.0.113.7 lies within 203.0.113.0/24 and was left out.',
        },
        {
          code: 'allowlist_overlap',
          path: 'ipAllowlist.3',
          message: '203.0.113.0/24 is in the list twice; one is kept.',
        },
        {
          code: 'allowlist_overlap',
          path: 'ipAllowlist.4',
          message: '2001:db8:1::/48 lies within 2001:db8::/32 and was left out.',
        },
      ],
    })
  })

  it('keeps the wider of two networks that begin with the same address, in either order', () => {
    const [wide, narrow] = ['10.0.0.0/8', '10.0.0.0/24']
    const message = `${narrow} lies within ${wide} and was left out.`
    for (const list of [
      [wide, narrow],
      [narrow, wide],
    ]) {
      expect(canonicalAllowlist(list)).toEqual({
        entries: [wide],
        warnings: [
          { code: 'allowlist_overlap', path: `ipAllowlist.${list.indexOf(narrow)}`, message },
        ],
      })
    }
  })

  it('has IPv4 before IPv6, each in numerical order', () => {
    const ordered = [
      '9.255.255.255',
      '10.0.0.0/24',
      '10.0.1.0/24',
      '203.0.113.7',
      '::1',
      '900::/16',
      '2001:db8::/32',
      '2001:db9::1',
    ]
    expect(entriesOf(...ordered)).toEqual(ordered)
    expect(entriesOf(...ordered.toReversed())).toEqual(ordered)
    expect(
      entriesOf(...ordered.filter((_, n) => n % 2), ...ordered.filter((_, n) => n % 2 === 0)),
    ).toEqual(ordered)
  })

  it('does not take an IPv6 network for an IPv4 one of the same length and bytes', () => {
    expect(entriesOf('32.0.0.0/8', '2000::/8')).toEqual(['32.0.0.0/8', '2000::/8'])
    expect(allowlistAdmits(['32.0.0.0/8'], '2000::1')).toBe(false)
    expect(allowlistAdmits(['2000::/8'], '32.0.0.1')).toBe(false)
  })

  it('lets nobody in by an entry that cannot be read, and goes on with the others', () => {
    const entries = ['nonsense', '203.0.113.9/24', '198.51.100.7']
    expect(allowlistAdmits(entries, '198.51.100.7')).toBe(true)
    expect(allowlistAdmits(entries, '203.0.113.9')).toBe(false)
  })

  it('names every entry that is wrong by its place', () => {
    expect(canonicalAllowlist(['203.0.113.7', 'x', '10.0.0.1/8'])).toMatchObject({
      issues: [{ path: 'ipAllowlist.1' }, { path: 'ipAllowlist.2' }],
    })
  })

  it('lets in whom it names, an IPv4 client also when its address comes mapped', () => {
    const entries = ['203.0.113.0/24', '2001:db8::/32']
    for (const ip of ['203.0.113.200', '::ffff:203.0.113.200', '2001:db8:ffff::1'])
      expect(allowlistAdmits(entries, ip), ip).toBe(true)
    for (const ip of ['203.0.114.1', '2001:db9::1', '::1', 'nonsense'])
      expect(allowlistAdmits(entries, ip), ip).toBe(false)
    expect(allowlistAdmits([], '198.51.100.1')).toBe(true)
  })

  const network = fc
    .tuple(fc.nat(0xffffffff), fc.integer({ min: 8, max: 32 }))
    .map(([number, bits]) => {
      const low = bits === 32 ? number : ((number >>> (32 - bits)) << (32 - bits)) >>> 0
      return {
        low,
        bits,
        text: `${[24, 16, 8, 0].map((shift) => (low >>> shift) & 255).join('.')}/${bits}`,
      }
    })
  const usable = network.filter(({ low, bits }) => low >>> 24 < 224 && low >>> 24 > 0 && bits > 0)

  test.prop([fc.array(usable, { minLength: 1, maxLength: 12 }), fc.nat(0xffffffff)])(
    'admits the same addresses before and after it was made canonical, and stays as it is the second time',
    (networks, client) => {
      const canonical = entriesOf(...networks.map(({ text }) => text))
      const within = networks.some(({ low, bits }) =>
        bits === 32 ? client === low : (client ^ low) >>> (32 - bits) === 0,
      )
      const ip = [24, 16, 8, 0].map((shift) => (client >>> shift) & 255).join('.')
      expect(allowlistAdmits(canonical, ip)).toBe(within)
      for (const { low, text } of networks)
        expect(
          allowlistAdmits(
            canonical,
            [24, 16, 8, 0].map((shift) => (low >>> shift) & 255).join('.'),
          ),
          text,
        ).toBe(true)
      expect(canonicalAllowlist(canonical)).toEqual({ entries: canonical, warnings: [] })
    },
  )
})
