import { formatAmount } from '@atrium/core/billing/money'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import { writtenDay, writtenMoment } from '@atrium/core/platform/written-day'
import type { Plan } from '@atrium/core/tenants/tenants'
import type { CustomerTenant } from '@atrium/db/billing/payment-customers'
import type { Trx } from '@atrium/db/platform/connect'
import type { ApprovalTerms } from '@atrium/db/schema/subscriptions'
import type { PageLanguage } from '@atrium/messages/languages'
import { mailTexts } from '@atrium/messages/mail'
import type { Config } from '../../platform/config.ts'
import { portalLink } from '../../platform/links.ts'
import type { InTransaction } from '../../rpc/services.ts'

export function writtenPlan(plan: Plan): string {
  return `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`
}

export interface BilledTenant {
  tenantId: string
  tenantSlug: string
  billingEmail: string | null
  ownerEmail: string | null
  ownerName: string | null
}

interface Contact {
  /** Part of the key of a mail: which of the two it went to. */
  part: 'billing' | 'owner'
  to: string
  name?: string
}

/**
 * Who is told about money: the billing contact and the owner, once when they are the same address.
 */
export function billingContacts({ billingEmail, ownerEmail, ownerName }: BilledTenant): Contact[] {
  const owner: Contact[] =
    ownerEmail === null
      ? []
      : [{ part: 'owner', to: ownerEmail, ...(ownerName === null ? {} : { name: ownerName }) }]
  if (billingEmail === null || billingEmail.toLowerCase() === ownerEmail?.toLowerCase())
    return owner
  return [{ part: 'billing', to: billingEmail }, ...owner]
}

export type BillingMail =
  | {
      template: 'subscription.past_due' | 'subscription.reminder'
      plan: Plan
      amount: bigint
      currency: string
      limitedOn: Date
    }
  | { template: 'subscription.trial_ending'; plan: Plan; trialEnd: Date }
  | {
      template: 'subscription.canceled'
      plan: Plan
      receivedAt: Date
      /** When it ends, or has ended. */
      endsAt: Date
    }
  | {
      template: 'subscription.renewal'
      plan: Plan
      renewsAt: Date
      /** In minor units. */
      amount: number
      currency: string
      /** The amount includes tax. */
      withTax: boolean
    }
  | {
      template: 'card.expiring'
      brand: string
      last4: string
      expMonth: number
      expYear: number
      chargedAt: Date
    }
  | {
      template: 'subscription.price_change'
      plan: Plan
      currency: string
      before: bigint
      after: bigint
      /** Of both amounts. */
      taxBehavior: TaxBehavior
      from: Date
      mayKeep: boolean
    }
  | { template: 'subscription.price_kept'; plan: Plan }
  | {
      template: 'invoice.paid' | 'invoice.action_required' | 'invoice.refunded' | 'invoice.credited'
      number: string
      amount: bigint
      currency: string
      link: string
    }

/**
 * Queues a mail about money to billing contact and owner; a receipt goes to one of them. `key`
 * names what it is about.
 */
export async function sendBillingMail(
  trx: Trx,
  services: InTransaction,
  tenant: BilledTenant,
  mail: BillingMail,
  key: string,
): Promise<void> {
  const contacts = billingContacts(tenant)
  for (const { part, to, name } of mail.template === 'invoice.paid'
    ? contacts.slice(0, 1)
    : contacts) {
    await services.outbox.send(trx, {
      tenantId: tenant.tenantId,
      template: mail.template,
      to,
      name,
      values: (language) => valuesOf(services.config, tenant, mail, language),
      key: `${mail.template}:${key}:${part}`,
    })
  }
}

function valuesOf(
  config: Config,
  { tenantSlug }: BilledTenant,
  mail: BillingMail,
  language: PageLanguage,
): Record<string, string> {
  const billing = portalLink(config, `/t/${tenantSlug}/billing`)
  if ('number' in mail) {
    const amount = formatAmount(mail.amount, mail.currency, language)
    return { 'invoice.number': mail.number, 'invoice.amount': amount, 'link.invoice': mail.link }
  }
  if (mail.template === 'card.expiring') {
    const { brand, last4, expMonth, expYear, chargedAt } = mail
    return {
      'card.name': `${brand.charAt(0).toUpperCase()}${brand.slice(1)} •••• ${last4}`,
      'card.expires': `${String(expMonth).padStart(2, '0')}/${expYear}`,
      'card.chargedOn': writtenDay(chargedAt, language),
      'link.billing': billing,
    }
  }
  const subscription = { 'subscription.plan': writtenPlan(mail.plan), 'link.billing': billing }
  if (mail.template === 'subscription.canceled')
    return {
      ...subscription,
      'cancellation.receivedAt': writtenMoment(mail.receivedAt, language),
      'cancellation.endsAt': writtenMoment(mail.endsAt, language),
    }
  if (mail.template === 'subscription.renewal') {
    const amount = formatAmount(BigInt(mail.amount), mail.currency, language)
    return {
      ...subscription,
      'subscription.renewsOn': writtenDay(mail.renewsAt, language),
      'invoice.amount': mailTexts(language)(mail.withTax ? 'withTax' : 'withoutTax', { amount }),
    }
  }
  if ('mayKeep' in mail)
    return {
      ...subscription,
      'price.before': formatAmount(mail.before, mail.currency, language),
      'price.after': formatAmount(mail.after, mail.currency, language),
      'price.tax': mailTexts(language)('priceTax', { tax: mail.taxBehavior }),
      'price.from': writtenDay(mail.from, language),
      'price.choice': mailTexts(language)(mail.mayKeep ? 'priceChoice.keep' : 'priceChoice.cancel'),
    }
  if (mail.template === 'subscription.price_kept') return subscription
  if ('trialEnd' in mail)
    return { ...subscription, 'subscription.trialEnd': writtenDay(mail.trialEnd, language) }
  const amount = formatAmount(mail.amount, mail.currency, language)
  return {
    ...subscription,
    'invoice.amount': amount,
    'subscription.limitedOn': writtenDay(mail.limitedOn, language),
  }
}

/** "Business, 12 seats, €96.00 a month without tax". */
export function writtenTerms(
  { plan, seats, cycle, totalMinor, taxBehavior = 'exclusive' }: ApprovalTerms,
  currency: string,
  language: PageLanguage,
): string {
  return mailTexts(language)('terms', {
    plan: writtenPlan(plan),
    seats,
    cycle,
    tax: taxBehavior,
    amount: formatAmount(BigInt(totalMinor), currency, language),
  })
}

/** A mail about what the tenant's partner orders, to the owner alone. */
export type OwnerMail = {
  partner: string
  /** As they are, or are to be; the total is of a whole period. */
  terms: ApprovalTerms
  currency: string
  /** Names the occasion: a mail of the same key is sent once. */
  key: string
} & (
  | { template: 'subscription.changed_by_partner' }
  | {
      template: 'subscription.approval_requested'
      /** What it adds to the price of a period. */
      added: bigint
      expiresOn: Date
    }
)

export async function sendOwnerMail(
  trx: Trx,
  services: InTransaction,
  tenant: CustomerTenant,
  mail: OwnerMail,
): Promise<void> {
  const { ownerEmail, ownerName, slug } = tenant
  if (ownerEmail === null) return
  const { template, partner, terms, currency, key } = mail
  await services.outbox.send(trx, {
    tenantId: tenant.id,
    template,
    to: ownerEmail,
    name: ownerName ?? undefined,
    values: (language) => ({
      'partner.name': partner,
      'change.terms': writtenTerms(terms, currency, language),
      'link.billing': portalLink(services.config, `/t/${slug}/billing`),
      ...('added' in mail && {
        'change.added': mailTexts(language)('added', {
          amount: formatAmount(mail.added, currency, language),
          tax: terms.taxBehavior ?? 'exclusive',
        }),
        'approval.expiresOn': writtenDay(mail.expiresOn, language),
      }),
    }),
    key: `${template}:${key}`,
  })
}

/** The tenant as `sendBillingMail` needs it. */
export function billedTenant(tenant: CustomerTenant): BilledTenant {
  return {
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    billingEmail: tenant.email,
    ownerEmail: tenant.ownerEmail,
    ownerName: tenant.ownerName,
  }
}
