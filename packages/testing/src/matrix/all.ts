import { accessGrantsRows } from './access-grants.ts'
import { accountRows } from './account.ts'
import { addressClaimsRows } from './address-claims.ts'
import { aliasesRows } from './aliases.ts'
import { approvalsRows } from './approvals.ts'
import { auditRows } from './audit.ts'
import { billingRows } from './billing.ts'
import { billingInfoRows } from './billing-info.ts'
import { brandingRows } from './branding.ts'
import { domainsRows } from './domains.ts'
import { eventsRows } from './events.ts'
import { flagsRows } from './flags.ts'
import { healthScoresRows } from './health-scores.ts'
import { invitationsRows } from './invitations.ts'
import { listsRows } from './lists.ts'
import { mailProfileRows } from './mail-profile.ts'
import { membersRows } from './members.ts'
import { mfaRows } from './mfa.ts'
import { operatorInvoicesRows } from './operator-invoices.ts'
import { outboxRows } from './outbox.ts'
import { partnerTransfersRows } from './partner-transfers.ts'
import { partnersRows } from './partners.ts'
import { payoutsRows } from './payouts.ts'
import { priceMigrationsRows } from './price-migrations.ts'
import { pricesRows } from './prices.ts'
import { reportsRows } from './reports.ts'
import type { Rows } from './rows.ts'
import { schedulingBookRows } from './scheduling-book.ts'
import { schedulingBookingsRows } from './scheduling-bookings.ts'
import { schedulingHostsRows } from './scheduling-hosts.ts'
import { schedulingOffersRows } from './scheduling-offers.ts'
import { securityPolicyRows } from './security-policy.ts'
import { serviceTokensRows } from './service-tokens.ts'
import { ssoRows } from './sso.ts'
import { storageRows } from './storage.ts'
import { subscriptionsRows } from './subscriptions.ts'
import { systemRows } from './system.ts'
import { tenantsRows } from './tenants.ts'
import { usersRows } from './users.ts'
import { webhookEndpointsRows } from './webhook-endpoints.ts'
import { webhooksRows } from './webhooks.ts'

/**
 * Every procedure with the calls that its rule distinguishes. A procedure without rows fails the
 * test, and so do rows without a procedure.
 */
export const matrix: Rows = {
  ...accountRows,
  ...accessGrantsRows,
  ...addressClaimsRows,
  ...aliasesRows,
  ...billingInfoRows,
  ...billingRows,
  ...webhooksRows,
  ...webhookEndpointsRows,
  ...domainsRows,
  ...eventsRows,
  ...flagsRows,
  ...invitationsRows,
  ...listsRows,
  ...schedulingBookRows,
  ...schedulingBookingsRows,
  ...schedulingHostsRows,
  ...securityPolicyRows,
  ...approvalsRows,
  ...auditRows,
  ...brandingRows,
  ...priceMigrationsRows,
  ...pricesRows,
  ...subscriptionsRows,
  ...serviceTokensRows,
  ...ssoRows,
  ...mailProfileRows,
  ...membersRows,
  ...mfaRows,
  ...partnersRows,
  ...partnerTransfersRows,
  ...operatorInvoicesRows,
  ...outboxRows,
  ...storageRows,
  ...systemRows,
  ...tenantsRows,
  ...reportsRows,
  ...usersRows,
  ...payoutsRows,
  ...healthScoresRows,
  ...schedulingOffersRows,
}
