import { PagePending } from '@atrium/ui/page-pending'
import { ReportsSearch } from '@atrium/ui/reports/search'
import { parseSearch, stringifySearch } from '@atrium/ui/search-params'
import { createRootRouteWithContext, createRoute, createRouter } from '@tanstack/react-router'
import { AuditSearch } from './audit/search.ts'
import { FlagSearch, FlagsSearch } from './flags/search.ts'
import { AccessFailure } from './layout/access-failure.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { PageFailure } from './layout/page-failure.tsx'
import { MailQueueSearch } from './mail/search.ts'
import { PartnerSearch, PartnersSearch } from './partners/search.ts'
import { PayoutsSearch } from './payouts/search.ts'
import { PricesSearch } from './prices/search.ts'
import { requireOperator } from './session/access.ts'
import { SignedOutSearch } from './session/search.ts'
import { NewSubscriptionSearch, SubscriptionsSearch } from './subscriptions/search.ts'
import { SystemSearch } from './system/search.ts'
import { TenantSearch, TenantsSearch } from './tenants/search.ts'
import type { RouterContext } from './trpc.ts'
import { UsersSearch } from './users/search.ts'
import { WebhooksSearch } from './webhooks/search.ts'

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
  pendingComponent: PagePending,
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

const payouts = createRoute({
  getParentRoute: () => house,
  path: '/payouts',
  validateSearch: (search: Search): PayoutsSearch => PayoutsSearch.parse(search),
}).lazy(() => import('./payouts/payouts-page.tsx').then((page) => page.Route))

const payout = createRoute({ getParentRoute: () => house, path: '/payouts/$id' }).lazy(() =>
  import('./payouts/payout-page.tsx').then((page) => page.Route),
)

const reports = createRoute({
  getParentRoute: () => house,
  path: '/reports',
  validateSearch: (search: Search): ReportsSearch => ReportsSearch.parse(search),
}).lazy(() => import('./reports/reports-page.tsx').then((page) => page.Route))

const partners = createRoute({
  getParentRoute: () => house,
  path: '/partners',
  validateSearch: (search: Search): PartnersSearch => PartnersSearch.parse(search),
}).lazy(() => import('./partners/partners-page.tsx').then((page) => page.Route))

const newPartner = createRoute({ getParentRoute: () => house, path: '/partners/new' }).lazy(() =>
  import('./partners/create-partner-page.tsx').then((page) => page.Route),
)

const partner = createRoute({
  getParentRoute: () => house,
  path: '/partners/$slug',
  validateSearch: (search: Search): PartnerSearch => PartnerSearch.parse(search),
}).lazy(() => import('./partners/partner-page.tsx').then((page) => page.Route))

const prices = createRoute({
  getParentRoute: () => house,
  path: '/prices',
  validateSearch: (search: Search): PricesSearch => PricesSearch.parse(search),
}).lazy(() => import('./prices/prices-page.tsx').then((page) => page.Route))

const newPrice = createRoute({ getParentRoute: () => house, path: '/prices/new' }).lazy(() =>
  import('./prices/create-price-page.tsx').then((page) => page.Route),
)

const price = createRoute({ getParentRoute: () => house, path: '/prices/$id' }).lazy(() =>
  import('./prices/price-page.tsx').then((page) => page.Route),
)

const subscriptions = createRoute({
  getParentRoute: () => house,
  path: '/subscriptions',
  validateSearch: (search: Search): SubscriptionsSearch => SubscriptionsSearch.parse(search),
}).lazy(() => import('./subscriptions/subscriptions-page.tsx').then((page) => page.Route))

const newSubscription = createRoute({
  getParentRoute: () => house,
  path: '/subscriptions/new',
  validateSearch: (search: Search): NewSubscriptionSearch => NewSubscriptionSearch.parse(search),
}).lazy(() => import('./subscriptions/create-subscription-page.tsx').then((page) => page.Route))

const subscription = createRoute({ getParentRoute: () => house, path: '/subscriptions/$id' }).lazy(() =>
  import('./subscriptions/subscription-page.tsx').then((page) => page.Route),
)

const mail = createRoute({
  getParentRoute: () => house,
  path: '/mail',
  validateSearch: (search: Search): MailQueueSearch => MailQueueSearch.parse(search),
}).lazy(() => import('./mail/mail-page.tsx').then((page) => page.Route))

const billing = createRoute({ getParentRoute: () => house, path: '/billing' }).lazy(() =>
  import('./billing/billing-page.tsx').then((page) => page.Route),
)

const webhooks = createRoute({
  getParentRoute: () => house,
  path: '/webhooks',
  validateSearch: (search: Search): WebhooksSearch => WebhooksSearch.parse(search),
}).lazy(() => import('./webhooks/webhooks-page.tsx').then((page) => page.Route))

const system = createRoute({
  getParentRoute: () => house,
  path: '/system',
  validateSearch: (search: Search): SystemSearch => SystemSearch.parse(search),
}).lazy(() => import('./system/system-page.tsx').then((page) => page.Route))

/** Every other address: said inside the portal, so that nobody who is no operator learns which pages there are. */
const unknown = createRoute({ getParentRoute: () => house, path: '$', component: NotFoundPage })

const routeTree = root.addChildren([
  signedOut,
  house.addChildren([
    reports,
    billing,
    webhooks,
    prices,
    newPrice,
    price,
    subscriptions,
    newSubscription,
    subscription,
    partners,
    newPartner,
    partner,
    payouts,
    payout,
    dashboard,
    tenants,
    newTenant,
    tenant,
    users,
    invite,
    user,
    flags,
    newFlag,
    flag,
    audit,
    mail,
    system,
    unknown,
  ]),
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
