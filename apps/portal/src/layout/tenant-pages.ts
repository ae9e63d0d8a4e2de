import type { TenantRole } from '@atrium/core/tenants/tenants'
import type { MessagesOf } from '@atrium/messages/messages'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.layout')

type Keywords = MessagesOf<'portal.layout'>['keywords']

/** More words that the search finds a page by. */
export function keywordsOf(page: keyof Keywords): string[] {
  return t(`keywords.${page}`).split(', ')
}

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
            label: t('pages.domains'),
            icon: IconWorld,
            target: links.domains(slug),
            keywords: keywordsOf('domains'),
          },
        ]
      : []),
    {
      label: t('pages.aliases'),
      icon: IconAt,
      target: links.aliases(slug),
      keywords: keywordsOf('aliases'),
    },
    {
      label: t('pages.lists'),
      icon: IconMailForward,
      target: links.lists(slug),
      keywords: keywordsOf('lists'),
    },
  ]
}

/** The pages about how the workplace looks, who gets in and who pays. */
export function rulePages(slug: string, role: TenantRole | undefined): TenantPage[] {
  if (!maySeeSettings(role)) return []
  return [
    {
      label: t('pages.sso'),
      icon: IconKey,
      target: links.ssoApps(slug),
      keywords: keywordsOf('sso'),
    },
    {
      label: t('pages.branding'),
      icon: IconPalette,
      target: links.branding(slug),
      keywords: keywordsOf('branding'),
      exact: true,
    },
    {
      label: t('pages.mailTexts'),
      icon: IconForms,
      target: links.mailTexts(slug),
      keywords: keywordsOf('mailTexts'),
    },
    {
      label: t('pages.securityPolicy'),
      icon: IconLockAccess,
      target: links.securityPolicy(slug),
      keywords: keywordsOf('securityPolicy'),
    },
    {
      label: t('pages.billing'),
      icon: IconCreditCard,
      target: links.billing(slug),
      keywords: keywordsOf('billing'),
      exact: true,
    },
    {
      label: t('pages.billingInfo'),
      icon: IconReceipt,
      target: links.billingInfo(slug),
      keywords: keywordsOf('billingInfo'),
    },
  ]
}

/** Both as sections of the navigation; without items none is shown. */
export function pageSections(slug: string, role: TenantRole | undefined): NavSection[] {
  const sections: NavSection[] = [
    { label: t('sections.mail'), items: mailPages(slug, role) },
    { label: t('sections.administration'), items: rulePages(slug, role) },
  ]
  return sections.filter(({ items }) => items.length > 0)
}
