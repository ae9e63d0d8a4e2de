import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownServerOf, sourceOf } from '../src/rpc/own-servers.ts'
import { limitedAddress, limitedNetwork } from '../src/rpc/visitor-address.ts'

const secrets = {
  booking: { url: null, appSecret: 'the secret of the booking app 1234' },
  appSecrets: {
    portal: 'the secret of the portal 12345678',
    operator: 'the secret of the operator portal',
  },
}
const noSecrets = {
  booking: { url: null, appSecret: null },
  appSecrets: { portal: null, operator: null },
}

type Requested = Parameters<typeof limitedAddress>[0]
const requestWith = (
  headers: Record<string, string>,
  { hops = 0, peerIp = '203.0.113.7' }: { hops?: number; peerIp?: string | null } = {},
): Requested => ({
  services: { config: { ...secrets, trustedProxyHops: hops } },
  request: { header: (name: string) => headers[name], peerIp } as Requested['request'],
})
const app = { 'x-atrium-booking-app': secrets.booking.appSecret }

describe('the requests of a visitor', () => {
  it.each<[string, Record<string, string>, Parameters<typeof requestWith>[1], string]>([
    [
      'the socket, when nobody is trusted',
      { 'x-forwarded-for': '198.51.100.1' },
      {},
      '203.0.113.7',
    ],
    [
      'the leftmost of the booking app',
      { ...app, 'x-forwarded-for': '198.51.100.1, 10.0.0.1' },
      {},
      '198.51.100.1',
    ],
    [
      'the entry of the one trusted proxy',
      { 'x-forwarded-for': '6.6.6.6, 198.51.100.1' },
      { hops: 1 },
      '198.51.100.1',
    ],
    [
      'the entry of the outer of two',
      { 'x-forwarded-for': '6.6.6.6, 198.51.100.1, 10.0.0.1' },
      { hops: 2 },
      '198.51.100.1',
    ],
    [
      'what there is, when there are fewer',
      { 'x-forwarded-for': '198.51.100.1' },
      { hops: 2 },
      '198.51.100.1',
    ],
    ['the socket, when a trusted proxy reports nothing', {}, { hops: 1 }, '203.0.113.7'],
    [
      'the socket, for what is no address',
      { ...app, 'x-forwarded-for': 'localhost' },
      {},
      '203.0.113.7',
    ],
    [
      'the network of an IPv6 address',
      { ...app, 'x-forwarded-for': '2001:DB8:0:7:1:2:3:4' },
      {},
      '2001:db8:0:7::/64',
    ],
    [
      'the same network, written shorter',
      { ...app, 'x-forwarded-for': '[2001:db8:0:7::9]:443' },
      {},
      '2001:db8:0:7::/64',
    ],
    [
      'the same network, in brackets without a port',
      { ...app, 'x-forwarded-for': '[2001:db8:0:7::9]' },
      {},
      '2001:db8:0:7::/64',
    ],
    [
      'the same network, with a dotted end',
      { ...app, 'x-forwarded-for': '2001:db8:0:7::ffff:1.2.3.4' },
      {},
      '2001:db8:0:7::/64',
    ],
    [
      'a network whose zeros are left out before a dotted end',
      { ...app, 'x-forwarded-for': '2001:db8::7:1:2:1.2.3.4' },
      {},
      '2001:db8:0:7::/64',
    ],
    ['an address without its zone', {}, { peerIp: 'fe80::1%eth0' }, 'fe80:0:0:0::/64'],
    [
      'an IPv4 address in an IPv6 one',
      { ...app, 'x-forwarded-for': '::FFFF:198.51.100.1' },
      {},
      '198.51.100.1',
    ],
    [
      'an IPv4 address that a socket shows as IPv6',
      {},
      { peerIp: '::ffff:192.0.2.1' },
      '192.0.2.1',
    ],
    ['the loopback', { ...app, 'x-forwarded-for': '::1' }, {}, '0:0:0:0::/64'],
    ['something, without any', {}, { peerIp: null }, 'unknown'],
  ])('are counted by %s', (_name, headers, options, expected) => {
    expect(limitedAddress(requestWith(headers, options))).toBe(expected)
  })

  it('are counted by /64 and /48, however the address is written', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const plain = groups.map((value) => value.toString(16))
        const padded = plain.map((text) => text.padStart(4, '0').toUpperCase()).join(':')
        // The WHATWG URL parser writes the longest run of zeros as `::`.
        const shortened = new URL(`http://[${plain.join(':')}]`).hostname.slice(1, -1)
        for (const written of [plain.join(':'), padded, shortened]) {
          const requested = requestWith({}, { peerIp: written })
          expect(limitedAddress(requested)).toBe(`${plain.slice(0, 4).join(':')}::/64`)
          expect(limitedNetwork(requested)).toBe(`${plain.slice(0, 3).join(':')}::/48`)
        }
      }),
    )
  })

  it('from IPv4, or from nowhere, belong to no network that one customer is given', () => {
    expect(limitedNetwork(requestWith({}))).toBeUndefined()
    expect(limitedNetwork(requestWith({}, { peerIp: null }))).toBeUndefined()
  })
})

describe('one of our servers', () => {
  const { booking, appSecrets } = secrets
  it.each([
    ['the booking app', { 'x-atrium-booking-app': booking.appSecret }, 'booking'],
    ['the customer portal', { 'x-atrium-app-secret': appSecrets.portal }, 'portal'],
    ['the operator portal', { 'x-atrium-app-secret': appSecrets.operator }, 'operator'],
    ['none without a secret', {}, undefined],
    ['none with an empty secret', { 'x-atrium-app-secret': '' }, undefined],
    ['none with a longer secret', { 'x-atrium-app-secret': `${appSecrets.portal}x` }, undefined],
    ['none with another secret', { 'x-atrium-app-secret': 'x'.repeat(33) }, undefined],
    ['none with the booking app’s', { 'x-atrium-app-secret': booking.appSecret }, undefined],
    ['none with the portal’s', { 'x-atrium-booking-app': appSecrets.portal }, undefined],
  ])('is known by its secret: %s', (_name, headers: Record<string, string>, server) => {
    expect(ownServerOf(secrets, (name) => headers[name])).toBe(server)
  })

  it('is unknown where the installation has no secrets, whatever a client sends', () => {
    for (const sent of ['', 'null', 'undefined', 'secret'])
      expect(ownServerOf(noSecrets, () => sent)).toBeUndefined()
  })

  it.each([
    ['portal', 'partner', 'partner'],
    ['portal', 'portal', 'portal'],
    ['portal', 'operator', 'portal'],
    ['portal', undefined, 'portal'],
    ['operator', 'portal', 'operator'],
    ['operator', 'operator', 'operator'],
    ['booking', 'job', 'booking'],
    [undefined, 'operator', 'api'],
    [undefined, undefined, 'api'],
  ] as const)('%s may report the app %s: recorded is %s', (server, reported, source) => {
    expect(sourceOf(server, reported)).toBe(source)
  })
})
