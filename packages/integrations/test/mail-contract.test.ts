import { demoServiceCredentials } from '@atrium/core/demo'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MailServer } from '../src/mail/port.ts'
import { stalwart } from '../src/mail/stalwart.ts'

let sandbox: Sandbox
let mail: MailServer

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
beforeEach(() => {
  sandbox.reset()
  mail = client(demoServiceCredentials.mailApiKey)
})

function client(apiKey: string): MailServer {
  return stalwart({ baseUrl: sandbox.mailUrl, apiKey, backoffMs: { initial: 1, max: 5 } })
}

/** The result of one management call past our client, as an administrator would make it. */
async function jmap(name: string, args: object): Promise<unknown> {
  const response = await fetch(`${sandbox.mailUrl}/jmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demoServiceCredentials.mailApiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ using: ['urn:ietf:params:jmap:core', 'urn:stalwart:jmap'], methodCalls: [[name, args, '0']] }),
  })
  const { methodResponses } = (await response.json()) as { methodResponses: [string, unknown, string][] }
  return methodResponses[0]?.[1]
}

const countDomains = async (name: string) => ((await jmap('x:Domain/query', { filter: { name } })) as { ids: string[] }).ids.length
const ours = { name: 'newco.test', description: 'tenant newco' }

describe('mail contract: the local stand-in', () => {
  it('tells good from bad credentials', async () => {
    expect((await mail.check()).permissions).toEqual(expect.arrayContaining(['sysDomainCreate', 'sysDomainGet', 'sysDomainQuery']))
    await expect(client('API_wrong').check()).rejects.toMatchObject({ kind: 'unauthorized', status: 401 })
    await expect(client('API_wrong').findDomain('x.test')).rejects.toMatchObject({ kind: 'unauthorized', status: 401 })
  })

  it('creates a domain once', async () => {
    const first = await mail.ensureDomain({ ...ours, name: 'NewCo.test' })
    expect(first.created).toBe(true)
    expect(await mail.ensureDomain(ours)).toEqual({ id: first.id, created: false })
    expect(await mail.findDomain('NEWCO.test')).toEqual({ id: first.id, description: 'tenant newco' })
    expect(await countDomains('newco.test')).toBe(1)
  })

  it('makes one domain of twenty callers, four requests at a time', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => mail.ensureDomain(ours)))
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(await countDomains('newco.test')).toBe(1)
  })

  it('adopts a domain without a description and leaves those of others alone', async () => {
    await jmap('x:Domain/set', { create: { a: { name: 'bare.test' }, b: { name: 'theirs.test', description: 'tenant globex' } } })
    expect(await mail.ensureDomain({ ...ours, name: 'bare.test' })).toMatchObject({ created: false })
    await expect(mail.ensureDomain({ ...ours, name: 'theirs.test' })).rejects.toMatchObject({ kind: 'conflict' })
  })

  it('reports a name that is an alias of another domain as a conflict', async () => {
    await jmap('x:Domain/set', { create: { a: { name: 'main.test', aliases: { 'newco.test': true } } } })
    await expect(mail.ensureDomain(ours)).rejects.toMatchObject({ kind: 'conflict' })
  })

  it.each(['nodots', 'newco.example'])('reports %j as refused', async (name) => {
    await expect(mail.ensureDomain({ ...ours, name })).rejects.toMatchObject({ kind: 'refused' })
  })

  it('takes names below the default domain of the platform', async () => {
    expect(await mail.ensureDomain({ ...ours, name: 'newco.tenants.local' })).toMatchObject({ created: true })
  })

  it('knows no domain that is not there', async () => {
    expect(await mail.findDomain('absent.test')).toBeUndefined()
  })

  it('makes one domain when the connection breaks after it was stored', async () => {
    sandbox.fault({ system: 'mail', match: 'x:Domain/set', mode: 'reset', after: true, times: 1 })
    expect(await mail.ensureDomain(ours)).toMatchObject({ created: true })
    expect(await countDomains('newco.test')).toBe(1)
  })

  it.each([
    ['error', 'server'],
    ['reset', 'connection'],
    ['garbage', 'invalid_answer'],
    ['shape', 'invalid_answer'],
  ] as const)('heals from two faults in a row and reports three (%s)', async (mode, kind) => {
    sandbox.fault({ system: 'mail', match: 'x:Domain/query', mode, times: 2 })
    expect(await mail.findDomain('absent.test')).toBeUndefined()
    sandbox.fault({ system: 'mail', match: 'x:Domain/query', mode, times: 3 })
    await expect(mail.findDomain('absent.test')).rejects.toMatchObject({ system: 'mail', kind })
  })
})
