import {
  type Charge,
  chargeKey,
  findExpiringCards,
  findRenewalsAhead,
} from '@atrium/db/billing/notices'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import type { Db } from '@atrium/db/platform/connect'
import type { Services } from '../../rpc/services.ts'
import { type BillingMail, billedTenant, sendBillingMail } from './mails.ts'
import { readNextInvoice } from './next-invoice.ts'

const batch = 200
const dayMs = 86_400_000
/** How long before a charge a mail says that the card expires before it. */
const cardNoticeDays = 30

/**
 * Mails that come before a charge: the renewal of a yearly subscription, and a card that expires
 * before it. One mail for each charge, however often and however late this runs before the charge.
 * One that fails does not hold up the others.
 */
export async function sendBillingNotices(services: Services): Promise<void> {
  const { renewalNoticeDays } = services.config.billing
  await eachCharge(services, renewalNoticeDays, findRenewalsAhead, async (charge) => {
    const next = await readNextInvoice(services, {
      id: charge.tenantId,
      partnerId: charge.partnerId,
    })
    return (
      next && {
        template: 'subscription.renewal',
        plan: charge.plan,
        renewsAt: charge.at,
        amount: next.totalMinor,
        currency: next.currency,
        withTax: next.exact,
      }
    )
  })
  await eachCharge(services, cardNoticeDays, findExpiringCards, async (charge) => {
    const { brand, last4, expMonth, expYear, at } = charge
    return { template: 'card.expiring', brand, last4, expMonth, expYear, chargedAt: at }
  })
}

type Find<Found extends Charge> = (
  db: Db,
  page: { now: Date; until: Date; after?: string; limit: number },
) => Promise<Found[]>

async function eachCharge<Found extends Charge>(
  services: Services,
  days: number,
  find: Find<Found>,
  mailOf: (charge: Found) => Promise<BillingMail | null>,
): Promise<void> {
  const { db } = services.database
  const now = services.clock.now()
  const until = new Date(now.getTime() + days * dayMs)
  for (let after: string | undefined; ; ) {
    const found = await find(db, { now, until, ...(after && { after }), limit: batch })
    for (const charge of found) {
      await queueNotice(services, charge, mailOf).catch((err: unknown) =>
        services.log.error(
          { err, subscriptionId: charge.subscriptionId },
          'failed to queue a notice about a charge',
        ),
      )
    }
    after = found.at(-1)?.subscriptionId
    if (found.length < batch) return
  }
}

async function queueNotice<Found extends Charge>(
  services: Services,
  charge: Found,
  mailOf: (charge: Found) => Promise<BillingMail | null>,
): Promise<void> {
  const mail = await mailOf(charge)
  if (!mail) return
  await services.database.db.transaction().execute(async (trx) => {
    const tenant = await findCustomerTenant(trx, charge.tenantId)
    if (tenant) await sendBillingMail(trx, services, billedTenant(tenant), mail, chargeKey(charge))
  })
}
