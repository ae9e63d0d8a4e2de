import { type BillingGateState, billingEngineFlag } from '@atrium/core/billing/billing'
import type { FlagTarget } from '@atrium/core/flags/flag-evaluation'
import { AppError } from '@atrium/core/platform/errors'
import type { Payments } from '@atrium/integrations/payments/port'
import type { Services } from '../../rpc/services.ts'

/**
 * Whether money can be moved for this tenant: the flag for the tenant, the switch of the
 * installation, and the keys, in this order.
 */
export async function billingGate(
  services: Services,
  tenant: FlagTarget,
): Promise<BillingGateState> {
  return (await readGate(services))(tenant)
}

async function readGate(services: Services): Promise<(tenant: FlagTarget) => BillingGateState> {
  const isOn = await services.flags.readFlag(billingEngineFlag)
  return ({ slug, plan, partnerSlug }) => {
    // Asked first and always, so that the flag is known to be in use while the switch is off.
    const on = isOn({ slug, plan, partnerSlug })
    if (!on || !services.config.billing.paymentsEnabled) return 'disabled'
    return services.systems.payments === null ? 'not_configured' : 'open'
  }
}

/**
 * The payment processor for a call that moves or reserves money. Throws AppError `billing_disabled`
 * or `payments_not_configured`.
 */
export async function requireOpenBilling(
  services: Services,
  tenant: FlagTarget,
): Promise<Payments> {
  return (await readOpenBilling(services))(tenant)
}

/**
 * The payment processor for a tenant. Throws AppError `billing_disabled` or
 * `payments_not_configured`.
 */
export type OpenBilling = (tenant: FlagTarget) => Payments

/**
 * `requireOpenBilling` in two parts: the flag is read before a transaction begins, and decides
 * inside it.
 */
export async function readOpenBilling(services: Services): Promise<OpenBilling> {
  const gate = await readGate(services)
  return (tenant) => {
    if (gate(tenant) === 'disabled') throw new AppError('billing_disabled')
    return requirePayments(services.systems)
  }
}

/**
 * The payment processor for a call that only reads from it. Throws AppError
 * `payments_not_configured`.
 */
export function requirePayments({ payments }: Pick<Services['systems'], 'payments'>): Payments {
  if (payments === null) throw new AppError('payments_not_configured')
  return payments
}
