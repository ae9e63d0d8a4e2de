import { formatAmount } from '@atrium/core/billing/money'
import { writtenDay } from '@atrium/core/platform/written-day'
import type { Plan } from '@atrium/core/tenants/tenants'
import type { Trx } from '@atrium/db/platform/connect'
import type { PageLanguage } from '@atrium/messages/languages'
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
      template: 'invoice.paid' | 'invoice.action_required'
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
  const subscription = { 'subscription.plan': writtenPlan(mail.plan), 'link.billing': billing }
  if ('trialEnd' in mail)
    return { ...subscription, 'subscription.trialEnd': writtenDay(mail.trialEnd, language) }
  const amount = formatAmount(mail.amount, mail.currency, language)
  return {
    ...subscription,
    'invoice.amount': amount,
    'subscription.limitedOn': writtenDay(mail.limitedOn, language),
  }
}
