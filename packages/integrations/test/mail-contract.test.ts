import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DnsRecord, MailServer } from '../src/mail/port.ts'
import { type MailTestServer, onStandIn, startMailTestServer } from './mail-server.ts'

/**
 * How long the stand-in takes for each key: long enough that a look before it is one also on a busy
 * machine.
 */
const keyMs = 250

let testServer: MailTestServer
let mail: MailServer

beforeAll(async () => {
  testServer = await startMailTestServer({ dkimDelayMs: keyMs })
})
afterAll(() => testServer.close(), 60_000)
beforeEach(async () => {
  await testServer.reset()
  mail = testServer.client()
}, 60_000)

const countDomains = async (name: string) =>
  (await testServer.call('x:Domain/query', { filter: { name } })).ids.length
/** The signing keys of one domain; also of one that is gone. */
const keysOf = async (domainId: string) =>
  (await testServer.call('x:DkimSignature/query', { filter: { domainId } })).ids
const ours = { name: 'newco.test', description: 'tenant newco' }

describe('mail contract', () => {
  it('tells good from bad credentials', async () => {
    expect((await mail.check()).permissions).toEqual(
      expect.arrayContaining(['sysDomainCreate', 'sysAccountUpdate', 'emailReceive']),
    )
    await expect(testServer.client('API_wrong').check()).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 401,
    })
    await expect(testServer.client('API_wrong').findDomain('x.test')).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 401,
    })
  })

  it('creates a domain once', async () => {
    const first = await mail.ensureDomain({ ...ours, name: 'NewCo.test' })
    expect(first.created).toBe(true)
    expect(await mail.ensureDomain(ours)).toEqual({ id: first.id, created: false })
    expect(await mail.findDomain('NEWCO.test')).toEqual({
      id: first.id,
      description: 'tenant newco',
    })
    expect(await countDomains('newco.test')).toBe(1)
  })

  it('makes one domain of twenty callers, four requests at a time', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => mail.ensureDomain(ours)))
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(await countDomains('newco.test')).toBe(1)
  })

  it('adopts a domain without a description and leaves those of others alone', async () => {
    await testServer.call('x:Domain/set', {
      create: {
        a: { name: 'bare.test' },
        b: { name: 'theirs.test', description: 'tenant globex' },
      },
    })
    expect(await mail.ensureDomain({ ...ours, name: 'bare.test' })).toMatchObject({
      created: false,
    })
    await expect(mail.ensureDomain({ ...ours, name: 'theirs.test' })).rejects.toMatchObject({
      kind: 'conflict',
    })
  })

  it('reports a name that is an alias of another domain as a conflict', async () => {
    await testServer.call('x:Domain/set', {
      create: { a: { name: 'main.test', aliases: { 'newco.test': true } } },
    })
    await expect(mail.ensureDomain(ours)).rejects.toMatchObject({ kind: 'conflict' })
  })

  it.each(['nodots', 'newco.example'])('reports %j as refused', async (name) => {
    await expect(mail.ensureDomain({ ...ours, name })).rejects.toMatchObject({ kind: 'refused' })
  })

  it('takes names below the default domain of the platform', async () => {
    expect(await mail.ensureDomain({ ...ours, name: 'newco.tenants.local' })).toMatchObject({
      created: true,
    })
  })

  it('renames a domain, which keeps its id and its keys', async () => {
    const { id } = await mail.ensureDomain({ ...ours, name: 'waiting.tenants.local' })
    await expect
      .poll(async () => (await mail.domainRecords(id)).complete, {
        timeout: 110_000,
        interval: 200,
      })
      .toBe(true)
    const before = await mail.domainRecords(id)
    await mail.renameDomain({ domainId: id, name: 'NewCo.test' })
    await mail.renameDomain({ domainId: id, name: 'newco.test' })
    expect(await mail.findDomain('newco.test')).toEqual({ id, description: 'tenant newco' })
    expect(await mail.findDomain('waiting.tenants.local')).toBeUndefined()
    const renamed = (text: string) => text.replaceAll('waiting.tenants.local', 'newco.test')
    const dkim = (records: readonly { name: string; value: string }[]) =>
      records
        .filter(({ name }) => name.includes('_domainkey'))
        .map(({ name, value }) => ({ name: renamed(name), value }))
    expect(dkim((await mail.domainRecords(id)).records)).toEqual(dkim(before.records))
    expect(await mail.ensureDomain(ours)).toEqual({ id, created: false })
  })

  it('rejects a new name that another domain has, and tells of a domain that is gone', async () => {
    const { id } = await mail.ensureDomain({ ...ours, name: 'waiting.tenants.local' })
    await mail.ensureDomain({ name: 'taken.test', description: 'tenant globex' })
    await expect(mail.renameDomain({ domainId: id, name: 'taken.test' })).rejects.toMatchObject({
      kind: 'conflict',
    })
    await mail.removeDomain(id)
    await expect(mail.renameDomain({ domainId: id, name: 'free.test' })).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  it('knows no domain that is not there', async () => {
    expect(await mail.findDomain('absent.test')).toBeUndefined()
  })

  onStandIn('makes one domain when the connection breaks after it was stored', async () => {
    testServer.sandbox.fault({
      system: 'mail',
      match: 'x:Domain/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    expect(await mail.ensureDomain(ours)).toMatchObject({ created: true })
    expect(await countDomains('newco.test')).toBe(1)
  })

  onStandIn.each([
    ['error', 'server'],
    ['reset', 'connection'],
    ['garbage', 'invalid_answer'],
    ['shape', 'invalid_answer'],
  ] as const)('heals from two faults in a row and reports three (%s)', async (mode, kind) => {
    testServer.sandbox.fault({ system: 'mail', match: 'x:Domain/query', mode, times: 2 })
    expect(await mail.findDomain('absent.test')).toBeUndefined()
    testServer.sandbox.fault({ system: 'mail', match: 'x:Domain/query', mode, times: 3 })
    await expect(mail.findDomain('absent.test')).rejects.toMatchObject({ system: 'mail', kind })
  })
})

describe('domains', () => {
  /** Waits until both keys are there, as a person who looks again does. */
  async function completeRecords(domainId: string) {
    for (;;) {
      const response = await mail.domainRecords(domainId)
      if (response.complete) return response.records
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  const mailbox = (domainId: string, localPart: string) => ({
    domainId,
    localPart,
    displayName: '',
    password: 'Qm7-vTz4-Lk9s-Xp',
  })

  it('tells the records at once, and says that keys are still missing', async () => {
    const { id } = await mail.ensureDomain(ours)
    const early = await mail.domainRecords(id)
    expect(early.complete).toBe(false)
    expect(early.records).toContainEqual({
      name: 'newco.test',
      type: 'MX',
      value: '10 mail.atrium.test',
    })
    expect(early.records).toContainEqual({
      name: 'newco.test',
      type: 'TXT',
      value: 'v=spf1 mx -all',
    })
    expect(early.records.filter(({ name }) => name.includes('_domainkey')).length).toBeLessThan(2)
  })

  it('joins the key that the zone text spreads over lines', async () => {
    const { id } = await mail.ensureDomain(ours)
    const keys = (await completeRecords(id)).filter(({ name }) =>
      name.endsWith('._domainkey.newco.test'),
    )
    expect(keys.map(({ value }) => value.replace(/p=.*/, 'p='))).toEqual(
      expect.arrayContaining(['v=DKIM1; k=ed25519; h=sha256; p=', 'v=DKIM1; k=rsa; h=sha256; p=']),
    )
    const { list } = await testServer.call('x:DkimSignature/get', {
      ids: await keysOf(id),
      properties: ['selector', 'publicKey'],
    })
    expect(list).toHaveLength(2)
    for (const { selector, publicKey } of list) {
      const record = keys.find(({ name }) => name === `${selector}._domainkey.newco.test`)
      expect(record?.value.split('p=')[1]).toBe(publicKey)
    }
    expect(list).toHaveLength(2)
  })

  it('lists what the server wants published', async () => {
    const { id } = await mail.ensureDomain(ours)
    // TLSA and CAA depend on the certificates of the server, which a test cannot know.
    const depends = ({ name, type }: DnsRecord) =>
      type === 'TLSA' || type === 'CAA' || name.startsWith('_validation-persist.')
    const records = (await completeRecords(id)).filter((record) => !depends(record))
    const host = records.find(({ type }) => type === 'MX')?.value.replace('10 ', '') ?? ''
    const shown = records.map(({ name, type, value }) =>
      [name, type, value.replace(/\b(p|d|id)=[A-Za-z0-9+/]+=*$/, '$1=')].join(' '),
    )
    expect(
      shown.map((line) => line.replace(/^v1-[a-z0-9-]+\._domainkey/, 'v1._domainkey')).toSorted(),
    ).toEqual(
      [
        'v1._domainkey.newco.test TXT v=DKIM1; k=ed25519; h=sha256; p=',
        'v1._domainkey.newco.test TXT v=DKIM1; k=rsa; h=sha256; p=',
        'newco.test TXT v=spf1 mx -all',
        `newco.test MX 10 ${host}`,
        '_dmarc.newco.test TXT v=DMARC1; p=reject; rua=mailto:postmaster@newco.test',
        `_caldavs._tcp.newco.test SRV 0 1 443 ${host}`,
        `_carddavs._tcp.newco.test SRV 0 1 443 ${host}`,
        `_imaps._tcp.newco.test SRV 0 1 993 ${host}`,
        `_jmap._tcp.newco.test SRV 0 1 443 ${host}`,
        `_pop3s._tcp.newco.test SRV 0 1 995 ${host}`,
        `_submissions._tcp.newco.test SRV 0 1 465 ${host}`,
        `mta-sts.newco.test CNAME ${host}`,
        '_mta-sts.newco.test TXT v=STSv1; id=',
        '_smtp._tls.newco.test TXT v=TLSRPTv1; rua=mailto:postmaster@newco.test',
        `ua-auto-config.newco.test CNAME ${host}`,
        '_ua-auto-config.newco.test TXT v=UAAC1; a=sha256; d=',
        `autoconfig.newco.test CNAME ${host}`,
        `autodiscover.newco.test CNAME ${host}`,
      ].toSorted(),
    )
  })

  it('waits for no key when none is being created', async () => {
    const { id } = await mail.ensureDomain(ours)
    await testServer.call('x:Domain/set', {
      update: { [id]: { dkimManagement: { '@type': 'Manual' } } },
    })
    expect(await mail.domainRecords(id)).toMatchObject({ complete: true })
  })

  it('knows no records of a domain that is gone', async () => {
    await expect(mail.domainRecords('zz')).rejects.toMatchObject({ kind: 'not_found' })
    await expect(mail.domainRecords('#domain')).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('keeps where reports go, or that there are none', async () => {
    const { id } = await mail.ensureDomain(ours)
    const dmarc = async () =>
      (await mail.domainRecords(id)).records.filter(({ name }) => name === '_dmarc.newco.test')
    for (let round = 0; round < 2; round += 1)
      await mail.setReportAddress({ domainId: id, address: 'mailto:dmarc@newco.test' })
    expect((await dmarc())[0]?.value).toBe('v=DMARC1; p=reject; rua=mailto:dmarc@newco.test')
    await mail.setReportAddress({ domainId: id, address: null })
    expect(await dmarc()).toEqual([])
    await expect(mail.setReportAddress({ domainId: 'zz', address: null })).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  it('counts what uses a domain, whatever the address is on', async () => {
    const { id } = await mail.ensureDomain(ours)
    const { id: other } = await mail.ensureDomain({ ...ours, name: 'other.test' })
    const anna = await mail.createAccount(mailbox(id, 'anna'))
    const ben = await mail.createAccount(mailbox(other, 'ben'))
    await mail.addAlias({ accountId: ben.id, localPart: 'sales', domainId: id })
    await mail.addAlias({ accountId: anna.id, localPart: 'anna', domainId: other })
    await mail.createList({ localPart: 'team', domainId: id, name: 'Team', recipients: [] })
    expect(await mail.domainUse(id)).toEqual({
      accounts: 1,
      aliases: 1,
      lists: 1,
      examples: ['anna@newco.test', 'team@newco.test', 'sales@newco.test'],
    })
    expect(await mail.domainUse(other)).toMatchObject({ accounts: 1, aliases: 1, lists: 0 })
    expect(await mail.domainUse('zz')).toEqual({ accounts: 0, aliases: 0, lists: 0, examples: [] })
  })

  it('counts more accounts than one get takes', { timeout: 60_000 }, async () => {
    const { id } = await mail.ensureDomain(ours)
    for (let batch = 0; batch < 3; batch += 1) {
      const create = Object.fromEntries(
        Array.from({ length: 400 }, (_, n) => [
          `k${n}`,
          { '@type': 'User', name: `u${batch}-${n}`, domainId: id },
        ]),
      )
      await testServer.call('x:Account/set', { create })
    }
    expect(await mail.domainUse(id)).toMatchObject({ accounts: 1_200 })
  })

  it('removes a domain with its keys, and an absent one again', async () => {
    const { id } = await mail.ensureDomain(ours)
    await completeRecords(id)
    await mail.removeDomain(id)
    expect(await mail.findDomain(ours.name)).toBeUndefined()
    expect(await keysOf(id)).toEqual([])
    await mail.removeDomain(id)
    await mail.removeDomain('#domain')
  })

  it('removes a domain while its keys are being made', async () => {
    const { id } = await mail.ensureDomain(ours)
    await new Promise((resolve) => setTimeout(resolve, keyMs + 10))
    await mail.removeDomain(id)
    await new Promise((resolve) => setTimeout(resolve, keyMs + 50))
    expect(await mail.findDomain(ours.name)).toBeUndefined()
    expect(await keysOf(id)).toEqual([])
  })

  it('keeps a domain that is used, with its keys', async () => {
    const { id } = await mail.ensureDomain(ours)
    await completeRecords(id)
    const anna = await mail.createAccount(mailbox(id, 'anna'))
    await expect(mail.removeDomain(id)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await keysOf(id)).toHaveLength(2)
    await mail.removeAccount(anna.id)
    await mail.removeDomain(id)
    expect(await mail.findDomain(ours.name)).toBeUndefined()
  })

  it('never removes the default domain of the server', async () => {
    const id = (await mail.findDomain('atrium.test'))?.id ?? ''
    await expect(mail.removeDomain(id)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('default domain'),
    })
  })
})
