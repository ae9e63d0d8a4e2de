import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { z } from 'zod'
import { AliasesSearch } from './aliases/search.ts'
import { BillingSearch } from './billing/search.ts'
import { ListsSearch } from './lists/search.ts'

const MailTextsSearch = z.object({ template: z.string().max(100).optional().catch(undefined) })

/** The pages of a workplace about its addresses, its looks and its rules. Each is a file of its own that loads when it is opened. */
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
      validateSearch: (search: Record<string, unknown>) => AliasesSearch.parse(search),
      component: lazyRouteComponent(() => import('./aliases/aliases-page.tsx'), 'AliasesPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/lists',
      validateSearch: (search: Record<string, unknown>) => ListsSearch.parse(search),
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
      component: lazyRouteComponent(() => import('./sso/sso-page.tsx'), 'SsoPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/branding',
      component: lazyRouteComponent(() => import('./branding/branding-page.tsx'), 'BrandingPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/branding/texts',
      validateSearch: (search: Record<string, unknown>) => MailTextsSearch.parse(search),
      component: lazyRouteComponent(() => import('./branding/mail-texts-page.tsx'), 'MailTextsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/security',
      component: lazyRouteComponent(() => import('./security-policy/security-policy-page.tsx'), 'SecurityPolicyPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/billing',
      validateSearch: (search: Record<string, unknown>) => BillingSearch.parse(search),
      component: lazyRouteComponent(() => import('./billing/billing-page.tsx'), 'BillingPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/billing-details',
      component: lazyRouteComponent(() => import('./billing-info/billing-info-page.tsx'), 'BillingInfoPage'),
    }),
  ]
}
