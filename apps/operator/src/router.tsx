import { parseSearch, stringifySearch } from '@atrium/ui/search-params'
import { createRootRouteWithContext, createRoute, createRouter } from '@tanstack/react-router'
import { AuditSearch } from './audit/search.ts'
import { FlagSearch, FlagsSearch } from './flags/search.ts'
import { AccessFailure } from './layout/access-failure.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { PageFailure } from './layout/page-failure.tsx'
import { requireOperator } from './session/access.ts'
import { SignedOutSearch } from './session/search.ts'
import { TenantSearch, TenantsSearch } from './tenants/search.ts'
import type { RouterContext } from './trpc.ts'
import { UsersSearch } from './users/search.ts'

type Search = Record<string, unknown>

const root = createRootRouteWithContext<RouterContext>()()

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: (search: Search): SignedOutSearch => SignedOutSearch.parse(search),
}).lazy(() => import('./session/signed-out-page.tsx').then((page) => page.Route))

/** Everything below needs an operator: who is none gets the page that says so, at the address that was asked for. */
const house = createRoute({
  getParentRoute: () => root,
  id: 'house',
  beforeLoad: ({ context }) => requireOperator(context),
  errorComponent: AccessFailure,
}).lazy(() => import('./layout/operator-frame.tsx').then((frame) => frame.Route))

const dashboard = createRoute({ getParentRoute: () => house, path: '/' }).lazy(() =>
  import('./dashboard/dashboard-page.tsx').then((page) => page.Route),
)

const tenants = createRoute({
  getParentRoute: () => house,
  path: '/tenants',
  validateSearch: (search: Search): TenantsSearch => TenantsSearch.parse(search),
}).lazy(() => import('./tenants/tenants-page.tsx').then((page) => page.Route))

const newTenant = createRoute({ getParentRoute: () => house, path: '/tenants/new' }).lazy(() =>
  import('./tenants/create-tenant-page.tsx').then((page) => page.Route),
)

const tenant = createRoute({
  getParentRoute: () => house,
  path: '/tenants/$slug',
  validateSearch: (search: Search): TenantSearch => TenantSearch.parse(search),
}).lazy(() => import('./tenants/tenant-page.tsx').then((page) => page.Route))

const users = createRoute({
  getParentRoute: () => house,
  path: '/users',
  validateSearch: (search: Search): UsersSearch => UsersSearch.parse(search),
}).lazy(() => import('./users/users-page.tsx').then((page) => page.Route))

const invite = createRoute({ getParentRoute: () => house, path: '/users/invite' }).lazy(() =>
  import('./users/invite-operator-page.tsx').then((page) => page.Route),
)

const user = createRoute({ getParentRoute: () => house, path: '/users/$id' }).lazy(() =>
  import('./users/user-page.tsx').then((page) => page.Route),
)

const audit = createRoute({
  getParentRoute: () => house,
  path: '/audit',
  validateSearch: (search: Search): AuditSearch => AuditSearch.parse(search),
}).lazy(() => import('./audit/audit-page.tsx').then((page) => page.Route))

const flags = createRoute({
  getParentRoute: () => house,
  path: '/flags',
  validateSearch: (search: Search): FlagsSearch => FlagsSearch.parse(search),
}).lazy(() => import('./flags/flags-page.tsx').then((page) => page.Route))

const newFlag = createRoute({ getParentRoute: () => house, path: '/flags/new' }).lazy(() =>
  import('./flags/create-flag-page.tsx').then((page) => page.Route),
)

const flag = createRoute({
  getParentRoute: () => house,
  path: '/flags/$key',
  validateSearch: (search: Search): FlagSearch => FlagSearch.parse(search),
}).lazy(() => import('./flags/flag-page.tsx').then((page) => page.Route))

/** Every other address: said inside the portal, so that nobody who is no operator learns which pages there are. */
const unknown = createRoute({ getParentRoute: () => house, path: '$', component: NotFoundPage })

const routeTree = root.addChildren([
  signedOut,
  house.addChildren([dashboard, tenants, newTenant, tenant, users, invite, user, flags, newFlag, flag, audit, unknown]),
])

/** The router of the operator portal. */
export function createOperatorRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createOperatorRouter>
  }
}
