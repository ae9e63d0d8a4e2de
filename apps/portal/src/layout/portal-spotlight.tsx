import type { UserView } from '@atrium/core/users/users'
import type { LinkTarget } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { SpotlightSearch } from '@atrium/ui/spotlight-search'
import { tenantStatusMeta } from '@atrium/ui/tones'
import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight'
import {
  IconBuildingCommunity,
  IconCalendarEvent,
  IconDatabase,
  IconDeviceMobile,
  IconHistory,
  IconHome,
  IconIdBadge2,
  IconKey,
  IconPlus,
  IconSettings,
  IconShieldLock,
  IconUser,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import * as links from '../links.ts'
import { partnerPages } from '../partner/partner-pages.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { TenantMark } from '../tenants/tenant-mark.tsx'
import { keywordsOf, mailPages, rulePages } from './tenant-pages.ts'

const t = translations('portal.layout')

interface Props {
  tenants: UserView['tenants']
  current: string | undefined
  partner: UserView['partner'] | undefined
}

/** Search over the pages of the portal and the person's workplaces. */
export default function PortalSpotlight({ tenants, current, partner }: Props) {
  const router = useRouter()
  const page = (
    label: string,
    Icon: TablerIcon,
    target: LinkTarget,
    keywords: string[],
  ): SpotlightActionData => ({
    id: `page:${label}`,
    label,
    keywords,
    leftSection: <Icon size={20} stroke={1.75} aria-hidden />,
    onClick: () => void router.navigate(target),
  })
  const named = (name: Parameters<typeof keywordsOf>[0], Icon: TablerIcon, target: LinkTarget) =>
    page(t(`pages.${name}`), Icon, target, keywordsOf(name))
  const here = tenants.find(({ slug }) => slug === current)
  const inside = here
    ? [
        named('overview', IconHome, links.overview(here.slug)),
        named('members', IconUsers, links.members(here.slug)),
        named('mfa', IconShieldLock, links.mfa(here.slug)),
        named('storage', IconDatabase, links.storage(here.slug)),
        named('bookings', IconCalendarEvent, links.bookings(here.slug)),
        named('eventTypes', IconCalendarEvent, links.eventTypes(here.slug)),
        named('availability', IconCalendarEvent, links.availability(here.slug)),
        named('hosts', IconCalendarEvent, links.hosts(here.slug)),
        named('bookingPage', IconCalendarEvent, links.bookingPage(here.slug)),
        named('account', IconIdBadge2, links.account(here.slug)),
        named('devices', IconDeviceMobile, links.devices(here.slug)),
        named('audit', IconHistory, links.auditLog(here.slug)),
        ...[...mailPages(here.slug, here.role), ...rulePages(here.slug, here.role)].map(
          ({ label, icon, target, keywords }) => page(label, icon, target, keywords),
        ),
        ...(maySeeSettings(here.role)
          ? [named('settings', IconSettings, links.settings(here.slug))]
          : []),
      ]
    : []
  const groups: SpotlightActionGroupData[] = [
    { group: here?.name ?? t('sections.workplace'), actions: inside },
    {
      group: partner?.name ?? t('sections.partner'),
      actions: partner
        ? partnerPages(partner.access).map(({ label, icon, target, keywords }) =>
            page(label, icon, target, keywords),
          )
        : [],
    },
    {
      group: t('sections.workplaces'),
      actions: tenants.map((tenant) => ({
        id: tenant.id,
        label: tenant.name,
        description: `${tenant.slug} · ${tenantStatusMeta(tenant.status).label}`,
        leftSection: <TenantMark name={tenant.name} color={tenant.brandColor} size={28} />,
        onClick: () => void router.navigate(links.overview(tenant.slug)),
      })),
    },
    {
      group: t('sections.portal'),
      actions: [
        named('home', IconBuildingCommunity, links.home),
        named('newTenant', IconPlus, links.newTenant),
        named('profile', IconUser, links.profile),
        named('accountSecurity', IconKey, links.accountSecurity),
      ],
    },
  ]
  return (
    <SpotlightSearch
      placeholder={t('spotlight.placeholder')}
      actions={groups.filter(({ actions }) => actions.length > 0)}
    />
  )
}
