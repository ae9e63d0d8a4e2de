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
  IconMailPlus,
  IconPalette,
  IconReceipt,
  IconRobot,
  IconShieldLock,
  IconUserShield,
  IconUsers,
  IconWebhook,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react'
import * as links from '../links.ts'
import { maySeeSettings } from '../tenants/roles.ts'

const t = translations('portal.layout')

/** A page of the navigation, with the name under which the search has more words for it. */
export interface TenantPage extends NavItem {
  name: keyof MessagesOf<'portal.search'>
}

/**
 * The pages about addresses. Lists and aliases may be read by everyone who belongs to the
 * workplace.
 */
export function mailPages(slug: string, role: TenantRole | undefined): TenantPage[] {
  const domains: TenantPage = {
    label: t('pages.domains'),
    icon: IconWorld,
    target: links.domains(slug),
    name: 'domains',
  }
  return [
    ...(maySeeSettings(role) ? [domains] : []),
    {
      label: t('pages.aliases'),
      icon: IconAt,
      target: links.aliases(slug),
      name: 'aliases',
    },
    {
      label: t('pages.lists'),
      icon: IconMailForward,
      target: links.lists(slug),
      name: 'lists',
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
      name: 'sso',
    },
    {
      label: t('pages.branding'),
      icon: IconPalette,
      target: links.branding(slug),
      name: 'branding',
      exact: true,
    },
    {
      label: t('pages.mailTexts'),
      icon: IconForms,
      target: links.mailTexts(slug),
      name: 'mailTexts',
    },
    {
      label: t('pages.securityPolicy'),
      icon: IconLockAccess,
      target: links.securityPolicy(slug),
      name: 'securityPolicy',
      exact: true,
    },
    {
      label: t('pages.access'),
      icon: IconUserShield,
      target: links.access(slug),
      name: 'access',
    },
    {
      label: t('pages.serviceTokens'),
      icon: IconRobot,
      target: links.serviceTokens(slug),
      name: 'serviceTokens',
    },
    {
      label: t('pages.webhooks'),
      icon: IconWebhook,
      target: links.webhooks(slug),
      name: 'webhooks',
    },
    {
      label: t('pages.billing'),
      icon: IconCreditCard,
      target: links.billing(slug),
      name: 'billing',
      exact: true,
    },
    {
      label: t('pages.billingInfo'),
      icon: IconReceipt,
      target: links.billingInfo(slug),
      name: 'billingInfo',
    },
  ]
}

/** Pages of what outlives the custody of a partner. */
const outliving: readonly TenantPage['name'][] = ['access', 'serviceTokens', 'webhooks']

/** Both as sections of the navigation; without items none is shown. */
export function pageSections(
  slug: string,
  role: TenantRole | undefined,
  custodian: boolean,
): NavSection[] {
  const rules = rulePages(slug, role)
  const sections: NavSection[] = [
    { label: t('sections.mail'), items: mailPages(slug, role) },
    {
      label: t('sections.administration'),
      items: custodian ? rules.filter(({ name }) => !outliving.includes(name)) : rules,
    },
  ]
  return sections.filter(({ items }) => items.length > 0)
}

/** The pages that an access grant of these scopes opens. */
export function delegatePages(slug: string, scopes: readonly GrantScope[]): NavItem[] {
  const page = (
    name: 'invitations' | 'members' | 'mfa' | 'storage' | 'scheduling' | 'audit',
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
      { ...page('invitations', IconMailPlus), target: links.invitations(slug) },
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
