import type { PortalSession } from '@atrium/core/billing/billing'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { portalLink } from '../../platform/links.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { ensureCustomer } from './customer.ts'
import { throughPayments } from './failures.ts'
import { requireOpenBilling } from './gate.ts'
import { rejectDeleted } from './open.ts'

/**
 * A link of short life to the payment processor's own pages about this customer, which lead back to
 * the billing page.
 */
export async function createPortalSession(
  { services, request }: Context,
  access: Access,
): Promise<PortalSession> {
  rejectDeleted(access)
  const payments = await requireOpenBilling(services, access.tenant)
  const returnUrl = portalLink(services.config, `/t/${access.tenant.slug}/billing`)
  if (returnUrl === '') throw new AppError('integration_off', errorText('portalUrlMissing'))
  const { url } = await throughPayments(async (signal) => {
    const customerId = await ensureCustomer(services, payments, access.tenant.id, signal)
    return payments.createPortalSession(customerId, returnUrl, {
      idempotencyKey: `portal:${access.tenant.id}:${request.requestId}`,
      signal,
    })
  })
  return { url }
}
