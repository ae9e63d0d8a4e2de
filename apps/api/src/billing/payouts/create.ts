import {
  leastPayout,
  mostPayoutEntries,
  openPayoutStatuses,
  type PartnerPayoutView,
  type RequestPayout,
} from '@atrium/core/billing/payouts'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import { readBalances } from '@atrium/db/billing/ledger'
import {
  findPayout,
  insertPayout,
  listPayoutsDue,
  lockPayouts,
  type PayoutPartner,
  type PayoutRow,
} from '@atrium/db/billing/payouts'
import type { Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { OwnPartner } from '../../rpc/guards.ts'
import { holdOwnPartner } from '../../rpc/partner-lock.ts'
import type { Services } from '../../rpc/services.ts'
import { unknownPayout } from './get.ts'
import { toPartnerPayoutView } from './view.ts'

/**
 * A payout of what is payable now, asked for by the partner before the monthly run. AppError
 * `payout_state` while one is under way in this currency or too little is payable, and what
 * `holdOwnPartner` throws. It is held when the partner is suspended or has not agreed to
 * self-billing.
 */
export async function requestPayout(
  ctx: Context,
  own: OwnPartner,
  input: RequestPayout,
): Promise<PartnerPayoutView> {
  const { services } = ctx
  const { caller, partner } = own
  const now = services.clock.now()
  const requestedBy = caller.id ?? caller.subject
  const row = await services.database.db.transaction().execute(async (trx) => {
    await holdOwnPartner(trx, own, 'manageStaff')
    const record = await lockPayouts(trx, partner.id)
    if (!record) throw unknownPayout()
    const id = await makePayout(trx, {
      partner: record,
      currency: input.currency,
      requestedBy,
      cutOff: now,
      now,
    })
    if (!id) throw await whyNone(trx, partner.id, input.currency, now)
    const made = await findPayout(trx, id)
    if (!made) throw unknownPayout()
    await services.audit.record(ctx, caller, requested(made), trx)
    return made
  })
  return toPartnerPayoutView(row)
}

const requested = ({ id, currency, partnerSlug, amount, status }: PayoutRow): AuditEntry => ({
  action: 'payout.requested',
  resourceType: 'payout',
  resourceId: id,
  resourceName: currency,
  partnerSlug,
  metadata: { amountMinor: amount, currency, status },
})

async function whyNone(
  trx: Trx,
  partnerId: string,
  currency: string,
  now: Date,
): Promise<AppError> {
  const balances = await readBalances(trx, partnerId, now, now)
  const open = balances.find((balance) => balance.currency === currency)?.openPayoutStatus
  return open && openPayoutStatuses.some((status) => status === open)
    ? new AppError('payout_state', errorText('payoutUnderWay'))
    : new AppError('payout_state', errorText('payoutTooSmall'))
}

interface PayoutInput {
  partner: PayoutPartner
  currency: string
  /** Null for the monthly run. */
  requestedBy: string | null
  cutOff: Date
  now: Date
}

/** Requires `lockPayouts`. Undefined when there is too little, or one is under way. */
async function makePayout(
  trx: Trx,
  { partner, currency, requestedBy, cutOff, now }: PayoutInput,
): Promise<string | undefined> {
  const heldReason = reasonToHold(partner)
  return insertPayout(trx, {
    partnerId: partner.id,
    currency,
    requestedBy,
    cutOff,
    now,
    status: heldReason === null ? 'draft' : 'held',
    heldReason,
    minimum: leastPayout(currency),
    mostEntries: mostPayoutEntries,
  })
}

/** Why nothing can be paid to this partner now, in words for people; null when it can. */
export function reasonToHold(
  partner: Pick<PayoutPartner, 'status' | 'selfBillingConsentAt'>,
): string | null {
  if (partner.status === 'suspended') return stepFailureText('partnerSuspended')
  return partner.selfBillingConsentAt === null ? stepFailureText('noSelfBilling') : null
}

/**
 * The monthly run: one payout per partner and currency of what had become available when the month
 * began (UTC). It may run any number of times within the month, so that a run that was missed is
 * made up for; a payout that an operator canceled is not made again.
 */
export async function createMonthlyPayouts(services: Services): Promise<number> {
  const { database, clock, audit, log } = services
  const now = clock.now()
  const monthStart = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
  let made = 0
  for (const { partnerId, currency } of await listPayoutsDue(database.db, monthStart)) {
    try {
      const row = await database.db.transaction().execute(async (trx) => {
        const partner = await lockPayouts(trx, partnerId)
        // Looked at again under the lock: another process may have been faster.
        const due = (await listPayoutsDue(trx, monthStart)).some(
          (one) => one.partnerId === partnerId && one.currency === currency,
        )
        if (!partner || !due) return undefined
        const id = await makePayout(trx, {
          partner,
          currency,
          requestedBy: null,
          cutOff: monthStart,
          now,
        })
        const payout = id === undefined ? undefined : await findPayout(trx, id)
        if (payout) await audit.recordSystem(requested(payout), trx)
        return payout
      })
      if (row) made++
    } catch (err) {
      // One partner must not keep the others from being paid.
      log.error({ err, partnerId, currency }, 'a payout could not be made')
    }
  }
  return made
}
