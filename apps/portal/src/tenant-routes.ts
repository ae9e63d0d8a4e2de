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
      component: lazyRouteComponent(
        () => withMessages(import('./billing/card-page.tsx'), 'portal.billing'),
        'CardPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/domains',
      component: lazyRouteComponent(
        () => withMessages(import('./domains/domains-page.tsx'), 'portal.domains', 'ui.issues'),
        'DomainsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/domains/$domain',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./domains/domain-page.tsx'),
            'portal.domains',
            'portal.address-claims',
            'ui.issues',
          ),
        'DomainPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/aliases',
      component: lazyRouteComponent(
        () => withMessages(import('./aliases/aliases-page.tsx'), 'portal.aliases', 'ui.issues'),
        'AliasesPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/lists',
      component: lazyRouteComponent(
        () => withMessages(import('./lists/lists-page.tsx'), 'portal.lists', 'ui.issues'),
        'ListsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/lists/$listId',
      component: lazyRouteComponent(
        () => withMessages(import('./lists/list-page.tsx'), 'portal.lists', 'ui.issues'),
        'ListPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/sso',
      component: lazyRouteComponent(
        () => withMessages(import('./sso/sso-page.tsx'), 'portal.sso', 'ui.issues'),
        'SsoPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/branding',
      component: lazyRouteComponent(
        () => withMessages(import('./branding/branding-page.tsx'), 'portal.branding', 'ui.issues'),
        'BrandingPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/branding/texts',
      component: lazyRouteComponent(
        () =>
          withMessages(import('./branding/mail-texts-page.tsx'), 'portal.branding', 'ui.issues'),
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
            'ui.issues',
          ),
        'SecurityPolicyPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/security/access',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./access-grants/access-page.tsx'),
            'portal.access-grants',
            'ui.access-grants',
            'ui.audit',
          ),
        'AccessPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/service-tokens',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./service-tokens/tokens-page.tsx'),
            'portal.directory',
            'ui.service-tokens',
            'ui.issues',
          ),
        'ServiceTokensPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/webhooks',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./webhooks/webhooks-page.tsx'),
            'ui.audit',
            'ui.issues',
            'ui.webhook-endpoints',
          ),
        'WebhooksPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/billing',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./billing/billing-page.tsx'),
            'portal.approvals',
            'portal.billing',
            'portal.billing-info',
            'portal.subscriptions',
          ),
        'BillingPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/billing-details',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./billing-info/billing-info-page.tsx'),
            'portal.billing-address',
            'portal.billing-info',
            'ui.issues',
          ),
        'BillingInfoPage',
      ),
    }),
  ]
}
