import { type GrantScope, grantScopes } from '@atrium/core/access-grants/scopes'
import type { TenantRole } from '@atrium/core/tenants/tenants'
import type { MessagesOf } from '@atrium/messages/messages'
import { translations } from '@atrium/ui/messages'
import type { NavItem, NavSection } from '@atrium/ui/shell'
import {
  IconAt,
  IconCalendarEvent,
  IconCreditCard,
  IconDatabase,
  IconForms,
  IconHistory,
  IconKey,
  IconLockAccess,
  IconMailForward,
  IconPalette,
  IconReceipt,
  IconShieldLock,
  IconUserShield,
  IconUsers,
  IconWorld,
  type TablerIcon,
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
      exact: true,
    },
    {
      label: t('pages.access'),
      icon: IconUserShield,
      target: links.access(slug),
      keywords: keywordsOf('access'),
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

/** The pages that an access grant of these scopes opens. */
export function delegatePages(slug: string, scopes: readonly GrantScope[]): NavItem[] {
  const page = (
    name: 'members' | 'mfa' | 'storage' | 'scheduling' | 'audit',
    icon: TablerIcon,
  ) => ({
    label: t(`pages.${name}`),
    icon,
  })
  const rules = rulePages(slug, 'admin')
  const rule = (...targets: string[]) => rules.filter(({ target }) => targets.includes(target.to))
  const mfa = { ...page('mfa', IconShieldLock), target: links.mfa(slug) }
  const ofScope: Readonly<Record<GrantScope, NavItem[]>> = {
    members: [
      { ...page('members', IconUsers), target: links.members(slug) },
      mfa,
      { ...page('storage', IconDatabase), target: links.storage(slug) },
    ],
    mail: mailPages(slug, 'admin'),
    sso: rule('/t/$slug/sso'),
    scheduling: [{ ...page('scheduling', IconCalendarEvent), target: links.scheduling(slug) }],
    branding: rule('/t/$slug/branding', '/t/$slug/branding/texts'),
    security: [
      ...rule('/t/$slug/security'),
      ...(scopes.includes('members') ? [] : [mfa]),
      { ...page('audit', IconHistory), target: links.auditLog(slug) },
    ],
  }
  return grantScopes.flatMap((scope) => (scopes.includes(scope) ? ofScope[scope] : []))
}
