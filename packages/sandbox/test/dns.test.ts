import { Resolver } from 'node:dns/promises'
import { connect } from 'node:net'
import { parseZone } from '@atrium/sandbox/dns/zone-parser'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import dnsPacket from 'dns-packet'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let sandbox: Sandbox
const resolver = new Resolver({ timeout: 500, tries: 1 })
beforeAll(async () => {
  sandbox = await startSandbox({ mail: { dkimDelayMs: 10 } })
  resolver.setServers([sandbox.dnsServer])
})
afterAll(() => sandbox.close())

const put = (domain: string, body: unknown) =>
  fetch(`${sandbox.controlUrl}/dns/${domain}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('the zone parser', () => {
  it('reads names, brackets, comments, time to live, and blanks in the place of the name', () => {
    const text = `
$ORIGIN acme.example.
$TTL 3600
@           IN MX 10 mail.host.example. ; the mail server
            3600 IN TXT "v=spf1 mx -all"
_dmarc      300 TXT "v=DMARC1; p=none; rua=mailto:a@b.example"
key._domainkey.acme.example. IN TXT (
    "v=DKIM1; k=rsa; "
    "p=AA\\"AA" )
www         CNAME @
_imaps._tcp SRV 0 1 993 mail
txt         TXT in 42 plain
`
    expect(parseZone(text, 'acme.example')).toEqual([
      { name: 'acme.example', type: 'MX', value: '10 mail.host.example' },
      { name: 'acme.example', type: 'TXT', value: 'v=spf1 mx -all' },
      {
        name: '_dmarc.acme.example',
        type: 'TXT',
        value: 'v=DMARC1; p=none; rua=mailto:a@b.example',
      },
      { name: 'key._domainkey.acme.example', type: 'TXT', value: 'v=DKIM1; k=rsa; p=AA"AA' },
      { name: 'www.acme.example', type: 'CNAME', value: 'acme.example' },
      { name: '_imaps._tcp.acme.example', type: 'SRV', value: '0 1 993 mail.acme.example' },
      { name: 'txt.acme.example', type: 'TXT', value: 'in42plain' },
    ])
  })

  it.each([
    ['www', 'has no type'],
    ['www MX', 'has no value'],
    ['www TXT ( "a"', 'bracket is not closed'],
    ['www TXT "a" )', 'closes a bracket'],
    ['www TXT "a', 'cannot be read'],
  ])('says what is wrong with %s', (text, reason) => {
    expect(() => parseZone(text, 'acme.example')).toThrow(reason)
  })

  it('gives back any text that was quoted', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{0,300}$/), (value) => {
        const text = `x TXT "${value.replace(/[\\"]/g, '\\$&')}"\n`
        expect(parseZone(text, 'acme.example')).toEqual([
          { name: 'x.acme.example', type: 'TXT', value },
        ])
      }),
    )
  })
})

describe('zones through the control API', () => {
  it('are served immediately, listed in the state, and gone after removal', async () => {
    expect(
      (
        await put('acme.example', {
          records: [{ name: 'Acme.example.', type: 'mx', value: '10 mail.host.example' }],
        })
      ).status,
    ).toBe(200)
    expect(await resolver.resolveMx('acme.example')).toEqual([
      expect.objectContaining({ priority: 10, exchange: 'mail.host.example' }),
    ])
    const state = (await (await fetch(`${sandbox.controlUrl}/state`)).json()) as {
      dns: { records: { zones: object }; calls: unknown[] }
    }
    expect(state.dns.records.zones).toEqual({
      'acme.example': [{ name: 'acme.example', type: 'MX', value: '10 mail.host.example' }],
    })
    expect(state.dns.calls.at(-1)).toMatchObject({
      method: 'UDP',
      path: 'MX acme.example',
      status: 200,
    })
    expect(
      (await fetch(`${sandbox.controlUrl}/dns/acme.example`, { method: 'DELETE' })).status,
    ).toBe(204)
    await expect(resolver.resolveMx('acme.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(
      (await fetch(`${sandbox.controlUrl}/dns/acme.example`, { method: 'DELETE' })).status,
    ).toBe(404)
  })

  it.each([
    [{ zone: 'acme.example. IN A 999.1.1.1' }, 'no value of a A record'],
    [{ zone: 'acme.example. IN MX ten mail.' }, 'no value of a MX record'],
    [{ zone: 'acme.example. IN NAPTR x' }, 'not NAPTR'],
    [{ nonsense: 1 }, 'not as it should be'],
  ])('refuse %j and keep what was there', async (body, reason) => {
    await put('acme.example', { zone: 'acme.example. IN TXT "kept"' })
    const rejected = await put('acme.example', body)
    expect(rejected.status).toBe(400)
    expect(await rejected.text()).toContain(reason)
    expect(await resolver.resolveTxt('acme.example')).toEqual([['kept']])
  })

  it('take the form of the page for people', async () => {
    const form = (fields: Record<string, string>, site = 'same-origin') =>
      fetch(`${sandbox.dnsPageUrl}/zones`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': site },
      })
    expect(
      (await form({ domain: 'form.example', zone: '@ IN TXT "from a person"', act: 'put' })).status,
    ).toBe(303)
    expect(await resolver.resolveTxt('form.example')).toEqual([['from a person']])
    const page = await (await fetch(sandbox.dnsPageUrl)).text()
    expect(page).toContain('from a person')
    const rejected = await form({ domain: 'form.example', zone: '@ IN TXT <script>"', act: 'put' })
    expect(rejected.status).toBe(400)
    expect(await rejected.text()).toContain('&lt;script&gt;')
    expect((await form({ domain: 'form.example', act: 'remove' }, 'cross-site')).status).toBe(403)
    expect((await form({ domain: 'form.example', act: 'remove' })).status).toBe(303)
    await expect(resolver.resolveTxt('form.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })
})

it('publishes what the mail server asks for below the platform’s domain, and the address of the mail server', async () => {
  expect(await resolver.resolve4('mail.atrium.test')).toEqual(['127.0.0.1'])
  await expect(resolver.resolveMx('nobody.tenants.local')).rejects.toMatchObject({
    code: 'ENOTFOUND',
  })
})

it('survives whatever is sent to it', async () => {
  const [host = '', port = ''] = sandbox.dnsServer.split(':')
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async (bytes) => {
      const socket = connect(Number(port), host)
      const length = Buffer.from([0, bytes.length])
      await new Promise<void>((done) => socket.end(Buffer.concat([length, bytes]), done))
      socket.destroy()
    }),
    { numRuns: 50 },
  )
  expect(await resolver.resolve4('mail.atrium.test')).toEqual(['127.0.0.1'])
})

it('answers several queries on one TCP connection, also fragmented ones', async () => {
  const [host = '', port = ''] = sandbox.dnsServer.split(':')
  const questions = [1, 2].map((id) =>
    dnsPacket.streamEncode({
      type: 'query',
      id,
      questions: [{ type: 'A', name: 'mail.atrium.test' }],
    }),
  )
  const socket = connect(Number(port), host)
  const chunks: Buffer[] = []
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      const all = Buffer.concat(chunks)
      const first = all.length >= 2 ? all.readUInt16BE(0) + 2 : Number.POSITIVE_INFINITY
      if (all.length > first + 2 && all.length >= first + 2 + all.readUInt16BE(first)) resolve()
    })
  })
  for (const byte of Buffer.concat(questions)) socket.write(Buffer.from([byte]))
  await done
  socket.destroy()
  const all = Buffer.concat(chunks)
  expect(
    [
      dnsPacket.streamDecode(all).id,
      dnsPacket.streamDecode(all.subarray(all.readUInt16BE(0) + 2)).id,
    ].sort(),
  ).toEqual([1, 2])
})

it('keeps its zones over a restart, and knows modes of its own', () => {
  sandbox.dns.zones.put('saved.example', [{ name: 'saved.example', type: 'TXT', value: 'x' }])
  const saved: unknown = JSON.parse(JSON.stringify(sandbox.dns.save()))
  sandbox.dns.reset()
  expect(sandbox.dns.zones.list()).toEqual({})
  sandbox.dns.load(saved)
  expect(sandbox.dns.zones.list()['saved.example']).toHaveLength(1)
  expect(() => sandbox.fault({ system: 'mail', mode: 'servfail' })).toThrow('DNS only')
})
