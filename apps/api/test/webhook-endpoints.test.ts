import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { insertAuditEvent } from '@atrium/db/audit/audit'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import { partnerIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { insertWebhookEndpoint, webhookSecret } from '@atrium/testing/webhook-endpoints'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../src/clean-up.ts'
import { createWebhookSender } from '../src/platform/webhook-sender.ts'
import { deliverEvents } from '../src/webhook-endpoints/deliver.ts'

const dayMs = 86_400_000
let now = new Date()
let testApp: TestApp
let owner: string
let tenantId: string
let receiver: Server
let url: string

interface Received {
  path: string
  headers: Record<string, string>
  body: string
}
let received: Received[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
  response.end('thanks')

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    ownEvents: ['flag.updated', 'list.created'],
    clock: { now: () => now },
    env: {
      WEBHOOK_ADDRESSES: '127.0.0.1',
      LIMITS: 'changes_person_minute=10000,changes_token_minute=10000',
    },
    sandbox: { identity: { accessTokenSeconds: 80_000 } },
  })
  owner = await testApp.token('owner@acme.test')
  const tenant = await testApp.database.db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow()
  tenantId = tenant.id
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body,
    })
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
}, 60_000)
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await testApp[Symbol.asyncDispose]()
})
beforeEach(() => {
  received = []
  now = new Date()
  answer = (_, response) => response.end('thanks')
})
afterEach(async () => {
  await testApp.database.db.deleteFrom('webhook_endpoints').execute()
})

const path = '/tenants/acme/webhook-endpoints'
const call = (method: string, suffix: string, body?: object) =>
  testApp.request(method, `${path}${suffix}`, { token: owner, ...(body && { body }) })
const entry = (name: string): Parameters<typeof insertAuditEvent>[1] => ({
  at: now,
  actorType: 'user',
  actorId: null,
  actorEmail: null,
  actorIp: null,
  action: 'list.updated',
  outcome: 'success',
  resourceType: 'list',
  resourceId: null,
  resourceName: name,
  tenantSlug: 'acme',
  partnerSlug: null,
  source: 'api',
  metadata: {},
})
const write = (name: string, action = 'list.updated', tenantSlug = 'acme') =>
  insertAuditEvent(testApp.database.db, { ...entry(name), action, tenantSlug })
const endpoint = (fields: Parameters<typeof insertWebhookEndpoint>[2] = {}) =>
  insertWebhookEndpoint(testApp, { kind: 'tenant', tenantId }, { url, ...fields })
const stored = (id: string) =>
  testApp.database.db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const names = (to = '/') =>
  received
    .filter((one) => one.path === to)
    .map(({ body }) => JSON.parse(body).data.resource?.name as string)
/** Delivers until the receiver has got so many. */
const delivered = (count: number) =>
  expect
    .poll(
      async () => {
        await deliverEvents(testApp.app.services, 0)
        return received.length
      },
      { timeout: 20_000, interval: 20 },
    )
    .toBe(count)
/** Makes the next try due now. */
const dueNow = (id: string) =>
  testApp.database.db
    .updateTable('webhook_endpoints')
    .set({ due_at: new Date(0) })
    .where('id', '=', id)
    .execute()

/** What can be asked of one endpoint. */
const endpointCalls = [
  ['PATCH', '', { description: 'x' }],
  ['DELETE', '', undefined],
  ['POST', '/rotate', {}],
  ['POST', '/test', undefined],
  ['POST', '/replay', { since: '2026-01-01T00:00:00Z' }],
  ['GET', '/deliveries', undefined],
] as const

/** The mails about an endpoint that was switched off: their values by recipient. */
async function mailsOf(id: string) {
  const mails = await testApp.database.db
    .selectFrom('outbox')
    .select(['recipient', 'values'])
    .where('template', '=', 'webhook_endpoint.disabled')
    .where('key', 'like', `%${id}%`)
    .execute()
  return new Map(mails.map(({ recipient, values }) => [recipient, values]))
}

describe('an endpoint', () => {
  it('gets the events of its tenant from its creation on, signed, in order', async () => {
    await write('before')
    const created = await call('POST', '', { url, description: 'Directory' })
    expect(created).toMatchObject({ status: 201, body: { url, types: [], disabledAt: null } })
    await write('one')
    await write('elsewhere', 'list.updated', 'globex')
    await write('two')
    // Its own creation comes first.
    await delivered(3)
    expect(names().slice(1)).toEqual(['one', 'two'])
    const webhook = new Webhook(created.body.secret)
    for (const { body, headers } of received) expect(webhook.verify(body, headers)).toBeTruthy()
    expect(() =>
      new Webhook(webhookSecret).verify(received[0]?.body ?? '', received[0]?.headers ?? {}),
    ).toThrow()
    const listed = await call('GET', '')
    expect(JSON.stringify(listed.body)).not.toContain('whsec_')
    const log = await call('GET', `/${created.body.id}/deliveries`)
    expect(log.body.items).toHaveLength(3)
    expect(log.body.items[0]).toMatchObject({
      ok: true,
      status: 200,
      response: 'thanks',
      attempt: 1,
      request: received[2]?.body,
    })
  })

  it('gets the types that it names alone, and none while it is off', async () => {
    const id = await endpoint({ types: ['list.created'] })
    await write('updated')
    await write('created', 'list.created')
    await delivered(1)
    expect(names()).toEqual(['created'])
    expect((await call('PATCH', `/${id}`, { enabled: false })).body.disabledReason).toBe('person')
    await write('while off', 'list.created')
    await deliverEvents(testApp.app.services, 0)
    expect(received).toHaveLength(1)
    expect((await call('PATCH', `/${id}`, { enabled: true })).body.disabledAt).toBeNull()
    await delivered(2)
    expect(names()).toEqual(['created', 'while off'])
  })

  it.each([
    ['plain http', 'http://hooks.example.test/'],
    ['an address of the network', 'https://10.0.0.1/'],
    ['another notation of it', 'https://0x0a.1/'],
    ['an address of version 6', 'https://[::1]/'],
    ['no address', 'hooks.example.test'],
    ['a password', 'https://user:secret@hooks.example.test/'],
  ])('is not created with %s', async (_, wrong) => {
    const { status, body } = await call('POST', '', { url: wrong })
    expect([status, body.issues?.[0].path]).toEqual([400, 'url'])
  })

  it('is not connected to at an address inside of networks, whatever its name is', async () => {
    const { port } = new URL(url)
    const sender = createWebhookSender([])
    for (const host of [
      ...['localhost', '127.0.0.1', '127.1', '2130706433', '0', '[::1]', '[::]'],
      ...['[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254', '[fd00:ec2::254]', '100.64.0.1'],
    ]) {
      const message = {
        url: `http://${host}:${port}/`,
        secrets: [webhookSecret],
        id: 'x',
        body: '',
      }
      expect([host, (await sender.send(message)).error]).toEqual([host, 'address_not_allowed'])
    }
    sender.close()
    const id = await endpoint({ url: 'https://127.0.0.2/' })
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({
      ok: false,
      status: null,
      error: 'address_not_allowed',
    })
    expect(received).toEqual([])
  })

  it('accepts either secret during the overlap of a rotation, and only the new one after it', async () => {
    const id = await endpoint()
    const rotated = await call('POST', `/${id}/rotate`, { overlapHours: 1 })
    await call('POST', `/${id}/test`)
    const [first] = received
    for (const secret of [webhookSecret, rotated.body.secret])
      expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toBeTruthy()
    now = new Date(now.getTime() + 3_700_000)
    await call('POST', `/${id}/test`)
    const second = received[1]
    expect(second?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  it('is counted with those created at the same time', async () => {
    await testApp.database.db
      .insertInto('tenant_limits')
      .values({ tenant_id: tenantId, name: 'webhook_endpoints', most: 2 })
      .execute()
    const made = await Promise.all(Array.from({ length: 6 }, () => call('POST', '', { url })))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(2)
    await testApp.database.db.deleteFrom('tenant_limits').execute()
  })

  it('of another tenant does not exist', async () => {
    const id = await insertWebhookEndpoint(testApp, { kind: 'platform' })
    for (const [method, suffix, body] of endpointCalls)
      expect((await call(method, `/${id}${suffix}`, body)).status).toBe(404)
  })
})

describe('an endpoint that fails', () => {
  it('gets the same event again, and later ones only after it', async () => {
    answer = (_, response) => response.writeHead(503).end('busy')
    const id = await endpoint()
    await write('one')
    await write('two')
    await delivered(1)
    expect(await stored(id)).toMatchObject({ attempts: 1, failing_since: now })
    answer = (_, response) => response.end()
    await dueNow(id)
    await delivered(3)
    expect(names()).toEqual(['one', 'one', 'two'])
    expect(received[0]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id'])
    expect(await stored(id)).toMatchObject({ attempts: 0, failing_since: null })
    const { body } = await call('GET', `/${id}/deliveries`)
    expect(
      body.items.map((one: { attempt: number; ok: boolean }) => [one.attempt, one.ok]),
    ).toEqual([
      [1, true],
      [2, true],
      [1, false],
    ])
  })

  it('gets an event ten times at most, then the next one', async () => {
    answer = (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()
    const id = await endpoint()
    await write('one')
    await delivered(1)
    const waits: number[] = []
    for (let tries = 2; tries <= 10; tries++) {
      const { due_at } = await stored(id)
      waits.push((due_at?.getTime() ?? 0) - Date.now())
      await dueNow(id)
      await delivered(tries)
    }
    expect(waits.at(-1)).toBeGreaterThan(waits[0] ?? 0)
    await write('two')
    answer = (_, response) => response.end()
    await delivered(11)
    expect(names()).toEqual([...Array.from({ length: 10 }, () => 'one'), 'two'])
  }, 60_000)

  it('is switched off after five days, and those who manage it get a mail', async () => {
    answer = (_, response) => response.writeHead(500).end()
    const id = await endpoint()
    await write('one')
    await delivered(1)
    now = new Date(now.getTime() + 5 * dayMs)
    await dueNow(id)
    await delivered(2)
    expect(await stored(id)).toMatchObject({ disabled_reason: 'failing', disabled_at: now })
    expect((await mailsOf(id)).get('owner@acme.test')).toMatchObject({
      'webhook.host': new URL(url).host,
      'link.webhooks': 'https://portal.test/t/acme/webhooks',
    })
    expect(await testApp.auditActions()).toContain('webhook_endpoint.disabled')
    await dueNow(id)
    await deliverEvents(testApp.app.services, 0)
    expect(received).toHaveLength(2)
  })

  it('keeps no other endpoint waiting', async () => {
    const hanging: ServerResponse[] = []
    answer = (request, response) => {
      if (request.url === '/dead') hanging.push(response)
      else response.end()
    }
    await endpoint({ url: `${url}/dead` })
    await endpoint()
    for (const name of ['one', 'two', 'three']) await write(name)
    const work = deliverEvents(testApp.app.services, 5_000)
    await expect.poll(() => names(), { timeout: 30_000 }).toEqual(['one', 'two', 'three'])
    expect(hanging).toHaveLength(1)
    for (const response of hanging) response.destroy()
    answer = (_, response) => response.end()
    await work
  }, 60_000)

  it('is noted with the reason when nothing answers', async () => {
    const id = await endpoint({ url: 'http://127.0.0.1:1/' })
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({
      ok: false,
      status: null,
      error: 'ECONNREFUSED',
    })
  })
})

describe('deliveries', () => {
  it('are made once by eight processes at once', async () => {
    await endpoint()
    for (let n = 0; n < 10; n++) await write(String(n))
    await expect
      .poll(
        async () => {
          await Promise.all(Array.from({ length: 8 }, () => deliverEvents(testApp.app.services, 0)))
          return received.length
        },
        { timeout: 20_000 },
      )
      .toBe(10)
    expect(names()).toEqual(Array.from({ length: 10 }, (_, n) => String(n)))
  })

  it('of a process that was killed are made by another', async () => {
    const id = await endpoint()
    await write('one')
    await delivered(1)
    await write('two')
    await testApp.database.db
      .updateTable('webhook_endpoints')
      .set({ run: id, lease_until: new Date(Date.now() + 60_000), due_at: new Date(0) })
      .execute()
    await deliverEvents(testApp.app.services, 0)
    expect(received).toHaveLength(1)
    await testApp.database.db
      .updateTable('webhook_endpoints')
      .set({ lease_until: new Date(Date.now() - 1_000) })
      .execute()
    await delivered(2)
    expect(names()).toEqual(['one', 'two'])
  })

  it('are made again: one event now, or all since a moment in their order', async () => {
    const id = await endpoint()
    const since = new Date().toISOString()
    await write('one')
    await write('two')
    await delivered(2)
    const first = received[0]?.headers['webhook-id']
    const replayed = await call('POST', `/${id}/replay`, { eventId: first })
    expect(replayed.body.delivery).toMatchObject({ kind: 'replay', ok: true, eventId: first })
    expect((await call('POST', `/${id}/replay`, { since })).status).toBe(200)
    await expect
      .poll(
        async () => {
          await deliverEvents(testApp.app.services, 0)
          return names().filter((name) => name === 'one' || name === 'two')
        },
        { timeout: 20_000 },
      )
      .toEqual(['one', 'two', 'one', 'one', 'two'])
    const { body } = await call('POST', `/${id}/replay`, { eventId: first, since })
    expect(body.issues).toMatchObject([{ path: 'eventId' }])
    const unknown = await call('POST', `/${id}/replay`, {
      eventId: '0197f7a4-2c1e-7000-8000-000000000001',
    })
    expect(unknown.status).toBe(404)
  })

  it('keep of request and response what fits into the log, which ends after a week', async () => {
    answer = (_, response) => response.end('\0'.repeat(100_000))
    const id = await endpoint()
    await call('POST', `/${id}/test`)
    const { body } = await call('GET', `/${id}/deliveries`)
    expect(body.items[0].response).toHaveLength(4_096)
    now = new Date(now.getTime() + 8 * dayMs)
    await cleanUp(testApp.app.services)
    const left = await testApp.database.db.selectFrom('webhook_deliveries').select('id').execute()
    expect(left).toEqual([])
  })
})

describe.each([
  {
    kind: 'partner',
    base: '/partners/north/webhook-endpoints',
    person: 'partner@north.test',
    page: 'https://portal.test/partner/webhooks',
  },
  {
    kind: 'platform',
    base: '/webhook-endpoints',
    person: 'operator@atrium.test',
    page: 'https://operator.test/webhook-endpoints',
  },
] as const)('an endpoint of the $kind', { timeout: 60_000 }, ({ kind, base, person, page }) => {
  let token: string
  let ofKind: TokenOwner
  const at = (method: string, suffix: string, body?: object) =>
    testApp.request(method, `${base}${suffix}`, { token, ...(body && { body }) })
  /** An event of the owner, which another kind of owner does not get. */
  const happened = (name: string) =>
    insertAuditEvent(testApp.database.db, {
      ...entry(name),
      ...(kind === 'partner'
        ? { action: 'partner.updated', partnerSlug: 'north', resourceType: 'partner' }
        : { action: 'flag.updated', resourceType: 'flag' }),
      tenantSlug: null,
    })
  beforeAll(async () => {
    token = await testApp.token(person)
    const id = await partnerIdOf(testApp.database.db, 'north')
    ofKind = kind === 'partner' ? { kind, partnerId: id } : { kind }
  })

  it('gets the events of its owner, can be tested, rotated, switched off and removed', async () => {
    const created = await at('POST', '', { url, description: 'Orders' })
    expect(created).toMatchObject({ status: 201, body: { url, disabledAt: null } })
    const { id, secret } = created.body
    await endpoint()
    await happened('one')
    // Its own creation comes first.
    await delivered(2)
    expect(names()).toEqual([expect.any(String), 'one'])
    const webhook = new Webhook(secret)
    for (const { body, headers } of received) expect(webhook.verify(body, headers)).toBeTruthy()
    expect((await at('POST', `/${id}/test`)).body).toMatchObject({ ok: true, kind: 'test' })
    const eventId = received[1]?.headers['webhook-id']
    expect((await at('POST', `/${id}/replay`, { eventId })).body.delivery).toMatchObject({
      kind: 'replay',
      ok: true,
    })
    const rotated = await at('POST', `/${id}/rotate`, { overlapHours: 0 })
    await at('POST', `/${id}/test`)
    const last = received.at(-1)
    expect(
      new Webhook(rotated.body.secret).verify(last?.body ?? '', last?.headers ?? {}),
    ).toBeTruthy()
    expect((await at('PATCH', `/${id}`, { enabled: false })).body.disabledReason).toBe('person')
    expect((await at('GET', '')).body.items).toMatchObject([{ id, description: 'Orders' }])
    expect((await at('GET', `/${id}/deliveries`)).body.items).toHaveLength(5)
    expect((await at('DELETE', `/${id}`)).status).toBe(204)
    expect((await at('GET', '')).body.items).toEqual([])
    const entries = await testApp.database.db
      .selectFrom('audit_events')
      .select(['action', 'partner_slug as partnerSlug', 'tenant_slug as tenantSlug'])
      .where('resource_id', '=', id)
      .execute()
    expect(entries.length).toBeGreaterThan(5)
    const place = { tenantSlug: null, partnerSlug: kind === 'partner' ? 'north' : null }
    for (const one of entries) expect(one).toMatchObject(place)
  })

  it('gets all events since a moment again', async () => {
    const id = await insertWebhookEndpoint(testApp, ofKind, { url })
    const since = new Date().toISOString()
    await happened('one')
    await delivered(1)
    expect((await at('POST', `/${id}/replay`, { since })).body).toEqual({ delivery: null })
    await expect
      .poll(
        async () => {
          await deliverEvents(testApp.app.services, 0)
          return names().filter((name) => name === 'one').length
        },
        { timeout: 30_000 },
      )
      .toBe(2)
  })

  it('of another owner does not exist', async () => {
    const foreign = await endpoint()
    for (const [method, suffix, body] of endpointCalls)
      expect((await at(method, `/${foreign}${suffix}`, body)).status).toBe(404)
  })

  it('is counted with those created at the same time', async () => {
    for (let present = 0; present < 18; present++) await insertWebhookEndpoint(testApp, ofKind)
    const made = await Promise.all(Array.from({ length: 8 }, () => at('POST', '', { url })))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(made.filter(({ body }) => body.code === 'limit_reached')).toHaveLength(6)
  })

  it('is switched off after five days, and the mail leads to its page', async () => {
    answer = (_, response) => response.writeHead(500).end()
    const id = await insertWebhookEndpoint(testApp, ofKind, { url })
    await happened('one')
    await delivered(1)
    now = new Date(now.getTime() + 5 * dayMs)
    await dueNow(id)
    await delivered(2)
    expect((await mailsOf(id)).get(person)).toMatchObject({ 'link.webhooks': page })
  })
})
