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
    component: lazyRouteComponent(
      () => withMessages(import('./partner/partner-frame.tsx'), 'portal.partner'),
      'PartnerFrame',
    ),
  })
  const getParentRoute = () => area
  return area.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      component: lazyRouteComponent(
        () => withMessages(import('./partner/dashboard-page.tsx'), 'portal.partner'),
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
            'portal.partner',
            'portal.access-grants',
            'portal.approvals',
            'portal.partner-customers',
            'portal.subscriptions',
            'ui.access-grants',
            'ui.audit',
            'ui.tenants',
            'ui.issues',
          ),
        'CustomersPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/access',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./access-grants/partner-access-page.tsx'),
            'portal.access-grants',
            'ui.access-grants',
            'ui.audit',
          ),
        'PartnerAccessPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/service-tokens',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./service-tokens/partner-tokens-page.tsx'),
            'ui.service-tokens',
            'ui.issues',
          ),
        'PartnerTokensPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/webhooks',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./webhooks/partner-webhooks-page.tsx'),
            'ui.audit',
            'ui.issues',
            'ui.webhook-endpoints',
          ),
        'PartnerWebhooksPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/reports',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./partner/reports-page.tsx'),
            'portal.partner',
            'portal.partner-reports',
            'ui.reports',
          ),
        'PartnerReportsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/billing',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./partner/billing-page.tsx'),
            'portal.partner',
            'portal.partner-earnings',
            'ui.payouts',
          ),
        'PartnerBillingPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/payouts',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./partner/payouts-page.tsx'),
            'portal.partner',
            'portal.partner-payouts',
            'ui.payouts',
          ),
        'PartnerPayoutsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/staff',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./partner/staff-page.tsx'),
            'portal.partner',
            'portal.partner-staff',
            'ui.invitations',
          ),
        'StaffPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/branding',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./partner/branding-page.tsx'),
            'portal.branding',
            'portal.partner',
            'portal.partner-branding',
            'ui.issues',
          ),
        'PartnerBrandingPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/settings',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./partner/settings-page.tsx'),
            'portal.billing-address',
            'portal.partner',
            'portal.partner-settings',
            'ui.issues',
          ),
        'PartnerSettingsPage',
      ),
    }),
  ])
}
