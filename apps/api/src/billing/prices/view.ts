import type { OfferedPrice, PriceSettings, PriceView } from '@atrium/core/billing/prices'
import type { PriceRow } from '@atrium/db/billing/prices'
import { withEditVersion } from '../../rpc/edit-version.ts'
import { readFailure } from '../../rpc/reader-language.ts'

export function toPriceView(row: PriceRow): PriceView {
  const view = {
    ...row,
    amounts: row.amounts.map((amount) => ({ ...amount, error: readFailure(amount.error) })),
    visibleFrom: row.visibleFrom?.toISOString() ?? null,
    visibleUntil: row.visibleUntil?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
  // With the time: an update of a price on sale goes into another row and only marks this one.
  const {
    scheme,
    taxBehavior,
    minSeats,
    maxSeats,
    trialDays,
    visibleFrom,
    visibleUntil,
    partnerSlugs,
    note,
    state,
    updatedAt,
  } = view
  const amounts = row.amounts.map(({ currency, unitAmount, tiers }) => [
    currency,
    unitAmount,
    tiers,
  ])
  const terms = [
    scheme,
    taxBehavior,
    minSeats,
    maxSeats,
    trialDays,
    visibleFrom,
    visibleUntil,
    partnerSlugs,
    note,
    state,
  ]
  return withEditVersion(view, [...terms, amounts, updatedAt])
}

export function toOfferedPrice({
  id,
  plan,
  cycle,
  scheme,
  taxBehavior,
  minSeats,
  maxSeats,
  trialDays,
  amounts,
}: PriceRow): OfferedPrice {
  const offered = amounts.map(({ currency, unitAmount, tiers, stripePriceId }) => ({
    currency,
    unitAmount,
    tiers,
    payable: stripePriceId !== null,
  }))
  return { id, plan, cycle, scheme, taxBehavior, minSeats, maxSeats, trialDays, amounts: offered }
}

/** The price as it is checked before it is saved or put on sale. */
export function settingsOf(row: PriceRow): PriceSettings {
  return {
    ...row,
    visibleFrom: row.visibleFrom?.toISOString() ?? null,
    visibleUntil: row.visibleUntil?.toISOString() ?? null,
  }
}
