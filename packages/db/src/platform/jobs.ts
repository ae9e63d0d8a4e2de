/**
 * Queues of the job engine. A job only triggers work whose state is in our own rows, so losing the
 * engine loses nothing.
 */
export const queues = {
  /**
   * Finishes what a tenant's provisioning left undone. Data: `{ tenantId }`. At most one waiting
   * per tenant.
   */
  provisioning: 'provisioning',
  /** Finds tenants whose provisioning no worker holds. */
  provisioningSweep: 'provisioning-sweep',
  /** Removes applications that an interrupted creation or removal left at the identity provider. */
  ssoSweep: 'sso-sweep',
  /** Brings the mail server to lists whose change it has not got. */
  listSweep: 'list-sweep',
  /**
   * Finishes what upstream systems left undone for a member. Data: `{ tenantId, userId }`. At most
   * one waiting per member.
   */
  members: 'members',
  /** Goes on with an import of members. Data: `{ importId }`. At most one waiting per import. */
  memberImports: 'member-imports',
  /** Finds file accounts that came back after their person was removed. */
  formerFileAccounts: 'former-file-accounts',
  /** Finds members and imports that no worker holds. */
  memberSweep: 'member-sweep',
  /**
   * Asks upstream systems about the members of a tenant or the staff of a partner. Data:
   * `{ tenantId | partnerId, kind }`. At most one waiting per group and kind.
   */
  readings: 'readings',
  /** Checks the domains that are due against live DNS. */
  domainChecks: 'domain-checks',
  /**
   * Sends the mails that are due. One wake-up per mail, so that none waits for another's
   * transaction.
   */
  outbox: 'outbox',
  /** Finds mails that no worker holds. */
  outboxSweep: 'outbox-sweep',
  /** Ends access grants by the clock, and records ends that came with another change. */
  accessGrants: 'access-grants',
  /** Turns flags off whose guard rules are broken. */
  flagGuards: 'flag-guards',
  /** Ends the periods of subscriptions, and carries out what waited for that. */
  subscriptions: 'subscriptions',
  /** Asks the EU's register about VAT numbers that are due. */
  vatChecks: 'vat-checks',
  /** Creates the payouts of the month. */
  payouts: 'payouts',
  /** Computes how healthy every tenant is. */
  health: 'health',
  /** Delivers events to the endpoints of tenants, partners and the platform. */
  eventDeliveries: 'event-deliveries',
  /** Acts on the payment processor's events. At most one wake-up waits. */
  webhooks: 'webhooks',
  /** Finds events that no worker holds. */
  webhookSweep: 'webhook-sweep',
  /** Reminds, limits and lifts by the clock. */
  dunning: 'dunning',
  /** Mails what comes before a charge, and ends requests for approval that nobody decided. */
  billingNotices: 'billing-notices',
  /** Compares subscriptions and invoices with the payment processor, every night. */
  billingReconcile: 'billing-reconcile',
  /** Reads what moved the balance at the payment processor. */
  processorBalance: 'processor-balance',
  /** Counts what changed in subscriptions into the sums of the reports. */
  reports: 'reports',
  /** Compares the sums of the reports with the history. */
  reportChecks: 'report-checks',
  /** Revokes mailbox credentials that are no longer needed. */
  credentials: 'credentials',
  /** Expires booking requests that were not decided in time. */
  bookingExpiry: 'booking-expiry',
  /** Writes bookings into hosts' calendars. */
  calendarWrites: 'calendar-writes',
  /** Finds calendars that no worker holds. */
  calendarSweep: 'calendar-sweep',
  /** Compares hosts' calendars with what was written into them. */
  calendarChecks: 'calendar-checks',
  /** Reminds visitors of their bookings. */
  bookingReminders: 'booking-reminders',
  /** Purges deleted tenants whose time to be restored is over. */
  tenantPurges: 'tenant-purges',
  /** Deletes expired sessions and stored responses, and prepares audit partitions. */
  cleanup: 'cleanup',
} as const

export const jobSchema = 'jobs'

/**
 * Moves waiting jobs of a queue (`$1`) with these keys (`$2`) forward to `$3` seconds from now, and
 * never back; returns their keys. The engine's own update sets a time whatever it was before. A job
 * that a transaction moves is not begun before that ends.
 */
export const moveForward = `
  update ${jobSchema}.job set start_after = least(start_after, now() + make_interval(secs => $3))
  where name = $1 and singleton_key = any($2) and state = 'created' returning singleton_key as key`

/**
 * The queues with jobs that can be begun now (`due`), and with jobs whose process was killed or
 * that took too long (`abandoned`), by the conditions under which the engine fetches a job and
 * gives one up.
 */
export const jobsToActOn = `
  select name, bool_or(state <> 'active') as due, bool_or(state = 'active') as abandoned from ${jobSchema}.job
  where (state in ('created', 'retry') and not blocked and start_after <= now())
    or (state = 'active'
      and (heartbeat_on + make_interval(secs => heartbeat_seconds) < now() or started_on + make_interval(secs => expire_seconds) < now()))
  group by name`
