/** Messages to people of a tenant, which the tenant may brand. */
export const templateKeys = [
  'member.welcome',
  'member.invited',
  'member.access_link',
  'member.password_link',
  'member.password_reset',
  'member.app_password_created',
  'member.sessions_ended',
  'member.second_factors_reset',
  'member.second_factor_reminder',
  'domain.lapsed',
  'domain.superseded',
  'booking.requested',
  'booking.confirmed',
  'booking.moved',
  'booking.replaced',
  'booking.cancelled',
  'booking.declined',
  'booking.expired',
  'booking.reminder',
  'booking.host_requested',
  'booking.host_booked',
  'booking.host_moved',
  'booking.host_reassigned',
  'booking.host_cancelled',
  'booking.host_conflict',
  'subscription.past_due',
  'subscription.reminder',
  'subscription.trial_ending',
  'subscription.price_change',
  'subscription.price_kept',
  'subscription.canceled',
  'subscription.renewal',
  'subscription.approval_requested',
  'subscription.changed_by_partner',
  'card.expiring',
  'invoice.paid',
  'invoice.action_required',
  'invoice.refunded',
  'invoice.credited',
] as const
export type TemplateKey = (typeof templateKeys)[number]

/**
 * Messages from the platform itself, to partners and operators, and to owners about who has access.
 * They cannot be overridden.
 */
export const platformTemplateKeys = [
  'address.claimed',
  'address.claimed_elsewhere',
  'address.detached',
  'address.claim_held',
  'address.change',
  'partner.invited',
  'operator.invited',
  'partner.approval_decided',
  'partner.customer_left',
  'tenant.partner_changed',
  'payout.paid',
  'flag.rolled_back',
  'access.requested',
  'access.decided',
  'access.break_glass',
  'service_token.expiring',
  'webhook_endpoint.disabled',
] as const

export type PlatformTemplateKey = (typeof platformTemplateKeys)[number]

export const mailTemplateKeys = [...templateKeys, ...platformTemplateKeys] as const
export type MailTemplateKey = (typeof mailTemplateKeys)[number]

/** The message as tenants may brand it; undefined for one of the platform's own. */
export function brandableKey(key: MailTemplateKey): TemplateKey | undefined {
  return templateKeys.find((brandable) => brandable === key)
}
