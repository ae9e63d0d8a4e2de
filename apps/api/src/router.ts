import { aliasesRouter } from './aliases/router.ts'
import { auditRouter } from './audit/router.ts'
import { billingInfoRouter } from './billing-info/router.ts'
import { brandingRouter } from './branding/router.ts'
import { domainsRouter } from './domains/router.ts'
import { flagsRouter } from './flags/router.ts'
import { listsRouter } from './lists/router.ts'
import { mailProfileRouter } from './mail-profile/router.ts'
import { membersRouter } from './members/router.ts'
import { mfaRouter } from './mfa/router.ts'
import { securityPolicyRouter } from './security-policy/router.ts'
import { ssoRouter } from './sso/router.ts'
import { storageRouter } from './storage/router.ts'
import { tenantsRouter } from './tenants/router.ts'
import { router } from './trpc.ts'
import { usersRouter } from './users/router.ts'

/** Every procedure of the service. `/trpc/*` serves it as it is, `transport/rest.ts` under the paths that the procedures name. */
export const appRouter = router({
  mfa: mfaRouter,
  storage: storageRouter,
  aliases: aliasesRouter,
  billingInfo: billingInfoRouter,
  lists: listsRouter,
  securityPolicy: securityPolicyRouter,
  audit: auditRouter,
  branding: brandingRouter,
  domains: domainsRouter,
  flags: flagsRouter,
  mailProfile: mailProfileRouter,
  members: membersRouter,
  sso: ssoRouter,
  tenants: tenantsRouter,
  users: usersRouter,
})

export type AppRouter = typeof appRouter
