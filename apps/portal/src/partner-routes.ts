import { withMessages } from '@atrium/ui/messages'
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/**
 * The partner area: its frame and its pages. Each is a file of its own that loads when it is
 * opened.
 */
export function partnerRoutes(authenticated: AnyRoute) {
  const area = createRoute({
    getParentRoute: () => authenticated,
    path: '/partner',
    component: lazyRouteComponent(() => import('./partner/partner-frame.tsx'), 'PartnerFrame'),
  })
  const getParentRoute = () => area
  return area.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      component: lazyRouteComponent(
        () => import('./partner/dashboard-page.tsx'),
        'PartnerDashboardPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/customers',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./partner/customers-page.tsx'),
            'ui.tenants',
            'portal.subscriptions',
          ),
        'CustomersPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/reports',
      component: lazyRouteComponent(
        () => withMessages(import('./partner/reports-page.tsx'), 'ui.reports'),
        'PartnerReportsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/billing',
      component: lazyRouteComponent(
        () => withMessages(import('./partner/billing-page.tsx'), 'ui.payouts'),
        'PartnerBillingPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/payouts',
      component: lazyRouteComponent(
        () => withMessages(import('./partner/payouts-page.tsx'), 'ui.payouts'),
        'PartnerPayoutsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/staff',
      component: lazyRouteComponent(() => import('./partner/staff-page.tsx'), 'StaffPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/branding',
      component: lazyRouteComponent(
        () => withMessages(import('./partner/branding-page.tsx'), 'portal.branding'),
        'PartnerBrandingPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/settings',
      component: lazyRouteComponent(
        () => import('./partner/settings-page.tsx'),
        'PartnerSettingsPage',
      ),
    }),
  ])
}
