import { findLiveSubscription, insertSubscription } from '@atrium/db/billing/subscriptions'
import {
  adminsPartnersOperators,
  membersPartnersOperators,
  operatorsOnly,
  type Rows,
  slug,
  type World,
} from './rows.ts'

/**
 * A manual subscription that is being canceled, or from which a seat is to go, as the call needs
 * it.
 */
async function subscription(
  { testApp, tenantId }: World,
  fields: { canceling?: boolean; pending?: boolean } = {},
): Promise<string> {
  const now = new Date()
  const end = new Date(now.getTime() + 30 * 86_400_000)
  const pending = JSON.stringify({ seats: 2, effectiveAt: end.toISOString(), requestedBy: null })
  return testApp.database.db.transaction().execute(async (trx) => {
    const there = await findLiveSubscription(trx, tenantId)
    if (there) return there.id
    return insertSubscription(trx, {
      tenant_id: tenantId,
      source: 'manual',
      plan: 'starter',
      cycle: 'month',
      currency: 'eur',
      seats: 3,
      status: 'active',
      per_seat_amount: 400,
      billing_anchor: now,
      current_period_start: now,
      current_period_end: end,
      ...(fields.canceling ? { cancel_at_period_end: true, cancel_at: end } : {}),
      ...(fields.pending ? { pending } : {}),
    })
  })
}

const quote = () => {
  const now = Date.now()
  const [prorationDate, validUntil] = [
    new Date(now).toISOString(),
    new Date(now + 600_000).toISOString(),
  ]
  return { prorationDate, validUntil, version: 1, priceId: null }
}
const terms = { plan: 'starter', cycle: 'month', currency: 'eur', seats: 3 }
const withSubscription = async (world: World, more: Record<string, unknown> = {}, fields = {}) => {
  await subscription(world, fields)
  return { slug: world.slug, ...more }
}
/** What was agreed by hand is changed by operators. */
const agreedByHand = {
  ...adminsPartnersOperators,
  admin: 'operator_managed',
  owner: 'operator_managed',
  partnerStaff: 'operator_managed',
}
/** It charges the customer again. */
const withoutPartners = { ...adminsPartnersOperators, partnerStaff: 'approval_required' }

export const subscriptionsRows: Rows = {
  'subscriptions.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'subscriptions.create': [
    { input: (world) => ({ tenantSlug: world.slug, ...terms }), expected: operatorsOnly },
  ],
  'subscriptions.get': [
    { input: async (world) => ({ id: await subscription(world) }), expected: operatorsOnly },
  ],
  'subscriptions.update': [
    {
      input: async (world) => ({ id: await subscription(world), seats: 4 }),
      expected: operatorsOnly,
    },
  ],
  'subscriptions.remove': [
    { input: async (world) => ({ id: await subscription(world) }), expected: operatorsOnly },
  ],
  'subscriptions.getOfTenant': [{ input: slug, expected: membersPartnersOperators }],
  'subscriptions.start': [
    { input: (world) => ({ slug: world.slug, ...terms }), expected: adminsPartnersOperators },
  ],
  'subscriptions.previewStart': [
    { input: (world) => ({ slug: world.slug, ...terms }), expected: adminsPartnersOperators },
  ],
  'subscriptions.preview': [
    { input: (world) => withSubscription(world, { seats: 5 }), expected: agreedByHand },
  ],
  'subscriptions.change': [
    {
      input: (world) => withSubscription(world, { seats: 5, quote: quote() }),
      expected: agreedByHand,
    },
  ],
  'subscriptions.cancel': [
    { input: (world) => withSubscription(world), expected: adminsPartnersOperators },
  ],
  'subscriptions.keep': [
    {
      input: (world) => withSubscription(world, {}, { canceling: true }),
      expected: withoutPartners,
    },
  ],
  'subscriptions.discardPending': [
    {
      input: (world) => withSubscription(world, {}, { pending: true }),
      expected: withoutPartners,
    },
  ],
}
