import { ReportsSearch } from '@atrium/ui/reports/search'
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { LedgerSearch, PartnerPayoutsSearch } from './partner/money-search.ts'
import { CustomersSearch } from './partner/search.ts'

/** The partner area: its frame and its pages. Each is a file of its own that loads when it is opened. */
export function partnerRoutes(house: AnyRoute) {
  const area = createRoute({
    getParentRoute: () => house,
    path: '/partner',
    component: lazyRouteComponent(() => import('./partner/partner-frame.tsx'), 'PartnerFrame'),
  })
  const getParentRoute = () => area
  return area.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./partner/dashboard-page.tsx'), 'PartnerDashboardPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/customers',
      validateSearch: (search: Record<string, unknown>) => CustomersSearch.parse(search),
      component: lazyRouteComponent(() => import('./partner/customers-page.tsx'), 'CustomersPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/reports',
      validateSearch: (search: Record<string, unknown>) => ReportsSearch.parse(search),
      component: lazyRouteComponent(() => import('./partner/reports-page.tsx'), 'PartnerReportsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/billing',
      validateSearch: (search: Record<string, unknown>) => LedgerSearch.parse(search),
      component: lazyRouteComponent(() => import('./partner/billing-page.tsx'), 'PartnerBillingPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/payouts',
      validateSearch: (search: Record<string, unknown>) => PartnerPayoutsSearch.parse(search),
      component: lazyRouteComponent(() => import('./partner/payouts-page.tsx'), 'PartnerPayoutsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/staff',
      component: lazyRouteComponent(() => import('./partner/staff-page.tsx'), 'StaffPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/branding',
      component: lazyRouteComponent(() => import('./partner/branding-page.tsx'), 'PartnerBrandingPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/settings',
      component: lazyRouteComponent(() => import('./partner/settings-page.tsx'), 'PartnerSettingsPage'),
    }),
  ])
}
