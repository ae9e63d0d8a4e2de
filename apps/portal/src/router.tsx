import { slugUnder } from '@atrium/ui/load-matched'
import { withMessages } from '@atrium/ui/messages'
import { parseSearch, stringifySearch } from '@atrium/ui/query-string'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { AuthenticatedLayout } from './layout/authenticated-layout.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { RouteFailure } from './layout/route-failure.tsx'
import { partnerRoutes } from './partner-routes.ts'
import { schedulingRoutes } from './scheduling-routes.ts'
import { learnSession } from './session/session.ts'
import { tenantRoutes } from './tenant-routes.ts'
import type { RouterContext } from './trpc.ts'

const root = createRootRouteWithContext<RouterContext>()()

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  component: lazyRouteComponent(
    () => withMessages(import('./session/signed-out-page.tsx'), 'portal.session'),
    'SignedOutPage',
  ),
})

/**
 * Everything below needs a signed-in person; AuthenticatedLayout shows the welcome page to everyone
 * else, at the requested address.
 */
const authenticated = createRoute({
  getParentRoute: () => root,
  id: 'authenticated',
  beforeLoad: ({ context, matches }) =>
    learnSession(context, slugUnder('/authenticated/t/$slug', matches)),
  component: AuthenticatedLayout,
  errorComponent: RouteFailure,
})

const home = createRoute({
  getParentRoute: () => authenticated,
  path: '/',
  component: lazyRouteComponent(
    () =>
      withMessages(
        import('./tenants/home-page.tsx'),
        'portal.tenants',
        'portal.profile',
        'ui.invitations',
      ),
    'HomePage',
  ),
})

const create = createRoute({
  getParentRoute: () => authenticated,
  path: '/new',
  component: lazyRouteComponent(
    () =>
      withMessages(
        import('./tenants/create-tenant-page.tsx'),
        'portal.partner',
        'portal.tenants',
        'ui.issues',
      ),
    'CreateTenantPage',
  ),
})

const profile = createRoute({
  getParentRoute: () => authenticated,
  path: '/profile',
  component: lazyRouteComponent(
    () =>
      withMessages(
        import('./profile/profile-page.tsx'),
        'portal.profile',
        'ui.invitations',
        'portal.address-claims',
        'ui.issues',
      ),
    'ProfilePage',
  ),
})

const accountSecurity = createRoute({
  getParentRoute: () => authenticated,
  path: '/profile/security',
  component: lazyRouteComponent(
    () => withMessages(import('./account/security-page.tsx'), 'ui.account', 'ui.issues'),
    'SecurityPage',
  ),
})

const confirmAddress = createRoute({
  getParentRoute: () => authenticated,
  path: '/confirm-address',
  component: lazyRouteComponent(
    () => withMessages(import('./address-claims/confirm-page.tsx'), 'portal.address-claims'),
    'ConfirmAddressPage',
  ),
})

const tenant = createRoute({
  getParentRoute: () => authenticated,
  path: '/t/$slug',
  component: lazyRouteComponent(() => import('./tenants/tenant-frame.tsx'), 'TenantFrame'),
})

const overview = createRoute({
  getParentRoute: () => tenant,
  path: '/',
  component: lazyRouteComponent(
    () => withMessages(import('./tenants/overview-page.tsx'), 'portal.tenants', 'ui.tenants'),
    'OverviewPage',
  ),
})

// Pages below read their own search parameters: rules that stood here would load with the frame,
// before any page is opened.
const members = createRoute({
  getParentRoute: () => tenant,
  path: '/members',
  component: lazyRouteComponent(
    () => withMessages(import('./members/members-page.tsx'), 'portal.members'),
    'MembersPage',
  ),
})

const invitations = createRoute({
  getParentRoute: () => tenant,
  path: '/invitations',
  component: lazyRouteComponent(
    () => withMessages(import('./invitations/invitations-page.tsx'), 'ui.invitations'),
    'InvitationsPage',
  ),
})

const memberImport = createRoute({
  getParentRoute: () => tenant,
  path: '/members/import',
  component: lazyRouteComponent(
    () =>
      withMessages(import('./members/import-page.tsx'), 'portal.member-import', 'portal.members'),
    'ImportPage',
  ),
})

const mfa = createRoute({
  getParentRoute: () => tenant,
  path: '/mfa',
  component: lazyRouteComponent(
    () => withMessages(import('./mfa/mfa-page.tsx'), 'portal.mfa'),
    'MfaPage',
  ),
})

const storage = createRoute({
  getParentRoute: () => tenant,
  path: '/storage',
  component: lazyRouteComponent(
    () => withMessages(import('./storage/storage-page.tsx'), 'portal.storage'),
    'StoragePage',
  ),
})

const account = createRoute({
  getParentRoute: () => tenant,
  path: '/account',
  component: lazyRouteComponent(
    () => withMessages(import('./members/account-page.tsx'), 'portal.members', 'ui.issues'),
    'AccountPage',
  ),
})

const devices = createRoute({
  getParentRoute: () => tenant,
  path: '/devices',
  component: lazyRouteComponent(
    () => withMessages(import('./devices/devices-page.tsx'), 'portal.devices'),
    'DevicesPage',
  ),
})

const audit = createRoute({
  getParentRoute: () => tenant,
  path: '/audit',
  component: lazyRouteComponent(
    () => withMessages(import('./audit/audit-page.tsx'), 'portal.audit', 'ui.audit', 'ui.issues'),
    'AuditPage',
  ),
})

const settings = createRoute({
  getParentRoute: () => tenant,
  path: '/settings',
  component: lazyRouteComponent(
    () =>
      withMessages(
        import('./tenants/settings-page.tsx'),
        'portal.tenants',
        'ui.tenants',
        'ui.issues',
      ),
    'SettingsPage',
  ),
})

/** Paths that nothing else takes: inside the frame, so that people find their way back. */
const unknown = createRoute({
  getParentRoute: () => authenticated,
  path: '$',
  component: NotFoundPage,
})

const routeTree = root.addChildren([
  signedOut,
  authenticated.addChildren([
    home,
    create,
    profile,
    accountSecurity,
    confirmAddress,
    partnerRoutes(authenticated),
    tenant.addChildren([
      overview,
      members,
      invitations,
      memberImport,
      mfa,
      storage,
      account,
      devices,
      audit,
      settings,
      ...tenantRoutes(tenant),
      schedulingRoutes(tenant),
    ]),
    unknown,
  ]),
])

/** The router of the customer portal. */
export function createPortalRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: RouteFailure,
    scrollRestoration: true,
  })
}
