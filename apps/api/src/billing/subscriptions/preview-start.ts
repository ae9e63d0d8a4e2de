import {
  periodAt,
  type StartPreview,
  type StartSubscription,
} from '@atrium/core/billing/subscriptions'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import { AppError } from '@atrium/core/platform/errors'
import { findPaymentCustomer } from '@atrium/db/billing/payment-customers'
import { findLiveSubscription } from '@atrium/db/billing/subscriptions'
import type { Payments } from '@atrium/integrations/payments/port'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { requireOpenBilling } from '../invoices/gate.ts'
import { readTaxBuyer } from '../taxes/buyer.ts'
import { taxOfSale } from '../taxes/sale-tax.ts'
import { toPreviewLine, toPreviewTotals } from '../taxes/view.ts'
import { askProcessor } from './at-processor.ts'
import { needsApproval } from './consent.ts'
import { exists, isReplaceable } from './start.ts'
import { offeredTarget, rejectBelowAssigned } from './target.ts'
import { mayHaveTrial } from './trials.ts'

/**
 * What `startSubscription` with the same input would charge, with tax, computed by the payment
 * processor. Nothing is written. Throws AppError `subscription_exists`, `price_unavailable`,
 * `invalid_input`, `billing_disabled`, `payments_not_configured`, `billing_address_incomplete`,
 * `upstream_failed`.
 */
export async function previewStart(
  { services }: Context,
  access: Access,
  input: StartSubscription,
): Promise<StartPreview> {
  const { tenant } = access
  if (tenant.status === 'deleted') throw new AppError('tenant_deleted')
  const { db } = services.database
  const payments = await requireOpenBilling(services, tenant)
  const now = services.clock.now()
  const { plan, cycle, seats, currency } = input
  const target = await offeredTarget(
    db,
    { plan, cycle, seats, currency, source: 'stripe' },
    { tenantId: tenant.id, partnerId: tenant.partnerId, at: now },
  )
  await rejectBelowAssigned(db, tenant.id, seats)
  const live = await findLiveSubscription(db, tenant.id)
  if (live && !isReplaceable(live, target, currency)) throw exists(live)
  const { stripePriceId: priceId, taxBehavior } = target
  if (!priceId) throw new AppError('price_unavailable')
  const trialDays = (await mayHaveTrial(db, tenant.id)) ? target.trialDays : 0
  const trialEnd = trialDays > 0 ? new Date(now.getTime() + trialDays * 86_400_000) : null
  const terms = { tenantId: tenant.id, taxBehavior, priceId, currency, seats, trialEnd }
  const { first, recurring, credit } = await computed(services, payments, terms)
  const creditMinor = Math.min(Math.max(0, credit), Math.max(0, first.total))
  return {
    plan,
    cycle,
    currency,
    seats,
    trialEnd: trialEnd?.toISOString() ?? null,
    lines: first.lines.map(toPreviewLine),
    ...toPreviewTotals(first),
    creditMinor,
    amountDueMinor: first.total - creditMinor,
    recurring: toPreviewTotals(recurring),
    nextInvoiceAt: (trialEnd ?? periodAt(now, cycle, now).end).toISOString(),
    needsApproval: await needsApproval(services, access, {
      kind: 'start',
      currency,
      before: null,
      after: target,
    }),
  }
}

interface PreviewTerms {
  tenantId: string
  taxBehavior: TaxBehavior
  priceId: string
  currency: string
  seats: number
  trialEnd: Date | null
}

async function computed(
  services: Services,
  payments: Payments,
  { tenantId, taxBehavior, ...terms }: PreviewTerms,
) {
  const { db } = services.database
  const buyer = await readTaxBuyer(db, tenantId)
  const customerId = (await findPaymentCustomer(db, tenantId))?.customerId
  return askProcessor(async (signal) => {
    const sale = await taxOfSale(services.config, payments, buyer, taxBehavior, { signal })
    const { address, validVatNumber } = buyer
    const taxIds = validVatNumber === null ? [] : [{ type: 'eu_vat', value: validVatNumber }]
    const [preview, customer] = await Promise.all([
      payments.previewSubscription(
        { ...terms, customer: { address, taxExempt: sale.taxExempt, taxIds }, tax: sale.tax },
        { signal },
      ),
      customerId ? payments.findCustomer(customerId, { signal }) : undefined,
    ])
    return { ...preview, credit: customer?.credits[terms.currency] ?? 0 }
  })
}
