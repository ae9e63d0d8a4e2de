import { payableOf } from '@atrium/core/billing/ledger'
import { toMinorNumber } from '@atrium/core/billing/money'
import {
  type AdjustmentView,
  type LedgerEntryView,
  leastPayout,
  type PartnerBalance,
  type PartnerPayoutView,
  type PayoutView,
} from '@atrium/core/billing/payouts'
import type { BalanceRow, LedgerRow } from '@atrium/db/billing/ledger'
import type { AdjustmentRow, PayoutRow } from '@atrium/db/billing/payouts'

import { readFailure } from '../../rpc/reader-language.ts'

const iso = (at: Date | null) => at?.toISOString() ?? null
const minor = (amount: string | null) => (amount === null ? null : toMinorNumber(amount))

export function toLedgerEntryView(row: LedgerRow): LedgerEntryView {
  const { amount, base, availableAt, createdAt, ...plain } = row
  return {
    ...plain,
    amountMinor: toMinorNumber(amount),
    baseMinor: minor(base),
    availableAt: availableAt.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}

export function toPayoutView(row: PayoutRow): PayoutView {
  const {
    partnerId: _,
    requestedById: __,
    approvedById: ___,
    selfBillingConsentAt: ____,
    amount,
    ...plain
  } = row
  return {
    ...plain,
    amountMinor: toMinorNumber(amount),
    heldReason: readFailure(row.heldReason),
    periodFrom: iso(row.periodFrom),
    periodTo: row.periodTo.toISOString(),
    approvedAt: iso(row.approvedAt),
    sentAt: iso(row.sentAt),
    paidAt: iso(row.paidAt),
    canceledAt: iso(row.canceledAt),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Without the people who asked for it and approved it: operators are not named to partners. */
export function toPartnerPayoutView(row: PayoutRow): PartnerPayoutView {
  const { requestedBy, approvedBy: _, ...view } = toPayoutView(row)
  return { ...view, requested: requestedBy !== null }
}

export function toBalance(row: BalanceRow): PartnerBalance {
  const { currency, openPayoutId: id, openPayoutStatus: status, openPayoutAmount } = row
  const [available, reserved] = [BigInt(row.available), BigInt(row.reserved)]
  return {
    currency,
    balanceMinor: toMinorNumber(row.balance),
    availableMinor: toMinorNumber(available),
    pendingMinor: toMinorNumber(row.pending),
    reservedMinor: toMinorNumber(reserved),
    payableMinor: toMinorNumber(
      payableOf({ balance: BigInt(row.balance), available, reserved }).toString(),
    ),
    minimumMinor: toMinorNumber(leastPayout(currency)),
    earnedThisMonthMinor: toMinorNumber(row.earned),
    paidOutMinor: toMinorNumber(row.paidOut),
    nextAvailableAt: iso(row.nextAvailableAt),
    openPayout:
      id && status && openPayoutAmount
        ? { id, status, amountMinor: toMinorNumber(openPayoutAmount) }
        : null,
  }
}

export function toAdjustmentView(row: AdjustmentRow): AdjustmentView {
  const { partnerId: _, requestedById: __, amount, ...plain } = row
  return {
    ...plain,
    amountMinor: toMinorNumber(amount),
    createdAt: row.createdAt.toISOString(),
    decidedAt: iso(row.decidedAt),
  }
}
