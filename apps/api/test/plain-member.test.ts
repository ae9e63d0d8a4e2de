import { insertAuditEvent } from '@atrium/db/audit/audit'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ ownEvents: true })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const asMember = (path: string) => testApp.call('GET', path, undefined, testApp.as.member)

describe('a plain member', () => {
  it('gets the own row and the numbers of second factors, whatever the filter', async () => {
    const all = await testApp.call('GET', '/mfa-status', undefined, testApp.as.admin)
    expect(all.body.items.length).toBeGreaterThan(2)
    const own = await asMember('/mfa-status')
    expect(own).toMatchObject({
      status: 200,
      body: { summary: all.body.summary, nextCursor: null },
    })
    expect(own.body.items).toMatchObject([{ email: 'member@acme.test' }])
    for (const state of ['enrolled', 'not_enrolled', 'unknown']) {
      const { body } = await asMember(`/mfa-status?state=${state}&limit=1`)
      for (const { email } of body.items) expect(email).toBe('member@acme.test')
    }
    expect(
      (await testApp.call('GET', '/mfa-status', undefined, testApp.as.operator)).body.items,
    ).toHaveLength(all.body.items.length)
  })

  it('reads the audit log without the network addresses of others', async () => {
    const id = await testApp.idOf('member@acme.test')
    const entry = {
      at: new Date(),
      actorEmail: null,
      outcome: 'success' as const,
      resourceType: 'booking',
      resourceId: null,
      resourceName: null,
      tenantSlug: 'acme',
      partnerSlug: null,
    }
    const add = (actorType: 'user' | 'visitor', actorId: string | null, actorIp: string) =>
      insertAuditEvent(testApp.database.db, {
        ...entry,
        actorType,
        actorId,
        actorIp,
        action: 'booking.created',
        source: 'booking',
        metadata: { peerIp: '198.51.100.77' },
      })
    await add('visitor', null, '203.0.113.7')
    await add('user', await testApp.idOf('admin@acme.test'), '203.0.113.8')
    await add('user', id, '203.0.113.9')
    const mine = await asMember('/audit?limit=500')
    expect(mine.status).toBe(200)
    expect(mine.body.items.length).toBeGreaterThan(2)
    const text = JSON.stringify(mine.body)
    for (const hidden of ['203.0.113.7', '203.0.113.8', '198.51.100.77'])
      expect(text).not.toContain(hidden)
    expect(
      mine.body.items.find(({ actorId }: { actorId: string }) => actorId === id),
    ).toMatchObject({ actorIp: '203.0.113.9' })
    const admins = JSON.stringify((await testApp.call('GET', '/audit?limit=500')).body)
    for (const shown of ['203.0.113.7', '203.0.113.8']) expect(admins).toContain(shown)
  })

  it('does not learn the health of the tenant; admins do', async () => {
    const none = { score: null, band: 'unknown', factors: [] }
    expect((await asMember('')).body.health).toEqual(none)
    expect(
      (await testApp.request('GET', '/tenants', { token: testApp.as.member })).body.items,
    ).toMatchObject([{ slug: 'acme', health: none }])
    expect(await asMember('/health')).toMatchObject({ status: 403, body: { code: 'not_admin' } })
    for (const token of [testApp.as.admin, testApp.as.owner, testApp.as.operator]) {
      expect((await testApp.call('GET', '', undefined, token)).body.health.factors).not.toEqual([])
      expect((await testApp.call('GET', '/health', undefined, token)).status).toBe(200)
    }
  })
})
