import { reasonToHold } from '@atrium/api/billing/payouts/create'
import { writeStatement } from '@atrium/api/billing/payouts/statement'
import { leastPayout, mostPayoutEntries } from '@atrium/core/billing/payouts'
import { statementNumber } from '@atrium/core/billing/statements'
import type { DemoHistory } from '@atrium/core/demo/demo-history'
import { insertLedgerEntry } from '@atrium/db/billing/ledger'
import {
  countStatements,
  findPayout,
  insertPayout,
  listPayoutsDue,
  lockPayouts,
  type PayoutPartner,
  updatePayout,
} from '@atrium/db/billing/payouts'
import type { Trx } from '@atrium/db/platform/connect'
import type { HistoricAudit } from './audit.ts'
import type { BillingStep } from './billing.ts'
import { isoDay } from './companies.ts'

const [minuteMs, dayMs] = [60_000, 86_400_000]

interface Parts {
  readonly history: DemoHistory
  readonly operator: { readonly id: string; readonly email: string }
  readonly audit: HistoricAudit
}

/**
 * The monthly runs: what was payable is paid three days later; of the newest run one payout waits
 * for its approval and one is on its way.
 */
export function payoutSteps(parts: Parts): BillingStep[] {
  const { until, partners } = parts.history
  const first = Math.min(...partners.map(({ since }) => since.getTime()))
  const starts: Date[] = []
  for (let month = new Date(first); ; month = starts.at(-1) ?? until) {
    const next = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1))
    if (next.getTime() + dayMs > until.getTime()) break
    starts.push(next)
  }
  return starts.map((start, index) => {
    const at = new Date(start.getTime() + 41 * minuteMs)
    return {
      at,
      run: (trx) => runMonth(trx, parts, { start, at, newest: index === starts.length - 1 }),
    }
  })
}

async function runMonth(
  trx: Trx,
  parts: Parts,
  { start, at, newest }: { start: Date; at: Date; newest: boolean },
): Promise<void> {
  for (const { partnerId, currency } of await listPayoutsDue(trx, start)) {
    const partner = await lockPayouts(trx, partnerId)
    if (!partner) continue
    const heldReason = reasonToHold(partner)
    const id = await insertPayout(trx, {
      partnerId,
      currency,
      requestedBy: null,
      cutOff: start,
      now: at,
      minimum: leastPayout(currency),
      status: heldReason === null ? ('draft' as const) : ('held' as const),
      heldReason,
      mostEntries: mostPayoutEntries,
    })
    if (id === undefined) continue
    const made = await findPayout(trx, id)
    if (!made) throw new Error('a payout is never deleted')
    const about = {
      resourceType: 'payout',
      resourceId: id,
      resourceName: currency,
      partnerSlug: partner.slug,
    }
    const sum = { amountMinor: made.amount, currency }
    parts.audit.system(at, {
      action: 'payout.requested',
      ...about,
      metadata: { ...sum, status: made.status },
    })
    if (heldReason !== null || (newest && partner.slug === 'north')) continue
    await move(trx, parts, { id, partner, sum, at, sent: newest })
  }
}

interface Moving {
  readonly id: string
  readonly partner: PayoutPartner
  readonly sum: { amountMinor: string; currency: string }
  readonly at: Date
  /** It is on its way and has not arrived. */
  readonly sent: boolean
}

async function move(
  trx: Trx,
  { operator, audit, history }: Parts,
  { id, partner, sum, at, sent }: Moving,
): Promise<void> {
  const { currency } = sum
  const after = (days: number) =>
    new Date(Math.min(at.getTime() + days * dayMs, history.until.getTime() - minuteMs))
  const [approvedAt, sentAt, paidAt] = [after(1), after(2), after(3)]
  const approved = { approved_by: operator.id, approved_at: approvedAt }
  const actor = {
    type: 'operator',
    id: operator.id,
    email: operator.email,
    ip: '198.51.100.20',
    source: 'operator',
  } as const
  const about = {
    resourceType: 'payout',
    resourceId: id,
    resourceName: currency,
    partnerSlug: partner.slug,
  }
  audit.by(actor, approvedAt, {
    action: 'payout.approved',
    ...about,
    metadata: { ...sum, status: ['draft', 'approved'] },
  })
  if (sent) {
    await updatePayout(trx, id, { status: 'in_transit', ...approved, sent_at: sentAt }, sentAt)
    audit.by(actor, sentAt, {
      action: 'payout.sent',
      ...about,
      metadata: { ...sum, status: ['approved', 'in_transit'] },
    })
    return
  }
  const payout = await findPayout(trx, id)
  if (!payout) throw new Error('a payout is never deleted')
  const reference = `SEPA ${isoDay(paidAt).replaceAll('-', '')}-${partner.slug.toUpperCase()}`
  const number = statementNumber(partner.slug, await countStatements(trx, partner.id))
  await insertLedgerEntry(trx, {
    partnerId: partner.id,
    currency,
    type: 'payout',
    amount: -BigInt(payout.amount),
    sourceType: 'payout',
    sourceId: id,
    availableAt: paidAt,
    createdAt: paidAt,
  })
  const paid = { ...payout, statementNumber: number, paidAt, reference }
  const kept = {
    statement_number: number,
    statement: JSON.stringify(await writeStatement(trx, paid)),
  }
  await updatePayout(
    trx,
    id,
    { status: 'paid', ...approved, sent_at: sentAt, paid_at: paidAt, reference, ...kept },
    paidAt,
  )
  audit.by(actor, paidAt, {
    action: 'payout.paid',
    ...about,
    metadata: { ...sum, status: ['approved', 'paid'], reference },
  })
}
