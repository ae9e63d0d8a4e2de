import { expect, it } from 'vitest'
import { readConfig } from '../src/platform/config.ts'

const env = {
  DATABASE_URL: 'postgres://x@localhost/x',
  IDP_ISSUER: 'http://idp.test/',
  IDP_AUDIENCE: 'a',
}
const servers = (value: string) => readConfig({ ...env, DNS_SERVERS: value }).dns.servers

it('takes resolvers as addresses, with or without a port, and none for those of the machine', () => {
  expect(readConfig(env).dns.servers).toEqual([])
  expect(servers('192.0.2.53, 192.0.2.54:5353,2001:db8::53,[2001:db8::53]:5353')).toEqual([
    '192.0.2.53',
    '192.0.2.54:5353',
    '2001:db8::53',
    '[2001:db8::53]:5353',
  ])
})

it.each([
  'dns.example',
  'localhost:53',
  '192.0.2.53:99999',
  '192.0.2.300',
  '[192.0.2.1]:53',
  '192.0.2.1,dns.example',
])('refuses %s', (value) => {
  expect(() => servers(value)).toThrow('DNS_SERVERS: holds something that is no IP address')
})
