import { AppError } from '@atrium/core/errors'
import { PaymentDeclined } from '@atrium/integrations/payments/declined'
import { UpstreamError } from '@atrium/integrations/upstream-error'

/**
 * Carries out calls to the payment processor. A declined card becomes AppError `payment_failed`, a failure of the processor
 * `upstream_failed`; both with a sentence that may be shown, and `consequence` behind it.
 */
export async function throughPayments<Result>(work: () => Promise<Result>, consequence?: string): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const told = (message: string) => (consequence === undefined ? message : `${message} ${consequence}`)
    if (error instanceof PaymentDeclined) throw new AppError('payment_failed', told(error.message), { cause: error })
    if (error instanceof UpstreamError) throw new AppError('upstream_failed', told(error.message), { cause: error })
    throw error
  }
}

/** The sentence of a failure of the processor; anything else is thrown on. */
export function paymentFailureSentence(error: unknown): string {
  if (error instanceof PaymentDeclined || error instanceof UpstreamError) return error.message
  throw error
}
