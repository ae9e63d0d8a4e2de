import { randomBytes } from 'node:crypto'
import { insertTestTenant, partnerIdOf, tenantIdOf, userIdOf } from '@atrium/testing/records'
import { startTestApp } from '@atrium/testing/test-app'
import { expect } from 'vitest'
import { applyDueSubscriptions } from '../src/billing/subscriptions/due.ts'

export const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats: 10 } as const
export const day = 86_400_000

export type SubscriptionsTestApp = Awaited<ReturnType<typeof openSubscriptions>>

/**
 * A test app without payments, with a clock of its own, and what tests of manual subscriptions do
 * there.
 */
export async function openSubscriptions() {
  const started = new Date()
  let now = started
  const testApp = await startTestApp({
    provisioned: false,
    clock: { now: () => now },
    env: { BILLING_PAYMENTS_ENABLED: 'false' },
  })
  const [operator, owner, partner] = [
    await testApp.token('operator@atrium.test'),
    await testApp.token('owner@acme.test'),
    await testApp.token('partner@north.test'),
  ]
  /**
   * Runs the job as if it were then; requests come back to now, because tokens are as old as the
   * test.
   */
  async function settleAt(then: Date): Promise<void> {
    now = then
    await applyDueSubscriptions(testApp.app.services).finally(() => {
      now = started
    })
  }

  /** A tenant whose owner is acme's, so that the owner's token opens it. */
  async function newTenant({ partnerSlug = null as string | null } = {}): Promise<string> {
    const slug = `t-${randomBytes(6).toString('hex')}`
    const { db } = testApp.database
    const id = await userIdOf(db, 'owner@acme.test')
    const north = partnerSlug && (await partnerIdOf(db, partnerSlug))
    await db
      .transaction()
      .execute((trx) => insertTestTenant(trx, { slug, partnerId: north, ownerId: id }))
    return slug
  }

  async function subscribe(fields: Record<string, unknown> = {}, slug?: string) {
    const tenantSlug = slug ?? (await newTenant())
    const { status, body } = await testApp.request('POST', '/subscriptions', {
      token: operator,
      body: { tenantSlug, ...terms, ...fields },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const patch = (id: string, body: Record<string, unknown>) =>
    testApp.request('PATCH', `/subscriptions/${id}`, { token: operator, body })
  const read = async (id: string, query = '') =>
    (await testApp.request('GET', `/subscriptions/${id}${query}`, { token: operator })).body
  // What was agreed by hand is changed by operators; ending it is its customer's right.
  const ofTenant = (
    slug: string,
    path = '',
    body?: Record<string, unknown>,
    token = path === '/preview' || path === '/change' ? operator : owner,
  ) =>
    testApp.request(body === undefined ? 'GET' : 'POST', `/tenants/${slug}/subscription${path}`, {
      token,
      ...(body ? { body } : {}),
    })
  const tenant = (slug: string) =>
    testApp.database.db
      .selectFrom('tenants')
      .select(['plan', 'seats'])
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
  const auditOf = async (id: string) => {
    const { body } = await testApp.request('GET', `/audit?action=subscription.*&limit=500`, {
      token: operator,
    })
    return body.items.filter((entry: { resourceId: string }) => entry.resourceId === id).reverse()
  }
  async function quoted(slug: string, change: Record<string, unknown>, token = operator) {
    const { status, body } = await ofTenant(slug, '/preview', change, token)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  async function mailboxes(slug: string, count: number, status: 'active' | 'suspended' = 'active') {
    const { db } = testApp.database
    const id = await tenantIdOf(db, slug)
    for (let n = 0; n < count; n += 1) {
      const address = `${randomBytes(6).toString('hex')}@${slug}.tenants.local`
      const user = {
        idp_subject_id: randomBytes(32).toString('hex'),
        email: address,
        name: 'Member',
      }
      const made = await db
        .insertInto('users')
        .values(user)
        .returning('id')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('memberships')
        .values({
          tenant_id: id,
          user_id: made.id,
          role: 'member',
          status,
          mailbox_address: address,
        })
        .execute()
    }
  }

  return {
    testApp,
    started,
    operator,
    owner,
    partner,
    settleAt,
    newTenant,
    subscribe,
    patch,
    read,
    ofTenant,
    tenant,
    auditOf,
    quoted,
    mailboxes,
    [Symbol.asyncDispose]: () => testApp[Symbol.asyncDispose](),
  }
}
