import { slugUnder } from '@atrium/ui/load-matched'
import { withMessages } from '@atrium/ui/messages'
import { parseSearch, stringifySearch } from '@atrium/ui/query-string'
import { readReportsSearch } from '@atrium/ui/reports/search'
import { createRootRouteWithContext, createRoute, createRouter } from '@tanstack/react-router'
import { readAuditSearch } from './audit/search.ts'
import { readBookkeepingSearch } from './bookkeeping/search.ts'
import { readFlagSearch, readFlagsSearch } from './flags/search.ts'
import { readInvoicesSearch } from './invoices/search.ts'
import { AccessFailure } from './layout/access-failure.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { PageFailure } from './layout/page-failure.tsx'
import { readMailQueueSearch } from './mail/search.ts'
import { readPartnerSearch, readPartnersSearch } from './partners/search.ts'
import { readPayoutsSearch } from './payouts/search.ts'
import { readPricesSearch } from './prices/search.ts'
import { requireOperator } from './session/access.ts'
import { readSignedOutSearch } from './session/search.ts'
import { readNewSubscriptionSearch, readSubscriptionsSearch } from './subscriptions/search.ts'
import { readSystemSearch } from './system/search.ts'
import { readTenantSearch, readTenantsSearch } from './tenants/search.ts'
import type { RouterContext } from './trpc.ts'
import { readUsersSearch } from './users/search.ts'
import { readWebhooksSearch } from './webhooks/search.ts'

const root = createRootRouteWithContext<RouterContext>()()

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: readSignedOutSearch,
}).lazy(() => import('./session/signed-out-page.tsx').then((page) => page.Route))

/**
 * Everything below needs an operator. Everyone else gets the rejection page at the requested
 * address.
 */
const authenticated = createRoute({
  getParentRoute: () => root,
  id: 'authenticated',
  beforeLoad: ({ context, matches }) =>
    requireOperator(context, slugUnder('/authenticated/tenants/$slug', matches)),
  errorComponent: AccessFailure,
}).lazy(() => import('./layout/operator-frame.tsx').then((frame) => frame.Route))

const dashboard = createRoute({ getParentRoute: () => authenticated, path: '/' }).lazy(() =>
  withMessages(
    import('./dashboard/dashboard-page.tsx'),
    'operator.audit',
    'operator.dashboard',
    'ui.audit',
  ).then((page) => page.Route),
)

const tenants = createRoute({
  getParentRoute: () => authenticated,
  path: '/tenants',
  validateSearch: readTenantsSearch,
}).lazy(() =>
  withMessages(import('./tenants/tenants-page.tsx'), 'operator.tenants').then((page) => page.Route),
)

const newTenant = createRoute({ getParentRoute: () => authenticated, path: '/tenants/new' }).lazy(
  () =>
    withMessages(
      import('./tenants/create-tenant-page.tsx'),
      'operator.tenants',
      'operator.partners',
      'ui.issues',
    ).then((page) => page.Route),
)

const tenant = createRoute({
  getParentRoute: () => authenticated,
  path: '/tenants/$slug',
  validateSearch: readTenantSearch,
}).lazy(() =>
  withMessages(import('./tenants/tenant-page.tsx'), 'operator.tenants', 'ui.tenants').then(
    (page) => page.Route,
  ),
)

const users = createRoute({
  getParentRoute: () => authenticated,
  path: '/users',
  validateSearch: readUsersSearch,
}).lazy(() =>
  withMessages(import('./users/users-page.tsx'), 'operator.users', 'ui.invitations').then(
    (page) => page.Route,
  ),
)

const invite = createRoute({ getParentRoute: () => authenticated, path: '/users/invite' }).lazy(
  () =>
    withMessages(import('./users/invite-operator-page.tsx'), 'operator.users', 'ui.issues').then(
      (page) => page.Route,
    ),
)

const user = createRoute({ getParentRoute: () => authenticated, path: '/users/$id' }).lazy(() =>
  withMessages(
    import('./users/user-page.tsx'),
    'operator.audit',
    'operator.users',
    'ui.audit',
    'ui.issues',
  ).then((page) => page.Route),
)

const accountSecurity = createRoute({
  getParentRoute: () => authenticated,
  path: '/account/security',
}).lazy(() =>
  withMessages(import('./account/security-page.tsx'), 'ui.account').then((page) => page.Route),
)

const audit = createRoute({
  getParentRoute: () => authenticated,
  path: '/audit',
  validateSearch: readAuditSearch,
}).lazy(() =>
  withMessages(import('./audit/audit-page.tsx'), 'operator.audit', 'ui.audit', 'ui.issues').then(
    (page) => page.Route,
  ),
)

const flags = createRoute({
  getParentRoute: () => authenticated,
  path: '/flags',
  validateSearch: readFlagsSearch,
}).lazy(() =>
  withMessages(import('./flags/flags-page.tsx'), 'operator.flags').then((page) => page.Route),
)

const newFlag = createRoute({ getParentRoute: () => authenticated, path: '/flags/new' }).lazy(() =>
  withMessages(import('./flags/create-flag-page.tsx'), 'operator.flags', 'ui.issues').then(
    (page) => page.Route,
  ),
)

const flag = createRoute({
  getParentRoute: () => authenticated,
  path: '/flags/$key',
  validateSearch: readFlagSearch,
}).lazy(() =>
  withMessages(import('./flags/flag-page.tsx'), 'operator.flags', 'ui.issues').then(
    (page) => page.Route,
  ),
)

const invoices = createRoute({
  getParentRoute: () => authenticated,
  path: '/invoices',
  validateSearch: readInvoicesSearch,
}).lazy(() =>
  withMessages(import('./invoices/invoices-page.tsx'), 'operator.invoices', 'ui.payouts').then(
    (page) => page.Route,
  ),
)

const invoice = createRoute({
  getParentRoute: () => authenticated,
  path: '/invoices/$id',
}).lazy(() =>
  withMessages(
    import('./invoices/invoice-page.tsx'),
    'operator.invoices',
    'operator.documents',
    'ui.payouts',
    'ui.issues',
  ).then((page) => page.Route),
)

const payouts = createRoute({
  getParentRoute: () => authenticated,
  path: '/payouts',
  validateSearch: readPayoutsSearch,
}).lazy(() =>
  withMessages(
    import('./payouts/payouts-page.tsx'),
    'operator.payouts',
    'ui.payouts',
    'ui.issues',
  ).then((page) => page.Route),
)

const payout = createRoute({ getParentRoute: () => authenticated, path: '/payouts/$id' }).lazy(() =>
  withMessages(
    import('./payouts/payout-page.tsx'),
    'operator.payouts',
    'ui.payouts',
    'ui.issues',
  ).then((page) => page.Route),
)

const reports = createRoute({
  getParentRoute: () => authenticated,
  path: '/reports',
  validateSearch: readReportsSearch,
}).lazy(() =>
  withMessages(import('./reports/reports-page.tsx'), 'operator.reports', 'ui.reports').then(
    (page) => page.Route,
  ),
)

const bookkeeping = createRoute({
  getParentRoute: () => authenticated,
  path: '/bookkeeping',
  validateSearch: readBookkeepingSearch,
}).lazy(() =>
  withMessages(import('./bookkeeping/bookkeeping-page.tsx'), 'operator.bookkeeping').then(
    (page) => page.Route,
  ),
)

const partners = createRoute({
  getParentRoute: () => authenticated,
  path: '/partners',
  validateSearch: readPartnersSearch,
}).lazy(() =>
  withMessages(import('./partners/partners-page.tsx'), 'operator.partners').then(
    (page) => page.Route,
  ),
)

const newPartner = createRoute({ getParentRoute: () => authenticated, path: '/partners/new' }).lazy(
  () =>
    withMessages(
      import('./partners/create-partner-page.tsx'),
      'operator.partners',
      'ui.issues',
    ).then((page) => page.Route),
)

const partner = createRoute({
  getParentRoute: () => authenticated,
  path: '/partners/$slug',
  validateSearch: readPartnerSearch,
}).lazy(() =>
  withMessages(
    import('./partners/partner-page.tsx'),
    'operator.audit',
    'operator.partners',
    'operator.tenants',
    'ui.audit',
    'ui.invitations',
    'ui.issues',
  ).then((page) => page.Route),
)

const prices = createRoute({
  getParentRoute: () => authenticated,
  path: '/prices',
  validateSearch: readPricesSearch,
}).lazy(() =>
  withMessages(import('./prices/prices-page.tsx'), 'operator.prices').then((page) => page.Route),
)

const newPrice = createRoute({ getParentRoute: () => authenticated, path: '/prices/new' }).lazy(
  () =>
    withMessages(
      import('./prices/create-price-page.tsx'),
      'operator.prices',
      'operator.flags',
      'ui.issues',
    ).then((page) => page.Route),
)

const price = createRoute({ getParentRoute: () => authenticated, path: '/prices/$id' }).lazy(() =>
  withMessages(
    import('./prices/price-page.tsx'),
    'operator.prices',
    'operator.flags',
    'ui.payouts',
    'ui.issues',
  ).then((page) => page.Route),
)

const subscriptions = createRoute({
  getParentRoute: () => authenticated,
  path: '/subscriptions',
  validateSearch: readSubscriptionsSearch,
}).lazy(() =>
  withMessages(import('./subscriptions/subscriptions-page.tsx'), 'operator.subscriptions').then(
    (page) => page.Route,
  ),
)

const newSubscription = createRoute({
  getParentRoute: () => authenticated,
  path: '/subscriptions/new',
  validateSearch: readNewSubscriptionSearch,
}).lazy(() =>
  withMessages(
    import('./subscriptions/create-subscription-page.tsx'),
    'operator.subscriptions',
    'ui.issues',
  ).then((page) => page.Route),
)

const subscription = createRoute({
  getParentRoute: () => authenticated,
  path: '/subscriptions/$id',
}).lazy(() =>
  withMessages(
    import('./subscriptions/subscription-page.tsx'),
    'operator.subscriptions',
    'ui.issues',
  ).then((page) => page.Route),
)

const mail = createRoute({
  getParentRoute: () => authenticated,
  path: '/mail',
  validateSearch: readMailQueueSearch,
}).lazy(() =>
  withMessages(import('./mail/mail-page.tsx'), 'operator.mail').then((page) => page.Route),
)

const billing = createRoute({ getParentRoute: () => authenticated, path: '/billing' }).lazy(() =>
  withMessages(
    import('./billing/billing-page.tsx'),
    'operator.billing',
    'operator.documents',
    'operator.webhooks',
  ).then((page) => page.Route),
)

const serviceTokens = createRoute({
  getParentRoute: () => authenticated,
  path: '/service-tokens',
}).lazy(() =>
  withMessages(import('./service-tokens/tokens-page.tsx'), 'ui.service-tokens', 'ui.issues').then(
    (page) => page.Route,
  ),
)

const webhookEndpoints = createRoute({
  getParentRoute: () => authenticated,
  path: '/webhook-endpoints',
}).lazy(() =>
  withMessages(
    import('./webhook-endpoints/endpoints-page.tsx'),
    'ui.audit',
    'ui.issues',
    'ui.webhook-endpoints',
  ).then((page) => page.Route),
)

const webhooks = createRoute({
  getParentRoute: () => authenticated,
  path: '/webhooks',
  validateSearch: readWebhooksSearch,
}).lazy(() =>
  withMessages(import('./webhooks/webhooks-page.tsx'), 'operator.webhooks').then(
    (page) => page.Route,
  ),
)

const system = createRoute({
  getParentRoute: () => authenticated,
  path: '/system',
  validateSearch: readSystemSearch,
}).lazy(() =>
  withMessages(import('./system/system-page.tsx'), 'operator.system').then((page) => page.Route),
)

/** Every other address. Below `authenticated`, so that only operators learn which pages exist. */
const unknown = createRoute({
  getParentRoute: () => authenticated,
  path: '$',
  component: NotFoundPage,
})

const routeTree = root.addChildren([
  signedOut,
  authenticated.addChildren([
    accountSecurity,
    bookkeeping,
    reports,
    billing,
    serviceTokens,
    webhookEndpoints,
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
    invoices,
    invoice,
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
