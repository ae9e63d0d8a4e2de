import { followEntitlements } from '@atrium/api/billing/entitlements/follow'
import { mirrorInvoice, mirrorReversal } from '@atrium/api/billing/invoices/mirror'
import { applyProcessorSubscription } from '@atrium/api/billing/subscriptions/apply'
import { actionOf, subscriptionEntry } from '@atrium/api/billing/subscriptions/record'
import type { Config } from '@atrium/api/platform/config'
import type { InTransaction } from '@atrium/api/rpc/services'
import { reminderDaysDue } from '@atrium/core/billing/billing'
import { openDunningCase, saveDunningCase } from '@atrium/db/billing/dunning'
import type { Trx } from '@atrium/db/platform/connect'
import type { ProcessorReversal } from '@atrium/integrations/payments/port'
import { type Snapshot, snapshotOf } from '@atrium/integrations/payments/snapshots'
import type { PaymentsHistory } from '@atrium/sandbox/payments/history'
import { totalExcludingTaxOf } from '@atrium/sandbox/payments/invoice-amounts'
import type { EventRecord } from '@atrium/sandbox/payments/records'
import { sql } from 'kysely'
import type { HistoricAudit } from './audit.ts'
import { idIn, type Made } from './companies.ts'

/** A moment of the billing history and what happened then. */
export interface BillingStep {
  readonly at: Date
  readonly run: (trx: Trx) => Promise<void>
}

interface Parts {
  readonly payments: PaymentsHistory
  readonly made: Made
  readonly config: Config
  readonly audit: HistoricAudit
}

const dayMs = 86_400_000

/**
 * Applies the payment processor's events as the service did when they came: by its own functions,
 * with a clock of that moment. Events that repeat what the next one says are left out.
 */
export function billingSteps(parts: Parts): BillingStep[] {
  const { payments, made } = parts
  const tenants = new Map(
    [...payments.customers].map(([slug, customer]) => [customer, idIn(made.tenants, slug)]),
  )
  const invoiceIds = new Map<string, string>()
  const changes = essential(payments.events).map(({ at, event, snapshot }) => {
    const services = servicesAt(parts.config, at)
    const run = async (trx: Trx): Promise<void> => {
      if (snapshot.kind === 'subscription') {
        const tenantId = tenants.get(snapshot.subscription.customerId)
        if (tenantId)
          await followSubscription(trx, {
            services,
            at,
            event,
            snapshot,
            tenantId,
            audit: parts.audit,
          })
        return
      }
      const mirrored = await mirrorInvoice(trx, services, snapshot.invoice, at)
      if (typeof mirrored === 'object') invoiceIds.set(snapshot.invoice.id, mirrored.id)
    }
    return { at, run }
  })
  const reversed = reversals(payments).map((reversal) => ({
    // The invoice of that second is applied first.
    at: new Date(reversal.created.getTime() + 1),
    run: async (trx: Trx): Promise<void> => {
      const invoice = invoiceIds.get(reversal.invoiceId ?? '')
      if (invoice === undefined)
        throw new Error(`nothing is known of the invoice of ${reversal.id}`)
      await mirrorReversal(
        trx,
        servicesAt(parts.config, reversal.created),
        invoice,
        reversal,
        reversal.created,
      )
    },
  }))
  return [...changes, ...reversed]
}

/** The customers and the cards that they pay with. */
export async function insertCustomers(
  trx: Trx,
  { payments, made }: Pick<Parts, 'payments' | 'made'>,
): Promise<void> {
  const rows = [...payments.customers].map(([slug, customer]) => {
    const method = payments.cards.get(slug)
    const created = new Date(
      (payments.saved.customers.find(({ id }) => id === customer)?.created ?? 0) * 1000,
    )
    const card = method && {
      paymentMethodId: method.id,
      brand: method.number.startsWith('5') ? 'mastercard' : 'visa',
      displayBrand: null,
      last4: method.number.slice(-4),
      expMonth: method.expMonth,
      expYear: method.expYear,
      funding: 'credit',
      country: 'US',
      wallet: null,
    }
    return {
      tenant_id: idIn(made.tenants, slug),
      customer_id: customer,
      card: card ? JSON.stringify(card) : null,
      created_at: created,
      card_read_at: method ? new Date(method.created * 1000) : null,
      card_chosen_at: method ? new Date(method.created * 1000) : null,
    }
  })
  await trx.insertInto('payment_customers').values(rows).execute()
}

/** The events of the last weeks, as the inbox keeps them. */
export async function insertInbox(
  trx: Trx,
  { payments }: Pick<Parts, 'payments'>,
  until: Date,
): Promise<void> {
  const since = (until.getTime() - 45 * dayMs) / 1000
  const ignored = new Set(['invoice.payment_succeeded', 'charge.refunded', 'customer.created'])
  const rows = payments.events
    .filter(({ created }) => created >= since)
    .map(({ id, type, objectId, created, body }) => {
      const at = new Date(created * 1000)
      const { api_version: version } = JSON.parse(body) as { api_version: string }
      return {
        id,
        type,
        object_id: objectId,
        api_version: version,
        created: at,
        livemode: false,
        payload: body,
        attempts: 1,
        state: ignored.has(type) ? ('skipped' as const) : ('applied' as const),
        note: noteOf(type),
        received_at: new Date(at.getTime() + 900),
        finished_at: new Date(at.getTime() + 1_300),
      }
    })
  await trx.insertInto('webhook_inbox').values(rows).execute()
}

function noteOf(type: string): string | null {
  if (type === 'invoice.payment_succeeded')
    return 'invoice.paid says the same, and also of payments made elsewhere.'
  if (type === 'charge.refunded') return 'refund.created says it exactly.'
  return type === 'customer.created' ? 'Events of this type have no effect here.' : null
}

interface Change {
  readonly services: InTransaction
  readonly at: Date
  readonly event: EventRecord
  readonly snapshot: Extract<Snapshot, { kind: 'subscription' }>
  readonly tenantId: string
  readonly audit: HistoricAudit
}

async function followSubscription(
  trx: Trx,
  { services, at, event, snapshot, tenantId, audit }: Change,
): Promise<void> {
  const cause = { eventId: event.id, eventAt: at, readAt: at }
  const applied = await applyProcessorSubscription(
    trx,
    services,
    tenantId,
    snapshot.subscription,
    cause,
  )
  if (!applied) return
  const { before, after } = applied
  const action = before
    ? after.status === 'canceled'
      ? 'subscription.canceled'
      : actionOf(before, after)
    : 'subscription.created'
  if (!before || action !== 'subscription.updated')
    audit.system(at, subscriptionEntry(action, before, after), 'webhook')
  if (after.pastDueSince && !before?.pastDueSince) {
    await openDunningCase(trx, {
      subscriptionId: after.id,
      tenantId,
      pastDueSince: after.pastDueSince,
    })
  }
  if (before?.pastDueSince && !after.pastDueSince)
    await closeDunning(trx, after.id, before.pastDueSince, at)
}

async function closeDunning(
  trx: Trx,
  subscriptionId: string,
  since: Date,
  at: Date,
): Promise<void> {
  const open = await findOpenCase(trx, subscriptionId)
  if (open)
    await saveDunningCase(trx, open, {
      remindedDays: reminderDaysDue(since, at),
      closedAt: at,
      outcome: 'recovered',
    })
}

/** Rows that the database dates by the moment of their insertion. */
export async function dateBilling(trx: Trx): Promise<void> {
  await sql`update subscriptions s set updated_at = state_since, created_at = h.began from (
    select subscription_id, min(valid_from) as began from subscription_history group by 1) h where h.subscription_id = s.id`.execute(
    trx,
  )
  await sql`update dunning_cases set created_at = past_due_since`.execute(trx)
}

/** Those of today too: what is due within the first day was done before. */
export async function remindOpenCases(trx: Trx, until: Date): Promise<void> {
  const open = await trx
    .selectFrom('dunning_cases')
    .select(['id', 'past_due_since'])
    .where('closed_at', 'is', null)
    .execute()
  for (const { id, past_due_since: since } of open) {
    await saveDunningCase(trx, id, {
      remindedDays: reminderDaysDue(since, new Date(until.getTime() + dayMs)),
    })
  }
}

/** Those who left have what is free since their days of grace were over. */
export async function endEntitlements(
  trx: Trx,
  { config, audit, until }: Pick<Parts, 'config' | 'audit'> & { until: Date },
): Promise<void> {
  const due = await trx
    .selectFrom('tenants')
    .select(['id', 'slug', 'name', 'plan', 'seats', 'entitlements_due_at as dueAt'])
    .where('entitlements_due_at', '<=', new Date(until.getTime() + dayMs))
    .orderBy('entitlements_due_at')
    .execute()
  for (const { id, slug, name, plan, seats, dueAt } of due) {
    const at = dueAt ?? until
    const followed = await followEntitlements(trx, servicesAt(config, at), id)
    if (!followed) continue
    const { entitlements: now } = followed
    const entry = { resourceType: 'tenant', resourceId: id, resourceName: name, tenantSlug: slug }
    const changes = { plan: [plan, now.plan], seats: [seats, now.seats] }
    audit.system(at, {
      action: 'tenant.updated',
      ...entry,
      metadata: { changes, reason: now.reason },
    })
  }
}

async function findOpenCase(trx: Trx, subscriptionId: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('dunning_cases')
    .select('id')
    .where('subscription_id', '=', subscriptionId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return row?.id
}

interface Essential {
  readonly at: Date
  readonly event: EventRecord
  readonly snapshot: Snapshot
}

/**
 * Of a subscription what changed it, of an invoice its payment and its last state, and what was
 * given back.
 */
function essential(events: readonly EventRecord[]): Essential[] {
  const lastOf = new Map<string, string>()
  for (const { id, objectId, type } of events)
    if (objectId && isAbout(type)) lastOf.set(objectId, id)
  const seen = new Map<string, string>()
  return events.flatMap((event): Essential[] => {
    const { type, objectId, created, body, id } = event
    const at = new Date(created * 1000)
    if (!isAbout(type) || objectId === null) return []
    const snapshot = snapshotOf(JSON.parse(body) as Record<string, unknown>)
    const last = lastOf.get(objectId) === id
    if (snapshot?.kind === 'invoice')
      return last || type === 'invoice.paid' ? [{ at, event, snapshot }] : []
    if (snapshot?.kind !== 'subscription') return []
    const { status, seats, priceId, cancelAtPeriodEnd } = snapshot.subscription
    const state = JSON.stringify([status, seats, priceId, cancelAtPeriodEnd])
    const changed = seen.get(objectId) !== state
    seen.set(objectId, state)
    return changed || last ? [{ at, event, snapshot }] : []
  })
}

const isAbout = (type: string) =>
  /^(?:invoice\.(?!payment_succeeded)|customer\.subscription\.)/.test(type)

/** What was given back of invoices, and the processor's id of the invoice that it belongs to. */
function reversals({ saved }: PaymentsHistory): ProcessorReversal[] {
  const refunds = saved.refunds.map(({ id, invoice, currency, amount, status, created }) => ({
    id,
    kind: 'refund' as const,
    invoiceId: invoice,
    currency,
    amount,
    amountExcludingTax: null,
    status,
    effective: status === 'succeeded',
    created: new Date(created * 1000),
  }))
  const notes = saved.creditNotes.map(
    ({ id, invoice, currency, total, lines, status, created }) => ({
      id,
      kind: 'credit_note' as const,
      invoiceId: invoice,
      currency,
      amount: total,
      amountExcludingTax: totalExcludingTaxOf({ lines }),
      status,
      effective: status === 'issued',
      created: new Date(created * 1000),
    }),
  )
  return [...refunds, ...notes]
}

/**
 * The parts of the service that exist in a transaction, at a time in the past. Nothing is sent and
 * no job is enqueued: all that happened then.
 */
function servicesAt(config: Config, at: Date): InTransaction {
  const nothing = async () => {}
  const parts = {
    config,
    clock: { now: () => at },
    systems: { payments: null },
    outbox: { send: nothing },
    jobs: { enqueueProvisioning: nothing, enqueueOutbox: nothing },
  }
  // The functions that apply events use no more of it.
  return parts as unknown as InTransaction
}
