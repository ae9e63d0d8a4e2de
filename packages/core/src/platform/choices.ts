/**
 * Words that a field is chosen from, apart from the schemas that use them. Addresses and filters of
 * the portals need the words at once; the schemas bring zod, which only a form needs. Each list is
 * exported again beside its schema.
 */

export const tenantStatuses = ['pending', 'active', 'suspended', 'deleted'] as const
export type TenantStatus = (typeof tenantStatuses)[number]

/**
 * What a suspension disables in the upstream systems. `read_only`: people sign in and read, mail is
 * not sent, files are not changed. `no_sign_in`: mailboxes, files and applications are disabled,
 * and only owner and admins sign in to the portal.
 */
export const suspensionModes = ['read_only', 'no_sign_in'] as const

export const tenantRoles = ['member', 'admin', 'owner'] as const

export const memberStatuses = [
  'provisioning',
  'active',
  'suspended',
  'removing',
  'deactivated',
] as const

export const auditOutcomes = ['success', 'failure', 'denied'] as const

export const flagStates = ['off', 'rollout', 'on'] as const

export const mailStates = ['queued', 'sending', 'sent', 'failed', 'gave_up'] as const

/**
 * `suspended`: staff may sign in and read, nothing is written, earnings go on and payouts are held.
 * `terminated` is final.
 */
export const partnerStatuses = ['active', 'suspended', 'terminated'] as const

export const payoutStatuses = [
  'draft',
  'held',
  'approved',
  'in_transit',
  'paid',
  'failed',
  'canceled',
] as const

export const adjustmentStates = ['pending', 'entered', 'refused'] as const

export const ledgerEntryTypes = [
  'accrual',
  'clawback',
  'clawback_reversal',
  'dispute_hold',
  'dispute_release',
  'adjustment',
  'payout',
  'payout_reversal',
] as const

/**
 * `credit`: a credit note, which lowers what is due or gives money back. `write_off` and `void` end
 * an open invoice. `transfer`: it was paid by bank transfer.
 */
export const correctionKinds = ['credit', 'write_off', 'void', 'transfer'] as const

/** Where the money of a credit note on a paid invoice goes. */
export const creditDestinations = ['card', 'balance', 'outside'] as const

/**
 * `pending` waits for a second operator; `approved` for the payment processor. Only `done` has an
 * effect.
 */
export const correctionStates = ['pending', 'approved', 'done', 'failed', 'rejected'] as const

/** What people read: the processor's word and what became of the money since. */
export const invoiceDisplayStatuses = [
  'void',
  'refunded',
  'partially_refunded',
  'disputed',
  'paid',
  'uncollectible',
  'overdue',
  'open',
  'draft',
  'unknown',
] as const

export const billingCycles = ['month', 'year'] as const

/** Who knows the truth about a subscription: we alone, or the payment processor. */
export const subscriptionSources = ['manual', 'stripe'] as const

/**
 * The payment processor's eight, and `unknown` for a word that came later. Only `active` and
 * `past_due` count as recurring revenue.
 */
export const subscriptionStatuses = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
  'unknown',
] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

export const priceMigrationStates = ['running', 'stopped', 'finished'] as const

/**
 * A subscriber on the way to a newer price: not told yet, told, scheduled at the payment processor,
 * being stopped; then moved, or staying at the old price: by choice, stopped by an operator, or
 * because the subscription ended or changed.
 */
export const priceMoveStates = [
  'waiting',
  'notified',
  'scheduled',
  'stopping',
  'moved',
  'kept',
  'stopped',
  'left',
] as const

export const priceStates = ['draft', 'active', 'archived'] as const

export const failureKinds = [
  'provisioning',
  'member',
  'list',
  'mail',
  'event',
  'calendar',
  'job',
] as const

/** `stale`: older than what was applied. `parked`: given up until an operator replays it. */
export const webhookStates = [
  'received',
  'applied',
  'skipped',
  'stale',
  'ignored_mode',
  'failed',
  'parked',
] as const

/**
 * `upcoming`: hold their time and are not over, the next one first. `undecided`: of these the ones
 * that wait for the host. `past`: were held, the latest first. `ended`: cancelled, declined or
 * expired, the latest start first.
 */
export const bookingPeriods = ['upcoming', 'undecided', 'past', 'ended'] as const

export const mfaStates = ['enrolled', 'not_enrolled', 'unknown'] as const

/** What the person becomes by accepting an invitation. */
export const invitationKinds = ['member', 'owner', 'staff', 'operator'] as const
/** Those to a tenant. */
export const tenantInvitationKinds = ['member', 'owner'] as const

/**
 * `pending`: not opened yet. `opened`: the person continued from the page of the link. The last
 * four are ends; only an expired invitation can be sent again.
 */
export const invitationStates = [
  'pending',
  'opened',
  'accepted',
  'declined',
  'expired',
  'revoked',
] as const
