import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import { checkText } from '@atrium/core/mail/check-text'
import { dnsResolver } from '@atrium/integrations/dns/resolver'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
beforeEach(() => {
  sandbox.reset()
  sandbox.dns.zones.put('acme.example', [
    { name: 'acme.example', type: 'MX', value: '20 Backup.host.example' },
    { name: 'acme.example', type: 'MX', value: '10 mail.host.example' },
    { name: 'acme.example', type: 'TXT', value: 'v=spf1 mx -all' },
    { name: 'acme.example', type: 'TXT', value: 'täxt' },
    { name: 'long.acme.example', type: 'TXT', value: `v=DKIM1; p=${'A'.repeat(3_000)}` },
    { name: 'alias.acme.example', type: 'CNAME', value: 'next.acme.example' },
    { name: 'next.acme.example', type: 'CNAME', value: 'key.host.example' },
    { name: 'away.acme.example', type: 'CNAME', value: 'nowhere.example.net' },
    { name: 'loop.acme.example', type: 'CNAME', value: 'pool.acme.example' },
    { name: 'pool.acme.example', type: 'CNAME', value: 'loop.acme.example' },
    { name: '_imaps._tcp.acme.example', type: 'SRV', value: '0 1 993 mail.host.example' },
  ])
  sandbox.dns.zones.put('host.example', [
    { name: 'key.host.example', type: 'TXT', value: 'v=DKIM1; p=AAAA' },
    { name: 'mail.host.example', type: 'A', value: '192.0.2.10' },
    { name: 'mail.host.example', type: 'AAAA', value: '2001:db8::10' },
  ])
})

const resolver = (options: Partial<Parameters<typeof dnsResolver>[0]> = {}) =>
  dnsResolver({
    servers: [sandbox.dnsServer],
    queryMs: 200,
    tries: 1,
    deadlineMs: 3_000,
    ...options,
  })

describe('live DNS', () => {
  it.each([
    ['MX', 'acme.example', ['10 mail.host.example', '20 backup.host.example']],
    ['TXT', 'acme.example', ['v=spf1 mx -all', 'täxt']],
    ['TXT', 'long.acme.example', [`v=DKIM1; p=${'A'.repeat(3_000)}`]],
    ['TXT', 'alias.acme.example', ['v=DKIM1; p=AAAA']],
    ['CNAME', 'alias.acme.example', ['next.acme.example']],
    ['SRV', '_imaps._tcp.acme.example', ['0 1 993 mail.host.example']],
    ['A', 'mail.host.example', ['192.0.2.10']],
    ['AAAA', 'mail.host.example', ['2001:db8::10']],
  ] as const)('reads %s of %s', async (type, name, values) => {
    expect(await resolver().lookup(type, name)).toEqual({ state: 'found', values })
  })

  it('cuts a value at 4,096 characters', async () => {
    sandbox.dns.zones.put('flood.example', [
      { name: 'flood.example', type: 'TXT', value: `x${'\t'.repeat(60_000)}y` },
    ])
    expect(await resolver().lookup('TXT', 'flood.example')).toEqual({
      state: 'found',
      values: [`x${'\t'.repeat(4_095)}`],
    })
  })

  it('reads 200 records of a name, and says so when there are more', async () => {
    const records = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: 'many.example',
        type: 'TXT' as const,
        value: `code-${index}`,
      }))
    sandbox.dns.zones.put('many.example', records(200))
    expect(await resolver().lookup('TXT', 'many.example')).toMatchObject({
      state: 'found',
      values: { length: 200 },
    })
    sandbox.dns.zones.put('many.example', records(201))
    expect(await resolver().lookup('TXT', 'many.example')).toEqual({
      state: 'unknown',
      reason: checkText('dns.tooManyRecords', { most: 200, type: 'TXT', name: 'many.example' }),
    })
  })

  it('tells an absent record from an absent name', async () => {
    expect(await resolver().lookup('TXT', 'mail.host.example')).toEqual({
      state: 'absent',
      nonexistent: false,
    })
    expect(await resolver().lookup('TXT', '_tcp.acme.example')).toEqual({
      state: 'absent',
      nonexistent: false,
    })
    expect(await resolver().lookup('TXT', 'none.acme.example')).toEqual({
      state: 'absent',
      nonexistent: true,
    })
    expect(await resolver().lookup('TXT', 'away.acme.example')).toEqual({
      state: 'absent',
      nonexistent: true,
    })
  })

  it('sees a changed zone at once', async () => {
    const dns = resolver()
    expect((await dns.lookup('A', 'mail.host.example')).state).toBe('found')
    sandbox.dns.zones.put('host.example', [
      { name: 'mail.host.example', type: 'A', value: '192.0.2.99' },
    ])
    expect(await dns.lookup('A', 'mail.host.example')).toEqual({
      state: 'found',
      values: ['192.0.2.99'],
    })
    sandbox.dns.zones.remove('host.example')
    expect((await dns.lookup('A', 'mail.host.example')).state).toBe('absent')
  })

  it('comes again over TCP when an answer is cut off', async () => {
    sandbox.fault({ system: 'dns', mode: 'truncated' })
    expect((await resolver().lookup('MX', 'acme.example')).state).toBe('found')
    expect(sandbox.state().dns.calls.map(({ method }) => method)).toEqual(['UDP', 'TCP'])
  })

  it('waits for a slow answer within its deadline', async () => {
    sandbox.fault({ system: 'dns', mode: 'latency', delayMs: 300 })
    expect((await resolver({ queryMs: 1_000 }).lookup('MX', 'acme.example')).state).toBe('found')
  })
})

describe('DNS that fails', () => {
  it.each([
    ['servfail', 'dns.serverFailure'],
    ['error', 'dns.refused'],
    ['timeout', /^dns.noResponse/],
    ['reset', /^dns.noResponse/],
    ['garbage', /^dns.(unreadable|noResponse)/],
  ] as const)('is unknown, never absent: %s', async (mode, reason) => {
    sandbox.fault({ system: 'dns', mode })
    const answer = await resolver().lookup('TXT', 'acme.example')
    expect(answer).toEqual({
      state: 'unknown',
      reason: expect.objectContaining({ key: expect.stringMatching(reason) }),
    })
  })

  it('takes nothing from an answer about another name', async () => {
    sandbox.fault({ system: 'dns', mode: 'shape', match: 'TXT acme.example' })
    const answer = await resolver().lookup('TXT', 'acme.example')
    expect(answer.state).not.toBe('found')
  })

  it('is unknown for aliases that lead in a circle', async () => {
    expect((await resolver().lookup('TXT', 'loop.acme.example')).state).toBe('unknown')
  })

  it('is unknown when an alias cannot be followed', async () => {
    sandbox.fault({ system: 'dns', mode: 'servfail', match: 'TXT alias.acme.example' })
    expect((await resolver().lookup('TXT', 'alias.acme.example')).state).toBe('unknown')
  })

  it('is unknown when no server listens', async () => {
    const closed = createSocket('udp4')
    await new Promise<void>((done) => closed.bind(0, '127.0.0.1', done))
    const { port } = closed.address() as AddressInfo
    await new Promise<void>((done) => closed.close(() => done()))
    expect(
      await resolver({ servers: [`127.0.0.1:${port}`] }).lookup('TXT', 'acme.example'),
    ).toMatchObject({ state: 'unknown' })
  })

  it('keeps its own deadline over all tries, and rejects when the caller leaves', async () => {
    sandbox.fault({ system: 'dns', mode: 'timeout' })
    const answer = await resolver({ queryMs: 5_000, deadlineMs: 300 }).lookup('TXT', 'acme.example')
    expect(answer).toEqual({
      state: 'unknown',
      reason: checkText('dns.noResponseWithin', { name: 'acme.example', seconds: 0.3 }),
    })
    await expect(
      resolver({ queryMs: 5_000 }).lookup('TXT', 'acme.example', {
        signal: AbortSignal.timeout(100),
      }),
    ).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  it('lets no more look-ups go out at once than allowed', async () => {
    sandbox.fault({ system: 'dns', mode: 'latency', delayMs: 50 })
    const dns = resolver({ concurrency: 2, queryMs: 1_000 })
    const started = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => dns.lookup('A', 'mail.host.example')),
    )
    expect(answers.every(({ state }) => state === 'found')).toBe(true)
    expect(performance.now() - started).toBeGreaterThan(140)
  })
})

it('rejects a server that is no address', () => {
  expect(() => dnsResolver({ servers: ['dns.example'] })).toThrow()
})
