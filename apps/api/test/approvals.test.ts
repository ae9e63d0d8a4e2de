import { tenantIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expireApprovals } from '../src/billing/approvals/expire.ts'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'

const day = 86_400_000
const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats: 10 } as const
let world: PaidSubscriptionsTestApp
let partner: string
beforeAll(async () => {
  world = await openPaidSubscriptions({ env: { PORTAL_URL: 'https://portal.test' } })
  partner = await world.testApp.token('partner@north.test')
})
afterAll(() => world[Symbol.asyncDispose]())

/** A customer of the partner north, with a card. */
async function customer(card = 'pm_card_visa') {
  const tenant = await world.newTenant(card)
  await world.testApp.database.db
    .updateTable('tenants')
    .set({
      partner_id: (eb) => eb.selectFrom('partners').select('id').where('slug', '=', 'north'),
    })
    .where('id', '=', tenant.id)
    .execute()
  return tenant
}

/** The same with a running subscription to 10 seats, which the owner ordered. */
async function subscribedCustomer() {
  const tenant = await customer()
  const { status, body } = await world.call(tenant.slug, '', terms)
  expect(status, JSON.stringify(body)).toBe(201)
  return tenant
}

const send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { token = world.owner, body }: { token?: string; body?: Record<string, unknown> } = {},
) => world.testApp.request(method, path, { token, ...(body ? { body } : {}) })

const asPartner = (slug: string, path: string, body: Record<string, unknown>) =>
  send('POST', `/tenants/${slug}/subscription${path}`, { token: partner, body })

async function changeAsPartner(slug: string, fields: Record<string, unknown>) {
  const preview = await asPartner(slug, '/preview', fields)
  expect(preview.status, JSON.stringify(preview.body)).toBe(200)
  return asPartner(slug, '/change', { ...fields, quote: preview.body.quote })
}

const approvals = async (slug: string) =>
  (await send('GET', `/tenants/${slug}/approvals`)).body.items

/** Approves as the owner does: at the price that a preview shows now. */
async function approve(
  slug: string,
  { id, version }: { id: string; version: number },
  fields = {},
) {
  const quote = Object.keys(fields).length
    ? (await world.call(slug, '/preview', fields)).body.quote
    : undefined
  return send('POST', `/tenants/${slug}/approvals/${id}/approve`, {
    body: { version, ...(quote && { quote }) },
  })
}

const mailsTo = (tenantId: string, template: string) =>
  world.testApp.database.db
    .selectFrom('outbox')
    .select(['recipient', 'values', 'key'])
    .where('tenant_id', '=', tenantId)
    .where('template', '=', template as never)
    .orderBy('id')
    .execute()

/** What the partner's person was told of its requests. */
const told = async (tenantSlug: string) => {
  const rows = await world.testApp.database.db
    .selectFrom('outbox')
    .select(['recipient', 'values'])
    .where('template', '=', 'partner.approval_decided' as never)
    .execute()
  const link = `https://portal.test/partner/customers?customer=${tenantSlug}`
  return rows.filter(({ values }) => JSON.stringify(values).includes(link))
}

const auditOf = async (slug: string, action: string) =>
  (await send('GET', `/audit?tenantSlug=${slug}&action=${action}`, { token: world.operator })).body
    .items

describe('an order of the partner', () => {
  it('waits for the owner, charges nothing until then, and starts at the approved price', async () => {
    const { slug, id, customerId } = await customer()
    expect(await asPartner(slug, '/start-preview', terms)).toMatchObject({
      status: 200,
      body: { needsApproval: true },
    })
    expect((await world.call(slug, '/start-preview', terms)).body.needsApproval).toBe(false)
    const asked = await asPartner(slug, '', terms)
    expect(asked).toMatchObject({
      status: 201,
      body: { subscription: null, clientSecret: null, approvalId: expect.any(String) },
    })
    expect(await world.atProcessor(customerId)).toEqual([])
    const [request] = await approvals(slug)
    expect(request).toMatchObject({
      id: asked.body.approvalId,
      kind: 'start',
      status: 'pending',
      before: null,
      after: { plan: 'business', cycle: 'month', seats: 10 },
      partnerName: 'North Cloud Services',
      requestedBy: 'partner@north.test',
      version: 1,
    })
    expect(request.addedMinor).toBe(request.after.totalMinor)
    const [mail, ...more] = await mailsTo(id, 'subscription.approval_requested')
    expect(more).toEqual([])
    expect(mail).toMatchObject({
      recipient: 'owner@acme.test',
      values: {
        'partner.name': 'North Cloud Services',
        'change.terms': expect.stringMatching(/^Business, 10 seats, €[\d.]+ a month without tax$/),
        'link.billing': `https://portal.test/t/${slug}/billing`,
      },
    })

    expect(await approve(slug, request)).toMatchObject({
      status: 200,
      body: {
        outcome: 'applied',
        subscription: { plan: 'business', seats: 10, status: 'active' },
        approval: { status: 'approved', decidedBy: 'owner@acme.test' },
      },
    })
    expect(await told(slug)).toMatchObject([
      {
        recipient: 'partner@north.test',
        values: {
          'change.terms': expect.stringMatching(/^Business, 10 seats/),
          'approval.outcome': expect.stringContaining('approved'),
        },
      },
    ])
    expect(await world.atProcessor(customerId)).toHaveLength(1)
    expect(await auditOf(slug, 'approval.requested')).toMatchObject([
      { actorType: 'partner', partnerSlug: 'north', metadata: { onBehalfOf: slug } },
    ])
    expect(await auditOf(slug, 'approval.approved')).toMatchObject([
      {
        actorEmail: 'owner@acme.test',
        partnerSlug: 'north',
        metadata: { requestedBy: 'partner@north.test' },
      },
    ])
  })

  it('asked for again is the same request, and another one takes its place', async () => {
    const { slug, id } = await customer()
    const first = await asPartner(slug, '', terms)
    expect((await asPartner(slug, '', terms)).body.approvalId).toBe(first.body.approvalId)
    const second = await asPartner(slug, '', { ...terms, seats: 12 })
    expect(second.body.approvalId).not.toBe(first.body.approvalId)
    expect((await approvals(slug)).map(({ status }: { status: string }) => status)).toEqual([
      'pending',
      'replaced',
    ])
    expect(await mailsTo(id, 'subscription.approval_requested')).toHaveLength(2)
    expect(await approve(slug, { id: first.body.approvalId, version: 1 })).toMatchObject({
      status: 409,
      body: { code: 'approval_state' },
    })
  })

  it('cannot fill the mailbox of the owner', async () => {
    const { slug } = await customer()
    let status = 201
    for (let seats = 1; seats <= 20; seats += 1)
      status = Math.max(status, (await asPartner(slug, '', { ...terms, seats })).status)
    expect(status).toBe(201)
    expect(await asPartner(slug, '', { ...terms, seats: 21 })).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
    })
  })

  it('that is declined changes nothing, and says why', async () => {
    const { slug, customerId } = await customer()
    const { body } = await asPartner(slug, '', terms)
    const decline = () =>
      send('POST', `/tenants/${slug}/approvals/${body.approvalId}/decline`, {
        body: { reason: 'Too dear' },
      })
    expect(await decline()).toMatchObject({
      status: 200,
      body: { status: 'declined', reason: 'Too dear' },
    })
    expect(await decline()).toMatchObject({ status: 409, body: { code: 'approval_state' } })
    const [mail, ...more] = await told(slug)
    expect(more).toEqual([])
    expect(mail?.values).toMatchObject({ 'approval.outcome': expect.stringContaining('declined') })
    expect(JSON.stringify(mail)).not.toContain('Too dear')
    expect(await approve(slug, { id: body.approvalId, version: 1 })).toMatchObject({ status: 409 })
    expect(await world.atProcessor(customerId)).toEqual([])
  })

  it('expires after seven days, also when the job is late', async () => {
    const { slug } = await customer()
    const { body } = await asPartner(slug, '', terms)
    const later = new Date(world.started.getTime() + 7 * day)
    const before = new Date(later.getTime() - 1000)
    await world.at(before, () => expireApprovals(world.testApp.app.services))
    expect(await approvals(slug)).toMatchObject([{ status: 'pending' }])
    await world.at(later, async () => {
      await Promise.all([1, 2, 3].map(() => expireApprovals(world.testApp.app.services)))
    })
    expect(await approvals(slug)).toMatchObject([{ status: 'expired' }])
    expect(await auditOf(slug, 'approval.expired')).toHaveLength(1)
    expect(await told(slug)).toMatchObject([
      { values: { 'approval.outcome': expect.stringContaining('expired') } },
    ])
    expect(await approve(slug, { id: body.approvalId, version: 1 })).toMatchObject({ status: 409 })
  })

  it('whose card is declined leaves an order that waits for its payment, not a second request', async () => {
    const { slug } = await customer('pm_card_chargeCustomerFail')
    await asPartner(slug, '', terms)
    const [request] = await approvals(slug)
    expect(await approve(slug, request)).toMatchObject({
      status: 200,
      body: { subscription: { status: 'incomplete' }, outcome: 'awaiting_payment' },
    })
    expect(await approvals(slug)).toMatchObject([{ status: 'approved' }])
  })
})

describe('a change of the partner', () => {
  it('that costs more waits for the owner, and is made once by eight who approve', async () => {
    const { slug } = await subscribedCustomer()
    const asked = await changeAsPartner(slug, { seats: 300 })
    expect(asked).toMatchObject({
      status: 200,
      body: { outcome: 'awaiting_approval', subscription: { seats: 10 } },
    })
    const [request] = await approvals(slug)
    expect(request).toMatchObject({ kind: 'change', before: { seats: 10 }, after: { seats: 300 } })
    expect(request.addedMinor).toBe(request.after.totalMinor - request.before.totalMinor)
    const { quote } = (await world.call(slug, '/preview', { seats: 300 })).body
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        send('POST', `/tenants/${slug}/approvals/${request.id}/approve`, {
          body: { version: 1, quote },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
    expect((await world.call(slug)).body.seats).toBe(300)
    const [, , ...more] = (await send('GET', `/tenants/${slug}/invoices`)).body.items
    expect(more).toEqual([])
  })

  it('needs the quote of a preview', async () => {
    const { slug } = await subscribedCustomer()
    await changeAsPartner(slug, { seats: 11 })
    const [request] = await approvals(slug)
    expect(await approve(slug, request)).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'quote' }] },
    })
  })

  it('is rejected with the new amount once the subscription is another one, and can then be approved', async () => {
    const { slug } = await subscribedCustomer()
    await changeAsPartner(slug, { seats: 20 })
    const [request] = await approvals(slug)
    await world.change(slug, { seats: 12 })
    const stale = await approve(slug, request, { seats: 20 })
    expect(stale).toMatchObject({
      status: 409,
      body: { code: 'quote_expired', current: { version: 2, before: { seats: 12 } } },
    })
    const { current } = stale.body
    expect(current.addedMinor).toBe(current.after.totalMinor - current.before.totalMinor)
    expect(current.addedMinor).toBeLessThan(request.addedMinor)
    expect(await approve(slug, request, { seats: 20 })).toMatchObject({
      status: 409,
      body: { code: 'quote_expired' },
    })
    expect(await approve(slug, current, { seats: 20 })).toMatchObject({ status: 200 })
    expect((await world.call(slug)).body.seats).toBe(20)
  })

  it('that costs no more is made at once, and the owner is told', async () => {
    const { slug, id } = await subscribedCustomer()
    expect(await changeAsPartner(slug, { seats: 8 })).toMatchObject({
      status: 200,
      body: { outcome: 'scheduled', approvalId: null },
    })
    expect(await approvals(slug)).toEqual([])
    expect(await mailsTo(id, 'subscription.changed_by_partner')).toMatchObject([
      { recipient: 'owner@acme.test', values: { 'partner.name': 'North Cloud Services' } },
    ])
    // Taking it back would charge the two seats again.
    expect(
      await send('DELETE', `/tenants/${slug}/subscription/pending`, { token: partner }),
    ).toMatchObject({ status: 409, body: { code: 'approval_required' } })
  })

  it('stays a request while the payment processor fails, and goes through afterwards', async () => {
    const { slug } = await subscribedCustomer()
    await changeAsPartner(slug, { seats: 11 })
    const [request] = await approvals(slug)
    const { quote } = (await world.call(slug, '/preview', { seats: 11 })).body
    const path = `/tenants/${slug}/approvals/${request.id}/approve`
    const body = { version: request.version, quote }
    world.fault({ mode: 'error', status: 500, match: 'POST /v1/subscriptions/', times: 100 })
    expect(await send('POST', path, { body })).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    expect(await approvals(slug)).toMatchObject([{ status: 'pending' }])
    world.testApp.sandbox.clearFaults()
    expect(await send('POST', path, { body })).toMatchObject({ status: 200 })
    expect((await world.call(slug)).body.seats).toBe(11)
  })

  it('of a partner that the tenant has left cannot be approved any more', async () => {
    const { slug, id } = await subscribedCustomer()
    await changeAsPartner(slug, { seats: 11 })
    const [request] = await approvals(slug)
    await world.testApp.database.db
      .updateTable('tenants')
      .set({ partner_id: null })
      .where('id', '=', id)
      .execute()
    expect(await approve(slug, request, { seats: 11 })).toMatchObject({
      status: 409,
      body: { code: 'approval_state' },
    })
  })

  it('by an operator needs nobody, and is approved by nobody but owner and operator', async () => {
    const { slug } = await subscribedCustomer()
    const preview = await send('POST', `/tenants/${slug}/subscription/preview`, {
      token: world.operator,
      body: { seats: 11 },
    })
    const body = { seats: 11, quote: preview.body.quote }
    const token = world.operator
    expect(
      await send('POST', `/tenants/${slug}/subscription/change`, { token, body }),
    ).toMatchObject({ status: 200, body: { outcome: 'applied', approvalId: null } })
    await changeAsPartner(slug, { seats: 12 })
    const [{ id }] = await approvals(slug)
    expect(
      await send('POST', `/tenants/${slug}/approvals/${id}/approve`, {
        token: partner,
        body: { version: 1, quote: preview.body.quote },
      }),
    ).toMatchObject({ status: 403, body: { code: 'not_owner' } })
  })
})

describe('a limit that the owner agreed to', () => {
  const limitOf = (slug: string) => send('GET', `/tenants/${slug}/partner-limit`)
  const setLimit = (slug: string, amountMinor: number, currency = 'eur') =>
    send('PUT', `/tenants/${slug}/partner-limit`, { body: { currency, amountMinor } })

  it('lets changes within it act at once, counts them, and asks for the rest', async () => {
    const { slug, id } = await subscribedCustomer()
    const each = (await world.call(slug)).body.totalMinor / 10
    expect(await setLimit(slug, each * 5)).toMatchObject({
      status: 200,
      body: { amountMinor: each * 5, usedMinor: 0, setBy: 'owner@acme.test' },
    })
    expect(await changeAsPartner(slug, { seats: 13 })).toMatchObject({
      body: { outcome: 'applied', approvalId: null, subscription: { seats: 13 } },
    })
    expect((await limitOf(slug)).body.usedMinor).toBe(each * 3)
    expect(await mailsTo(id, 'subscription.changed_by_partner')).toHaveLength(1)
    expect(await changeAsPartner(slug, { seats: 16 })).toMatchObject({
      body: { outcome: 'awaiting_approval' },
    })
    expect(await changeAsPartner(slug, { seats: 15 })).toMatchObject({
      body: { outcome: 'applied' },
    })
    expect((await limitOf(slug)).body.usedMinor).toBe(each * 5)
    expect((await approvals(slug)).map(({ status }: { status: string }) => status)).toEqual([
      'within_limit',
      'pending',
      'within_limit',
    ])
    expect(await auditOf(slug, 'subscription.seats_changed')).toMatchObject([
      { actorType: 'partner', metadata: { onBehalfOf: slug } },
      { actorType: 'partner', metadata: { onBehalfOf: slug } },
    ])
  })

  it('is not exceeded by eight changes at once', async () => {
    const { slug } = await subscribedCustomer()
    const each = (await world.call(slug)).body.totalMinor / 10
    await setLimit(slug, each * 2)
    const { quote } = (await asPartner(slug, '/preview', { seats: 12 })).body
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => asPartner(slug, '/change', { seats: 12, quote })),
    )
    expect(answers.filter(({ body }) => body.outcome === 'applied')).toHaveLength(1)
    expect((await limitOf(slug)).body.usedMinor).toBe(each * 2)
  })

  it('counts a start and a change of cycle as a whole period, by calendar month', async () => {
    const { slug } = await customer()
    await setLimit(slug, 1)
    expect((await asPartner(slug, '', terms)).body.approvalId).not.toBeNull()
    await setLimit(slug, 1_000_000)
    expect(await asPartner(slug, '', terms)).toMatchObject({
      status: 201,
      body: { subscription: { status: 'active' }, approvalId: null },
    })
    const { totalMinor } = (await world.call(slug)).body
    expect((await limitOf(slug)).body.usedMinor).toBe(totalMinor)
    const { started } = world
    const nextMonth = Date.UTC(started.getUTCFullYear(), started.getUTCMonth() + 1, 1)
    const { getSpendingLimit } = await import('../src/billing/approvals/spending-limit.ts')
    const id = await tenantIdOf(world.testApp.database.db, slug)
    const next = await world.at(new Date(nextMonth), () =>
      getSpendingLimit({ services: world.testApp.app.services }, { tenant: { id } as never }),
    )
    expect(next?.usedMinor).toBe(0)
  })

  it('holds in its currency and for its partner alone, and ends when it is revoked', async () => {
    const { slug, id } = await subscribedCustomer()
    await setLimit(slug, 1_000_000, 'usd')
    expect((await changeAsPartner(slug, { seats: 11 })).body.outcome).toBe('awaiting_approval')
    await setLimit(slug, 1_000_000)
    expect(await send('DELETE', `/tenants/${slug}/partner-limit`)).toMatchObject({ status: 204 })
    expect((await changeAsPartner(slug, { seats: 11 })).body.outcome).toBe('awaiting_approval')
    expect(await auditOf(slug, 'spending_limit')).toHaveLength(3)
    await setLimit(slug, 1_000_000)
    await world.testApp.database.db
      .updateTable('tenants')
      .set({ partner_id: null })
      .where('id', '=', id)
      .execute()
    expect((await limitOf(slug)).body).toBeNull()
    expect(await setLimit(slug, 5)).toMatchObject({
      status: 409,
      body: { code: 'partner_unavailable' },
    })
  })

  it('is not used by a change that the payment processor did not make', async () => {
    const { slug, id } = await subscribedCustomer()
    await setLimit(slug, 1_000_000)
    const { quote } = (await asPartner(slug, '/preview', { seats: 11 })).body
    world.fault({ mode: 'error', status: 500, match: 'POST /v1/subscriptions/', times: 100 })
    expect((await asPartner(slug, '/change', { seats: 11, quote })).status).toBe(502)
    world.testApp.sandbox.clearFaults()
    expect((await limitOf(slug)).body.usedMinor).toBe(0)
    expect(await mailsTo(id, 'subscription.changed_by_partner')).toEqual([])
  })

  it('does not count an order that was never paid', async () => {
    const bare = await world.newTenant()
    await world.testApp.database.db
      .updateTable('tenants')
      .set({
        partner_id: (eb) => eb.selectFrom('partners').select('id').where('slug', '=', 'north'),
      })
      .where('id', '=', bare.id)
      .execute()
    await setLimit(bare.slug, 1_000_000)
    expect(await asPartner(bare.slug, '', terms)).toMatchObject({
      status: 201,
      body: { subscription: { status: 'incomplete' }, approvalId: null },
    })
    // It counts while it may still be paid, so that several orders do not pass the limit.
    const { totalMinor } = (await world.call(bare.slug)).body
    expect((await limitOf(bare.slug)).body.usedMinor).toBe(totalMinor)
    await world.call(bare.slug, '/cancel', {})
    expect((await limitOf(bare.slug)).body.usedMinor).toBe(0)
    expect(await approvals(bare.slug)).toMatchObject([{ status: 'unpaid' }])
  })

  describe('whose payment is made while no event has told of it', () => {
    /** Two more seats, whose payment fails at first and is made at the payment processor. */
    async function paidUnnoticed() {
      const { slug, customerId } = await subscribedCustomer()
      await setLimit(slug, 1_000_000)
      const each = (await world.call(slug)).body.totalMinor / 10
      const { payments } = world.testApp.sandbox
      const card = (name: string) =>
        payments.act({ action: 'attach_card', customer: customerId, card: name })
      card('pm_card_chargeCustomerFail')
      expect((await changeAsPartner(slug, { seats: 12 })).body.outcome).toBe('awaiting_payment')
      card('pm_card_visa')
      const [subscription] = await world.atProcessor(customerId)
      payments.act({ action: 'pay', invoice: subscription?.latestInvoiceId ?? '' })
      expect((await world.call(slug)).body.seats).toBe(10)
      return { slug, each }
    }

    it('counts an order whose terms the owner has replaced since', async () => {
      const { slug, each } = await paidUnnoticed()
      await world.change(slug, { seats: 15 })
      expect((await world.call(slug)).body.seats).toBe(15)
      expect(await approvals(slug)).toMatchObject([
        { status: 'within_limit', after: { seats: 12 } },
      ])
      expect((await limitOf(slug)).body.usedMinor).toBe(each * 2)
    })

    it('counts the next order of the partner on what was paid', async () => {
      const { slug, each } = await paidUnnoticed()
      expect((await changeAsPartner(slug, { seats: 15 })).body.outcome).toBe('applied')
      expect(await approvals(slug)).toMatchObject([
        { status: 'within_limit', before: { seats: 12 }, after: { seats: 15 } },
        { status: 'within_limit', before: { seats: 10 }, after: { seats: 12 } },
      ])
      expect((await limitOf(slug)).body.usedMinor).toBe(each * 5)
    })
  })

  it('counts the start that takes the place of a paused subscription', async () => {
    const { slug } = await subscribedCustomer()
    await setLimit(slug, 1_000_000)
    const { stripeSubscriptionId: subscription } = (await world.rows(slug))[0]
    world.testApp.sandbox.payments.act({ action: 'set_status', subscription, status: 'paused' })
    await deliverEvents()
    const started = await asPartner(slug, '', { ...terms, seats: 12 })
    expect(started, JSON.stringify(started.body)).toMatchObject({
      status: 201,
      body: { subscription: { status: 'active', seats: 12 }, approvalId: null },
    })
    const { totalMinor } = (await world.call(slug)).body
    expect(await approvals(slug)).toMatchObject([{ status: 'within_limit' }])
    expect((await limitOf(slug)).body.usedMinor).toBe(totalMinor)
  }, 120_000)

  // The events of the whole file are delivered here.
  it('does not count a change whose payment was given up, once that is known', async () => {
    const { slug, customerId } = await subscribedCustomer()
    await setLimit(slug, 1_000_000)
    const each = (await world.call(slug)).body.totalMinor / 10
    const { payments } = world.testApp.sandbox
    payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_chargeCustomerFail',
    })
    expect(await changeAsPartner(slug, { seats: 12 })).toMatchObject({
      status: 200,
      body: { outcome: 'awaiting_payment', subscription: { seats: 10 } },
    })
    expect((await limitOf(slug)).body.usedMinor).toBe(each * 2)
    payments.setNow(new Date(world.started.getTime() + day))
    await deliverEvents()
    expect((await limitOf(slug)).body.usedMinor).toBe(0)
    expect(await approvals(slug)).toMatchObject([{ status: 'unpaid', after: { seats: 12 } }])
  }, 120_000)
})

async function deliverEvents(): Promise<void> {
  for (let round = 0; round < 20 && world.testApp.webhooks.pending().length > 0; round += 1) {
    await world.testApp.webhooks.deliver()
    await drainWebhooks(world.testApp.app.services)
  }
}
