import type { TenantRole } from '@atrium/core/tenants/tenants'
import type { NavItem, NavSection } from '@atrium/ui/shell'
import {
  IconAt,
  IconCreditCard,
  IconForms,
  IconKey,
  IconLockAccess,
  IconMailForward,
  IconPalette,
  IconReceipt,
  IconWorld,
} from '@tabler/icons-react'
import * as links from '../links.ts'
import { maySeeSettings } from '../tenants/roles.ts'

/** A page of the navigation, with more words that the search finds it by. */
export interface TenantPage extends NavItem {
  keywords: string[]
}

/**
 * The pages about addresses. Lists and aliases may be read by everyone who belongs to the
 * workplace.
 */
export function mailPages(slug: string, role: TenantRole | undefined): TenantPage[] {
  return [
    ...(maySeeSettings(role)
      ? [
          {
            label: 'Domains',
            icon: IconWorld,
            target: links.domains(slug),
            keywords: ['dns', 'mx', 'spf', 'dkim', 'dmarc', 'zone'],
          },
        ]
      : []),
    {
      label: 'Aliases',
      icon: IconAt,
      target: links.aliases(slug),
      keywords: ['addresses', 'forward'],
    },
    {
      label: 'Distribution lists',
      icon: IconMailForward,
      target: links.lists(slug),
      keywords: ['mailing list', 'recipients', 'group'],
    },
  ]
}

/** The pages about how the workplace looks, who gets in and who pays. */
export function rulePages(slug: string, role: TenantRole | undefined): TenantPage[] {
  if (!maySeeSettings(role)) return []
  return [
    {
      label: 'Single sign-on',
      icon: IconKey,
      target: links.ssoApps(slug),
      keywords: ['sso', 'oidc', 'apps', 'client secret', 'login'],
    },
    {
      label: 'Branding',
      icon: IconPalette,
      target: links.branding(slug),
      keywords: ['colour', 'logo', 'product name', 'preview'],
      exact: true,
    },
    {
      label: 'E-mail texts',
      icon: IconForms,
      target: links.mailTexts(slug),
      keywords: ['templates', 'welcome mail', 'liquid', 'preview'],
    },
    {
      label: 'Security policy',
      icon: IconLockAccess,
      target: links.securityPolicy(slug),
      keywords: ['mfa', 'second factor', 'session', 'countries', 'ip addresses'],
    },
    {
      label: 'Billing',
      icon: IconCreditCard,
      target: links.billing(slug),
      keywords: ['card', 'invoices', 'plan', 'seats', 'payment'],
      exact: true,
    },
    {
      label: 'Billing details',
      icon: IconReceipt,
      target: links.billingInfo(slug),
      keywords: ['vat', 'invoice', 'company', 'tax'],
    },
  ]
}

/** Both as sections of the navigation; without items none is shown. */
export function pageSections(slug: string, role: TenantRole | undefined): NavSection[] {
  const sections: NavSection[] = [
    { label: 'Mail', items: mailPages(slug, role) },
    { label: 'Rules and looks', items: rulePages(slug, role) },
  ]
  return sections.filter(({ items }) => items.length > 0)
}
