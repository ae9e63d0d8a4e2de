import { auditRouter } from './audit/router.ts'
import { tenantsRouter } from './tenants/router.ts'
import { router } from './trpc.ts'
import { usersRouter } from './users/router.ts'

/** Every procedure of the service. `/trpc/*` serves it as it is, `transport/rest.ts` under the paths that the procedures name. */
export const appRouter = router({ audit: auditRouter, tenants: tenantsRouter, users: usersRouter })

export type AppRouter = typeof appRouter
