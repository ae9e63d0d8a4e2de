import { accessGrantsRouter } from './access-grants/router.ts'
import { accountRouter } from './account/router.ts'
import { addressClaimsRouter } from './address-claims/router.ts'
import { auditRouter, tenantAuditRouter } from './audit/router.ts'
import { approvalsRouter } from './billing/approvals/router.ts'
import { billingInfoRouter } from './billing/billing-info/router.ts'
import { bookkeepingRouter } from './billing/bookkeeping/router.ts'
import { documentsRouter } from './billing/documents/router.ts'
import { billingRouter } from './billing/invoices/router.ts'
import { operatorInvoicesRouter } from './billing/operator-invoices/router.ts'
import { payoutsRouter } from './billing/payouts/router.ts'
import { priceMigrationsRouter } from './billing/price-migrations/router.ts'
import { pricesRouter } from './billing/prices/router.ts'
import { subscriptionsRouter } from './billing/subscriptions/router.ts'
import { webhooksRouter } from './billing/webhooks/router.ts'
import { brandingRouter } from './branding/router.ts'
import { eventsRouter } from './events/router.ts'
import { flagsRouter } from './flags/router.ts'
import { healthScoresRouter } from './health-scores/router.ts'
import { invitationsRouter } from './invitations/router.ts'
import { aliasesRouter } from './mail/aliases/router.ts'
import { domainsRouter } from './mail/domains/router.ts'
import { listsRouter } from './mail/lists/router.ts'
import { mailProfileRouter } from './mail/mail-profile/router.ts'
import { membersRouter, tenantMembersRouter } from './members/router.ts'
import { outboxRouter } from './outbox/router.ts'
import { partnersRouter } from './partners/router.ts'
import { partnerTransfersRouter } from './partners/transfer-router.ts'
import { partnerReportsRouter } from './reports/partner-router.ts'
import { reportsRouter } from './reports/router.ts'
import { mergeRouters, router } from './rpc/trpc.ts'
import { schedulingRouter } from './scheduling/router.ts'
import { securityPolicyRouter } from './security-policy/router.ts'
import { serviceTokensRouter } from './service-tokens/router.ts'
import { ssoRouter } from './sso/router.ts'
import { systemRouter } from './system/router.ts'
import { tenantsRouter } from './tenants/router.ts'
import { mfaRouter } from './upstream-cache/mfa/router.ts'
import { storageRouter } from './upstream-cache/storage/router.ts'
import { usersRouter } from './users/router.ts'
import { webhookEndpointsRouter } from './webhook-endpoints/router.ts'

/**
 * Every procedure of the service. `/trpc/*` serves it as it is, `http/rest.ts` under the paths
 * that the procedures name.
 */
export const appRouter = router({
  account: accountRouter,
  accessGrants: accessGrantsRouter,
  addressClaims: addressClaimsRouter,
  mfa: mfaRouter,
  storage: storageRouter,
  aliases: aliasesRouter,
  billing: billingRouter,
  billingInfo: billingInfoRouter,
  documents: documentsRouter,
  lists: listsRouter,
  securityPolicy: securityPolicyRouter,
  audit: auditRouter,
  branding: brandingRouter,
  domains: domainsRouter,
  events: eventsRouter,
  flags: flagsRouter,
  invitations: invitationsRouter,
  mailProfile: mailProfileRouter,
  members: membersRouter,
  reports: reportsRouter,
  partnerReports: partnerReportsRouter,
  partners: partnersRouter,
  partnerTransfers: partnerTransfersRouter,
  bookkeeping: bookkeepingRouter,
  operatorInvoices: operatorInvoicesRouter,
  outbox: outboxRouter,
  payouts: payoutsRouter,
  healthScores: healthScoresRouter,
  scheduling: schedulingRouter,
  priceMigrations: priceMigrationsRouter,
  prices: pricesRouter,
  approvals: approvalsRouter,
  subscriptions: subscriptionsRouter,
  serviceTokens: serviceTokensRouter,
  webhookEndpoints: webhookEndpointsRouter,
  sso: ssoRouter,
  system: systemRouter,
  tenants: mergeRouters(tenantsRouter, tenantMembersRouter, tenantAuditRouter),
  users: usersRouter,
  webhooks: webhooksRouter,
})

export type AppRouter = typeof appRouter
