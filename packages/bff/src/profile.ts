import { BillingSummary, type SubscriptionSummary } from '@atrium/core/billing/billing'
import { AppError } from '@atrium/core/platform/errors'
import { UserView } from '@atrium/core/users/users'
import type { ApiProxy } from './proxy.ts'
import type { AppContext } from './request.ts'
import type { Session } from './sessions.ts'

/**
 * The stored user behind a session, from the API; `refusal` is the API's own answer when it is not
 * 200. Throws AppError `upstream_failed` for an answer in another shape.
 */
export async function readUser(
  c: AppContext,
  proxy: ApiProxy,
  session: Session,
): Promise<{ user: UserView } | { rejection: Response }> {
  const response = await proxy.forward(c, session, { method: 'GET', target: '/users/me' })
  if (response.status !== 200) return { rejection: response }
  const parsed = UserView.safeParse(await response.json().catch(() => undefined))
  if (!parsed.success)
    throw new AppError('upstream_failed', 'The platform answered in an unexpected way.', {
      cause: parsed.error,
    })
  return { user: parsed.data }
}

/** The fields that are needed here; the rest is the billing page's. */
const Billing = BillingSummary.pick({ subscription: true })

/**
 * The subscription of the person's first workplace. Null without one, and when the API does not
 * tell: a profile is shown without it rather than not at all.
 */
export async function readSubscription(
  c: AppContext,
  proxy: ApiProxy,
  session: Session,
  { tenants: [first] }: UserView,
): Promise<SubscriptionSummary | null> {
  if (!first) return null
  const response = await proxy.forward(c, session, {
    method: 'GET',
    target: `/tenants/${first.slug}/billing`,
  })
  const parsed = Billing.safeParse(await response.json().catch(() => undefined))
  return response.status === 200 && parsed.success ? parsed.data.subscription : null
}
