import { type BillingGateState, billingEngineFlag } from '@atrium/core/billing'
import { AppError } from '@atrium/core/errors'
import type { FlagTarget } from '@atrium/core/flag-evaluation'
import type { Payments } from '@atrium/integrations/payments/port'
import type { House } from '../house.ts'

/** Whether money can be moved for this tenant: the flag for the tenant, the switch of the installation, and the keys, in this order. */
export async function billingGate(house: House, tenant: FlagTarget): Promise<BillingGateState> {
  return (await readGate(house))(tenant)
}

async function readGate(house: House): Promise<(tenant: FlagTarget) => BillingGateState> {
  const isOn = await house.flags.readFlag(billingEngineFlag)
  return ({ slug, plan, partnerSlug }) => {
    // Asked first and always, so that the flag is known to be in use while the switch is off.
    const on = isOn({ slug, plan, partnerSlug })
    if (!on || !house.config.billing.paymentsEnabled) return 'disabled'
    return house.systems.payments === null ? 'not_configured' : 'open'
  }
}

/** The payment processor for a call that moves or reserves money. Throws AppError `billing_disabled` or `payments_not_configured`. */
export async function requireOpenBilling(house: House, tenant: FlagTarget): Promise<Payments> {
  return (await readOpenBilling(house))(tenant)
}

/** The payment processor for a tenant. Throws AppError `billing_disabled` or `payments_not_configured`. */
export type OpenBilling = (tenant: FlagTarget) => Payments

/** `requireOpenBilling` in two parts: the flag is read before a transaction begins, and decides inside it. */
export async function readOpenBilling(house: House): Promise<OpenBilling> {
  const gate = await readGate(house)
  return (tenant) => {
    if (gate(tenant) === 'disabled') throw new AppError('billing_disabled')
    return requirePayments(house.systems)
  }
}

/** The payment processor for a call that only reads from it. Throws AppError `payments_not_configured`. */
export function requirePayments({ payments }: Pick<House['systems'], 'payments'>): Payments {
  if (payments === null) throw new AppError('payments_not_configured')
  return payments
}
