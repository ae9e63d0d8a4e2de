import type { UserView } from '@atrium/core/users/users'
import type { LinkTarget } from '@atrium/ui/links'
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
import { mailPages, rulePages } from './tenant-pages.ts'

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
    keywords: string[] = [],
  ): SpotlightActionData => ({
    id: `page:${label}`,
    label,
    keywords,
    leftSection: <Icon size={20} stroke={1.75} aria-hidden />,
    onClick: () => void router.navigate(target),
  })
  const here = tenants.find(({ slug }) => slug === current)
  const inside = here
    ? [
        page('Overview', IconHome, links.overview(here.slug), ['status', 'provisioning', 'health']),
        page('Members', IconUsers, links.members(here.slug), ['people', 'team', 'users']),
        page('Second factors', IconShieldLock, links.mfa(here.slug), [
          'mfa',
          '2fa',
          'security',
          'passkey',
        ]),
        page('Storage', IconDatabase, links.storage(here.slug), ['quota', 'files', 'space']),
        page('Bookings', IconCalendarEvent, links.bookings(here.slug), [
          'scheduling',
          'appointments',
          'calendar',
        ]),
        page('Event types', IconCalendarEvent, links.eventTypes(here.slug), [
          'scheduling',
          'meetings',
          'booking link',
        ]),
        page('Availability', IconCalendarEvent, links.availability(here.slug), [
          'scheduling',
          'working hours',
          'holidays',
        ]),
        page('Hosts', IconCalendarEvent, links.hosts(here.slug), [
          'scheduling',
          'connect calendar',
          'app password',
        ]),
        page('Booking page', IconCalendarEvent, links.bookingPage(here.slug), [
          'scheduling',
          'embed',
          'public page',
        ]),
        page('My account here', IconIdBadge2, links.account(here.slug), [
          'aliases',
          'addresses',
          'mailbox',
        ]),
        page('My devices', IconDeviceMobile, links.devices(here.slug), [
          'phone',
          'imap',
          'smtp',
          'iphone',
          'mail app',
        ]),
        page('Audit log', IconHistory, links.auditLog(here.slug), ['history', 'events']),
        ...[...mailPages(here.slug, here.role), ...rulePages(here.slug, here.role)].map(
          ({ label, icon, target, keywords }) => page(label, icon, target, keywords),
        ),
        ...(maySeeSettings(here.role)
          ? [
              page('Settings', IconSettings, links.settings(here.slug), [
                'edit',
                'delete',
                'colour',
                'seats',
              ]),
            ]
          : []),
      ]
    : []
  const groups: SpotlightActionGroupData[] = [
    { group: here?.name ?? 'Workplace', actions: inside },
    {
      group: partner?.name ?? 'Partner',
      actions: partner
        ? partnerPages(partner.access).map(({ label, icon, target, keywords }) =>
            page(label, icon, target, keywords),
          )
        : [],
    },
    {
      group: 'Workplaces',
      actions: tenants.map((tenant) => ({
        id: tenant.id,
        label: tenant.name,
        description: `${tenant.slug} · ${tenantStatusMeta[tenant.status].label}`,
        leftSection: <TenantMark name={tenant.name} color={tenant.brandColor} size={28} />,
        onClick: () => void router.navigate(links.overview(tenant.slug)),
      })),
    },
    {
      group: 'Portal',
      actions: [
        page('All workplaces', IconBuildingCommunity, links.home, ['home', 'start']),
        page('Create a workplace', IconPlus, links.newTenant, ['new', 'add']),
        page('My profile', IconUser, links.profile, ['account', 'contact', 'phone']),
      ],
    },
  ]
  return (
    <SpotlightSearch
      placeholder="Search pages and workplaces"
      actions={groups.filter(({ actions }) => actions.length > 0)}
    />
  )
}
