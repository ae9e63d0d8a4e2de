import { failureText } from '@atrium/core/platform/failure-text'
import type { PriceRow } from '@atrium/db/billing/prices'
import { saveStripePrice } from '@atrium/db/billing/prices'
import type { Payments } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'

const deadlineMs = 10_000

/** The payment processor, where this installation has one and payments are switched on. */
export function priceProcessor({ systems, config }: Services): Payments | null {
  return config.billing.paymentsEnabled ? systems.payments : null
}

/**
 * Creates the price at the payment processor in each currency where it is missing, and records the
 * outcome. A retry never creates a second price: the key of each is the price's id and currency.
 * True when every currency has its price, and where there is no processor.
 */
export async function createAtProcessor(services: Services, price: PriceRow): Promise<boolean> {
  const payments = priceProcessor(services)
  if (!payments) return true
  let complete = true
  for (const { currency, unitAmount, tiers, stripePriceId } of price.amounts) {
    if (stripePriceId !== null) continue
    const { plan, cycle, scheme, taxBehavior, version } = price
    try {
      const created = await payments.createPrice(
        {
          plan,
          cycle,
          currency,
          scheme,
          unitAmount,
          tiers,
          priceId: price.id,
          version,
          taxBehavior,
        },
        { idempotencyKey: creationKey(price, currency), signal: AbortSignal.timeout(deadlineMs) },
      )
      await saveStripePrice(services.database.db, price.id, currency, { stripePriceId: created.id })
    } catch (error) {
      complete = false
      await saveStripePrice(services.database.db, price.id, currency, {
        error: sentenceOf(error, 'createPrice'),
      })
    }
  }
  return complete
}

/**
 * Amounts and tax behavior are part of it: a draft that was changed after a failed try is another
 * price.
 */
function creationKey({ id, scheme, taxBehavior, amounts }: PriceRow, currency: string): string {
  const amount = amounts.find((one) => one.currency === currency)
  const tiers = (amount?.tiers ?? []).map(
    ({ upTo, unitAmount, flatAmount }) => `${upTo ?? 'inf'}-${unitAmount}-${flatAmount}`,
  )
  const terms = [scheme, taxBehavior, amount?.unitAmount, ...tiers]
  return ['price', id, currency, ...terms].join(':').slice(0, 250)
}

/**
 * Takes the price out of new sales at the payment processor, as far as it can be reached:
 * subscriptions at it go on either way, and here nobody can buy it any more. What failed is written
 * to the price, which is returned with it.
 */
export async function archiveAtProcessor(services: Services, price: PriceRow): Promise<PriceRow> {
  const payments = priceProcessor(services)
  if (!payments) return price
  const amounts: PriceRow['amounts'][number][] = []
  for (const amount of price.amounts) {
    const { currency, stripePriceId } = amount
    if (stripePriceId === null) {
      amounts.push(amount)
      continue
    }
    const error = await archiveCurrency(payments, price.id, currency, stripePriceId)
    await saveStripePrice(services.database.db, price.id, currency, { error })
    amounts.push({ ...amount, error })
  }
  return { ...price, amounts }
}

/** Returns what failed, or null. */
async function archiveCurrency(
  payments: Payments,
  priceId: string,
  currency: string,
  stripePriceId: string,
): Promise<string | null> {
  try {
    await payments.archivePrice(stripePriceId, {
      idempotencyKey: `price-archive:${priceId}:${currency}`,
      signal: AbortSignal.timeout(deadlineMs),
    })
    return null
  } catch (error) {
    return sentenceOf(error, 'archivePrice')
  }
}

/** Our own words about a failure. Throws what is no failure of the processor. */
function sentenceOf(error: unknown, call: string): string {
  if (error instanceof UpstreamError) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const seconds = deadlineMs / 1000
    return failureText({ system: 'payments', call, kind: 'timeout', seconds })
  }
  throw error
}
