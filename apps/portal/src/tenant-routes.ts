import { withMessages } from '@atrium/ui/messages'
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/**
 * The pages of a workplace about its addresses, its looks and its rules. Each is a file of its own
 * that loads when it is opened.
 */
export function tenantRoutes(tenant: AnyRoute) {
  const getParentRoute = () => tenant
  return [
    createRoute({
      getParentRoute,
      path: '/billing/card',
      component: lazyRouteComponent(() => import('./billing/card-page.tsx'), 'CardPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/domains',
      component: lazyRouteComponent(() => import('./domains/domains-page.tsx'), 'DomainsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/domains/$domain',
      component: lazyRouteComponent(() => import('./domains/domain-page.tsx'), 'DomainPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/aliases',
      component: lazyRouteComponent(() => import('./aliases/aliases-page.tsx'), 'AliasesPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/lists',
      component: lazyRouteComponent(() => import('./lists/lists-page.tsx'), 'ListsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/lists/$listId',
      component: lazyRouteComponent(() => import('./lists/list-page.tsx'), 'ListPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/sso',
      component: lazyRouteComponent(
        () => withMessages(import('./sso/sso-page.tsx'), 'portal.sso'),
        'SsoPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/branding',
      component: lazyRouteComponent(
        () => withMessages(import('./branding/branding-page.tsx'), 'portal.branding'),
        'BrandingPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/branding/texts',
      component: lazyRouteComponent(
        () => withMessages(import('./branding/mail-texts-page.tsx'), 'portal.branding'),
        'MailTextsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/security',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./security-policy/security-policy-page.tsx'),
            'portal.security-policy',
          ),
        'SecurityPolicyPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/billing',
      component: lazyRouteComponent(() => import('./billing/billing-page.tsx'), 'BillingPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/billing-details',
      component: lazyRouteComponent(
        () => import('./billing-info/billing-info-page.tsx'),
        'BillingInfoPage',
      ),
    }),
  ]
}
