import { runDunning } from '@atrium/api/billing/invoices/dunning'
import { reconcileBilling } from '@atrium/api/billing/invoices/reconcile'
import { createMonthlyPayouts } from '@atrium/api/billing/payouts/create'
import { checkReports, refreshReports } from '@atrium/api/reports/jobs'
import { demoHistory } from '@atrium/core/demo/demo-history'
import { findDueEntitlements } from '@atrium/db/billing/entitlements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedHistory } from '../history.ts'

const day = new Date('2026-11-23T00:00:00Z')
/** The workplace is started in the morning of that day. */
const clock = { now: () => new Date('2026-11-23T06:00:00Z') }

let testApp: TestApp
let sealed: Map<string, unknown[]>

async function openHistoric(): Promise<TestApp> {
  const opened = await startTestApp({
    clock,
    provisioned: false,
    sandbox: { history: demoHistory(day) },
  })
  await seedHistory(opened.ownerUrl, { day, config: opened.config })
  return opened
}

beforeAll(async () => {
  testApp = await openHistoric()
  sealed = await told(testApp)
})
afterAll(() => testApp?.[Symbol.asyncDispose]())

/** What the history says, in words that do not depend on ids of the database. */
async function told({ database: { db } }: TestApp): Promise<Map<string, unknown[]>> {
  const statements = {
    subscriptions: `select t.slug, h.plan, h.cycle, h.currency, h.status, h.per_seat_amount, h.seats, h.valid_from, h.valid_to, p.slug as partner
      from subscription_history h join tenants t on t.id = h.tenant_id left join partners p on p.id = h.partner_id
      where t.slug <> 'globex' order by h.valid_from, t.slug, h.status`,
    invoices: `select stripe_invoice_id, number, status, currency, subtotal, total, amount_paid, credited_amount, refunded_amount, finalized_at, paid_at, margin_pct
      from invoices order by stripe_invoice_id`,
    ledger: `select p.slug, l.type, l.amount, l.base_amount, l.available_at, l.created_at from partner_ledger l join partners p on p.id = l.partner_id
      order by l.created_at, p.slug, l.amount`,
    payouts: `select p.slug, o.amount, o.status, o.period_to, o.statement_number, o.paid_at from payouts o join partners p on p.id = o.partner_id
      order by o.period_to, p.slug`,
    members: `select t.slug, u.email, m.role, u.last_seen_at from memberships m join tenants t on t.id = m.tenant_id join users u on u.id = m.user_id order by 1, 2`,
    health:
      'select t.slug, d.day, d.score, d.band from tenant_health_days d join tenants t on t.id = d.tenant_id order by 1, 2',
    audit:
      'select at, actor_email, action, outcome, tenant_slug, partner_slug from audit_events order by at, action, actor_email, tenant_slug',
    mails:
      'select template, recipient, state, attempts, created_at from outbox order by created_at, template, recipient',
  }
  const found = new Map<string, unknown[]>()
  for (const [name, text] of Object.entries(statements))
    found.set(name, (await sql.raw(text).execute(db)).rows)
  return found
}

async function rowsOf<Row>(text: string): Promise<Row[]> {
  return (await sql.raw<Row>(text).execute(testApp.database.db)).rows
}

describe('the demo history', () => {
  it('is the same for the same day', async () => {
    await using other = await openHistoric()
    const again = await told(other)
    for (const [name, rows] of sealed) {
      expect(rows.length, name).toBeGreaterThan(5)
      expect(again.get(name), name).toEqual(rows)
    }
  })

  it('shows a year of everything that a page draws', async () => {
    const [months] = await rowsOf<{
      paid: number
      states: number
      payouts: number
      health: number
    }>(`select
      (select count(distinct date_trunc('month', paid_at))::int from invoices) as paid,
      (select count(distinct date_trunc('month', valid_from))::int from subscription_history) as states,
      (select count(distinct period_to)::int from payouts) as payouts,
      (select count(distinct day)::int from tenant_health_days) as health`)
    expect(months?.paid).toBeGreaterThanOrEqual(12)
    expect(months?.states).toBeGreaterThanOrEqual(12)
    expect(months?.payouts).toBeGreaterThanOrEqual(9)
    expect(months?.health).toBeGreaterThanOrEqual(360)
    const statuses = await rowsOf<{ status: string }>(
      'select distinct status from subscriptions order by 1',
    )
    expect(statuses.map(({ status }) => status)).toEqual([
      'active',
      'canceled',
      'past_due',
      'trialing',
    ])
  })

  it('has invoices that add up', async () => {
    const wrong = await rowsOf<{ number: string }>(`select number from invoices i
      where total <> subtotal - discount + tax or total_excluding_tax <> total - tax
        or subtotal <> (select coalesce(sum((l ->> 'amount')::bigint), 0) from jsonb_array_elements(lines) l)
        or (status = 'paid') <> (paid_at is not null) or amount_due <> amount_paid + amount_remaining
        or amount_due <> greatest(amount_due, 0) or refunded_amount > amount_paid`)
    expect(wrong).toEqual([])
    const numbers = await rowsOf<{ number: string }>(
      'select number from invoices where number is not null order by finalized_at, number',
    )
    expect(new Set(numbers.map(({ number }) => number)).size).toBe(numbers.length)
  })

  it('charges for a whole period what the subscription cost then', async () => {
    const wrong = await rowsOf<{ number: string }>(`select i.number from invoices i
      join subscriptions s on s.stripe_subscription_id = i.stripe_subscription_id, jsonb_array_elements(i.lines) l
      where i.billing_reason = 'subscription_cycle' and not (l ->> 'proration')::boolean and not exists (
        select from subscription_history h where h.subscription_id = s.id and h.valid_from <= i.created_at
          and coalesce(h.valid_to >= i.created_at, true) and h.per_seat_amount * h.seats = (l ->> 'amount')::bigint)`)
    expect(wrong).toEqual([])
  })

  it('pays partners the share of what was collected, once', async () => {
    const wrong = await rowsOf<{
      id: string
    }>(`select l.id from partner_ledger l join invoices i on i.id = l.invoice_id
      where l.type = 'accrual' and (l.amount <> floor(l.base_amount * l.margin_pct / 100) and abs(l.amount - l.base_amount * l.margin_pct / 100) >= 1
        or l.base_amount > i.total_excluding_tax or l.partner_id <> i.partner_id or i.status <> 'paid')`)
    expect(wrong).toEqual([])
    const payouts = await rowsOf<{
      status: string
      amount: string
      entries: string
      charged: string
    }>(`select o.status, o.amount,
        (select sum(l.amount) from payout_entries e join partner_ledger l on l.id = e.entry_id where e.payout_id = o.id) as entries,
        (select coalesce(-sum(l.amount), 0) from partner_ledger l where l.source_type = 'payout' and l.source_id = o.id::text) as charged
      from payouts o`)
    for (const { status, amount, entries, charged } of payouts) {
      expect(String(entries)).toBe(String(amount))
      expect(String(charged)).toBe(status === 'paid' ? String(amount) : '0')
    }
    const unpaid = await rowsOf<{
      n: number
    }>(`select count(*)::int as n from invoices i where i.status = 'paid' and i.partner_id is not null
      and i.total_excluding_tax > 0 and not exists (select from partner_ledger l where l.invoice_id = i.id and l.type = 'accrual')`)
    expect(unpaid).toEqual([{ n: 0 }])
  })

  it('gives each tenant the plan and the seats of its subscription', async () => {
    const wrong = await rowsOf<{
      slug: string
    }>(`select t.slug from tenants t join subscriptions s on s.tenant_id = t.id
      where s.status in ('active', 'trialing') and s.source = 'stripe' and (t.plan <> s.plan or t.seats < s.seats)`)
    expect(wrong).toEqual([])
  })

  it('leaves every job of the service with nothing to do', async () => {
    const { services: parts } = testApp.app
    await reconcileBilling(parts)
    expect(
      await rowsOf(
        'select object_type, object_id, kind, fields from billing_differences where found_at > $$2026-11-23$$',
      ),
    ).toEqual([])
    const mails = await rowsOf<{ n: number }>('select count(*)::int as n from outbox')
    expect(await createMonthlyPayouts(parts)).toBe(0)
    await runDunning(parts)
    expect(await rowsOf<{ n: number }>('select count(*)::int as n from outbox')).toEqual(mails)
    await refreshReports(parts)
    expect(await checkReports(parts)).toBe(0)
    expect(await findDueEntitlements(parts.database.db, clock.now(), 10)).toEqual([])
    expect(await told(testApp)).toEqual(sealed)
    expect(testApp.logLines.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([])
  })
})
