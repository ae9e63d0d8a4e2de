import { aliasesRouter } from './aliases/router.ts'
import { auditRouter } from './audit/router.ts'
import { billingRouter } from './billing/router.ts'
import { billingInfoRouter } from './billing-info/router.ts'
import { brandingRouter } from './branding/router.ts'
import { domainsRouter } from './domains/router.ts'
import { flagsRouter } from './flags/router.ts'
import { healthScoresRouter } from './health-scores/router.ts'
import { invitationsRouter } from './invitations/router.ts'
import { listsRouter } from './lists/router.ts'
import { mailProfileRouter } from './mail-profile/router.ts'
import { membersRouter } from './members/router.ts'
import { mfaRouter } from './mfa/router.ts'
import { outboxRouter } from './outbox/router.ts'
import { partnersRouter } from './partners/router.ts'
import { payoutsRouter } from './payouts/router.ts'
import { pricesRouter } from './prices/router.ts'
import { partnerReportsRouter } from './reports/partner-router.ts'
import { reportsRouter } from './reports/router.ts'
import { schedulingRouter } from './scheduling/router.ts'
import { securityPolicyRouter } from './security-policy/router.ts'
import { ssoRouter } from './sso/router.ts'
import { storageRouter } from './storage/router.ts'
import { subscriptionsRouter } from './subscriptions/router.ts'
import { systemRouter } from './system/router.ts'
import { tenantsRouter } from './tenants/router.ts'
import { router } from './trpc.ts'
import { usersRouter } from './users/router.ts'
import { webhooksRouter } from './webhooks/router.ts'

/**
 * Every procedure of the service. `/trpc/*` serves it as it is, `transport/rest.ts` under the paths
 * that the procedures name.
 */
export const appRouter = router({
  mfa: mfaRouter,
  storage: storageRouter,
  aliases: aliasesRouter,
  billing: billingRouter,
  billingInfo: billingInfoRouter,
  lists: listsRouter,
  securityPolicy: securityPolicyRouter,
  audit: auditRouter,
  branding: brandingRouter,
  domains: domainsRouter,
  flags: flagsRouter,
  invitations: invitationsRouter,
  mailProfile: mailProfileRouter,
  members: membersRouter,
  reports: reportsRouter,
  partnerReports: partnerReportsRouter,
  partners: partnersRouter,
  outbox: outboxRouter,
  payouts: payoutsRouter,
  healthScores: healthScoresRouter,
  scheduling: schedulingRouter,
  prices: pricesRouter,
  subscriptions: subscriptionsRouter,
  sso: ssoRouter,
  system: systemRouter,
  tenants: tenantsRouter,
  users: usersRouter,
  webhooks: webhooksRouter,
})

export type AppRouter = typeof appRouter
