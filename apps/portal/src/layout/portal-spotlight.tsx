import type { UserView } from '@atrium/core/users/users'
import type { LinkTarget } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { SpotlightSearch } from '@atrium/ui/spotlight-search'
import { tenantStatusMeta } from '@atrium/ui/tones'
import type { SpotlightActionGroupData } from '@mantine/spotlight'
import {
  IconBuildingCommunity,
  IconCalendarEvent,
  IconDatabase,
  IconDeviceMobile,
  IconHistory,
  IconHome,
  IconIdBadge2,
  IconKey,
  IconMailPlus,
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
import { mailPages, rulePages, type TenantPage } from './tenant-pages.ts'

const t = translations('portal.layout')
const keywords = translations('portal.search')

interface Props {
  tenants: UserView['tenants']
  current: string | undefined
  partner: UserView['partner'] | undefined
}

/** Search over the pages of the portal and the person's workplaces. */
export default function PortalSpotlight({ tenants, current, partner }: Props) {
  const router = useRouter()
  const page = (name: TenantPage['name'], Icon: TablerIcon, target: LinkTarget) => {
    const label = t(`pages.${name}`)
    return {
      id: `page:${label}`,
      label,
      keywords: keywords(name).split(', '),
      leftSection: <Icon size={20} stroke={1.75} aria-hidden />,
      onClick: () => void router.navigate(target),
    }
  }
  const here = tenants.find(({ slug }) => slug === current)
  const inside = here
    ? [
        page('overview', IconHome, links.overview(here.slug)),
        page('members', IconUsers, links.members(here.slug)),
        page('mfa', IconShieldLock, links.mfa(here.slug)),
        page('storage', IconDatabase, links.storage(here.slug)),
        page('bookings', IconCalendarEvent, links.bookings(here.slug)),
        page('eventTypes', IconCalendarEvent, links.eventTypes(here.slug)),
        page('availability', IconCalendarEvent, links.availability(here.slug)),
        page('hosts', IconCalendarEvent, links.hosts(here.slug)),
        page('bookingPage', IconCalendarEvent, links.bookingPage(here.slug)),
        page('account', IconIdBadge2, links.account(here.slug)),
        page('devices', IconDeviceMobile, links.devices(here.slug)),
        page('audit', IconHistory, links.auditLog(here.slug)),
        ...[...mailPages(here.slug, here.role), ...rulePages(here.slug, here.role)].map(
          ({ name, icon, target }) => page(name, icon, target),
        ),
        ...(maySeeSettings(here.role)
          ? [
              page('invitations', IconMailPlus, links.invitations(here.slug)),
              page('settings', IconSettings, links.settings(here.slug)),
            ]
          : []),
      ]
    : []
  const groups: SpotlightActionGroupData[] = [
    { group: here?.name ?? t('sections.workplace'), actions: inside },
    {
      group: partner?.name ?? t('sections.partner'),
      actions: partner
        ? partnerPages(partner.access).map(({ name, icon, target }) => page(name, icon, target))
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
        page('home', IconBuildingCommunity, links.home),
        page('newTenant', IconPlus, links.newTenant),
        page('profile', IconUser, links.profile),
        page('accountSecurity', IconKey, links.accountSecurity),
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
