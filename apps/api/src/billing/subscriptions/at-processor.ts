import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Plan } from '@atrium/core/tenants/tenants'
import { PaymentDeclined, TaxLocationInvalid } from '@atrium/integrations/payments/declined'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { paymentDeadline } from '../invoices/failures.ts'
import { addressIncomplete } from '../taxes/sale-tax.ts'

/** The tenant that subscribes, as the gate and the catalog look at it. */
export interface Subscriber {
  id: string
  slug: string
  plan: Plan
  partnerId: string | null
  partnerSlug: string | null
}

/**
 * How many transactions may wait for the payment processor at once, so that the others find a
 * connection when it is slow.
 */
const mostAtOnce = 3

interface KeyedLimiter {
  taken: number
  waiting: (() => void)[]
}
const turnsOf = new WeakMap<Services, KeyedLimiter>()

/**
 * Does work that asks the payment processor within a transaction: what it says is then applied in
 * the order in which it was said. A few at a time; the others wait before they begin theirs.
 */
export async function oneAtATime<Result>(
  services: Services,
  work: () => Promise<Result>,
): Promise<Result> {
  const turns = turnsOf.get(services) ?? { taken: 0, waiting: [] }
  turnsOf.set(services, turns)
  if (turns.taken >= mostAtOnce) await new Promise<void>((go) => turns.waiting.push(go))
  else turns.taken += 1
  try {
    return await work()
  } finally {
    const next = turns.waiting.shift()
    if (next) next()
    else turns.taken -= 1
  }
}

/**
 * Asks the payment processor under a deadline, which is shorter than a statement may wait for the
 * lock that is held meanwhile. Who asks several times in one call passes one `signal`. Throws
 * AppError `payment_failed` for a declined card, `billing_address_incomplete` for an address
 * without a tax location, `upstream_failed` for the rest.
 */
export async function askProcessor<Result>(
  ask: (signal: AbortSignal) => Promise<Result>,
  signal = paymentDeadline(),
): Promise<Result> {
  try {
    return await ask(signal)
  } catch (error) {
    if (error instanceof PaymentDeclined)
      throw new AppError('payment_failed', error.message, { cause: error })
    if (error instanceof TaxLocationInvalid) throw addressIncomplete('address', error)
    if (error instanceof UpstreamError)
      throw new AppError('upstream_failed', error.message, { cause: error })
    if (signal.aborted) throw new AppError('upstream_failed', errorText('processorTimeout'))
    throw error
  }
}
