import { AppError } from '@atrium/core/platform/errors'
import { PaymentDeclined } from '@atrium/integrations/payments/declined'
import { UpstreamError } from '@atrium/integrations/upstream-error'

/**
 * Milliseconds that all requests of one call to the payment processor get together, tries and waits
 * included.
 */
const callDeadlineMs = 10_000

/** One deadline for everything that a call of ours asks the payment processor. */
export function paymentDeadline(): AbortSignal {
  return AbortSignal.timeout(callDeadlineMs)
}

/**
 * Carries out requests to the payment processor under one deadline, which `work` passes to each of
 * them. A declined card becomes AppError `payment_failed`, a failure of the processor
 * `upstream_failed`; both with a sentence that may be shown.
 */
export async function throughPayments<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  signal = paymentDeadline(),
): Promise<Result> {
  try {
    return await work(signal)
  } catch (error) {
    if (error instanceof PaymentDeclined)
      throw new AppError('payment_failed', error.message, { cause: error })
    if (error instanceof UpstreamError)
      throw new AppError('upstream_failed', error.message, { cause: error })
    throw error
  }
}
