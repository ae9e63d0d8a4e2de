import { faultsOfPrice, type PriceSettings } from '@atrium/core/billing/prices'
import type { BillingCycle } from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import type { Plan } from '@atrium/core/tenants/tenants'
import { findPriceOnSale, partnerIdsBySlug } from '@atrium/db/billing/prices'
import type { Db, Trx } from '@atrium/db/platform/connect'

/**
 * Throws AppError `invalid_input` for what is wrong between the fields, and for partners that there
 * are not. Answers their ids.
 */
export async function checkPrice(
  db: Db | Trx,
  settings: PriceSettings,
  partnerSlugs: readonly string[] | null,
): Promise<readonly string[] | null> {
  const found = await partnerIdsBySlug(db, partnerSlugs ?? [])
  const issues: IssueText[] = faultsOfPrice(settings)
  for (const [index, slug] of (partnerSlugs ?? []).entries()) {
    if (!found.has(slug))
      issues.push({
        path: `partnerSlugs.${index}`,
        message: errorText('unknownPartnerNamed', { slug }),
      })
  }
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  return partnerSlugs === null ? null : partnerSlugs.flatMap((slug) => found.get(slug) ?? [])
}

/**
 * Throws AppError `currency_dropped` when the price on sale has currencies that the one to take its
 * place has not, unless they are named in `leaveOut`.
 */
export async function rejectDroppedCurrencies(
  db: Db | Trx,
  price: { plan: Plan; cycle: BillingCycle; amounts: readonly { currency: string }[] },
  leaveOut: readonly string[] = [],
): Promise<void> {
  const onSale = await findPriceOnSale(db, price.plan, price.cycle)
  const kept = new Set([...price.amounts.map(({ currency }) => currency), ...leaveOut])
  const dropped = (onSale?.amounts ?? []).filter(({ currency }) => !kept.has(currency))
  if (dropped.length === 0) return
  const currencies = dropped.map(({ currency }) => currency.toUpperCase())
  const message = errorText('currencyDropped', { currencies })
  throw new AppError('currency_dropped', message, { issues: [{ path: 'leaveOut', message }] })
}
