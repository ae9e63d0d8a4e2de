import type { TenantRole, TenantView } from '@atrium/core/tenants/tenants'
import type { UserView } from '@atrium/core/users/users'
import { translations, withMessages } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { type NavSection, Shell } from '@atrium/ui/shell'
import { useFollowLanguage } from '@atrium/ui/use-follow-language'
import { useSearch } from '@atrium/ui/use-search'
import {
  IconBriefcase,
  IconBuildingCommunity,
  IconCalendarEvent,
  IconDatabase,
  IconDeviceMobile,
  IconHistory,
  IconHome,
  IconIdBadge2,
  IconKey,
  IconSettings,
  IconShieldLock,
  IconUser,
  IconUsers,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as links from '../links.ts'
import { partnerPages } from '../partner/partner-pages.ts'
import { partnerOf } from '../partner/use-partner.ts'
import { useProfile } from '../profile/use-profile.ts'
import { lastTenant } from '../session/last-tenant.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { useTRPC } from '../trpc.ts'
import { delegatePages, pageSections } from './tenant-pages.ts'
import { TenantSwitcher } from './tenant-switcher.tsx'

const t = translations('portal.layout')

// Brings a library of its own, and is loaded when it is opened.
const PortalSpotlight = lazy(() => withMessages(import('./portal-spotlight.tsx'), 'portal.search'))

/** The frame around every page of a signed-in person. */
export default function PortalFrame() {
  const { me, tenants } = useProfile()
  useFollowLanguage(me)
  const search = useSearch()
  const { slug, grant, custodian } = useShownWorkplace()
  const partner = partnerOf(me)
  const inPartnerArea = useLocation({
    select: ({ pathname }) => pathname === '/partner' || pathname.startsWith('/partner/'),
  })
  const own = tenants.find((tenant) => tenant.slug === slug)
  const general =
    slug && grant
      ? onBehalfOf(slug, grant, navOf(undefined, { several: tenants.length > 1 }))
      : navOf(slug, { role: own?.role, custodian, several: tenants.length > 1 })
  const nav = partner ? withPartner(general, partner, inPartnerArea, tenants.length > 0) : general
  return (
    <>
      <Shell
        home={links.home}
        nav={nav}
        user={{ name: me.name, email: me.email }}
        profile={links.profile}
        security={links.accountSecurity}
        onSearch={search.open}
        switcher={
          (tenants.length > 0 || partner) && (
            <TenantSwitcher
              tenants={tenants}
              current={slug}
              partner={partner}
              inPartnerArea={inPartnerArea}
            />
          )
        }
      />
      <Suspense>
        {search.requested && <PortalSpotlight tenants={tenants} current={slug} partner={partner} />}
      </Suspense>
    </>
  )
}

/**
 * The workplace whose pages the navigation lists: the one of the address, unless it is missing or
 * closed to this person. The profile belongs to no workplace; there it is the one that was visited
 * last. `grant` is the access under which the person acts there, `custodian` whether as staff of
 * the partner that looks after it until its owner accepts.
 */
function useShownWorkplace(): {
  slug: string | undefined
  grant?: TenantView['grant']
  custodian?: boolean
} {
  const { slug } = useParams({ strict: false })
  const { tenants } = useProfile()
  const onProfile = useLocation({
    select: ({ pathname }) =>
      pathname === links.profile.to || pathname === links.accountSecurity.to,
  })
  const trpc = useTRPC()
  const tenant = useQuery(
    trpc.tenants.get.queryOptions({ slug: slug ?? '' }, { enabled: slug !== undefined }),
  )
  const status = tenant.data ? undefined : problemOf(tenant.error).status
  if (slug !== undefined)
    return status === 403 || status === 404
      ? { slug: undefined }
      : { slug, grant: tenant.data?.grant ?? null, custodian: tenant.data?.custodian ?? false }
  const last = onProfile ? lastTenant() : undefined
  return { slug: tenants.find((known) => known.slug === last)?.slug }
}

/** Under an access grant: the pages that it opens, and nothing else of the workplace. */
function onBehalfOf(
  slug: string,
  { scopes }: NonNullable<TenantView['grant']>,
  general: NavSection[],
): NavSection[] {
  return [{ label: t('sections.workplace'), items: delegatePages(slug, scopes) }, ...general]
}

/**
 * Inside the area its pages come first; elsewhere one line leads there. Without a workplace the
 * start page is the area itself.
 */
function withPartner(
  general: NavSection[],
  partner: NonNullable<UserView['partner']>,
  inside: boolean,
  workplaces: boolean,
): NavSection[] {
  const kept = workplaces
    ? general
    : general.map(({ items, ...section }) => ({
        ...section,
        items: items.filter(({ target }) => target !== links.home),
      }))
  if (inside)
    return [
      { label: partner.name, items: partnerPages(partner.access) },
      ...kept.map((section) => ({ label: t('sections.you'), ...section })),
    ]
  return [
    ...kept,
    {
      label: t('sections.partner'),
      items: [{ label: t('pages.partner'), icon: IconBriefcase, target: links.partner }],
    },
  ]
}

/** The pages of the workplace, for custodians those of its admins, and those of the person. */
function navOf(
  slug: string | undefined,
  {
    role: own,
    custodian = false,
    several,
  }: { role?: TenantRole | undefined; custodian?: boolean | undefined; several: boolean },
): NavSection[] {
  const role = custodian ? 'admin' : own
  const general: NavSection = {
    ...(slug ? { label: t('sections.you') } : {}),
    items: [
      ...(several || !slug
        ? [
            {
              label: t(several ? 'pages.home' : 'pages.start'),
              icon: IconBuildingCommunity,
              target: links.home,
              exact: true,
            },
          ]
        : []),
      { label: t('pages.profile'), icon: IconUser, target: links.profile, exact: true },
      { label: t('pages.accountSecurity'), icon: IconKey, target: links.accountSecurity },
      ...(slug && own
        ? [
            { label: t('pages.account'), icon: IconIdBadge2, target: links.account(slug) },
            { label: t('pages.devices'), icon: IconDeviceMobile, target: links.devices(slug) },
          ]
        : []),
    ],
  }
  if (!slug) return [general]
  return [
    {
      label: t('sections.workplace'),
      items: [
        { label: t('pages.overview'), icon: IconHome, target: links.overview(slug), exact: true },
        { label: t('pages.members'), icon: IconUsers, target: links.members(slug) },
        { label: t('pages.mfa'), icon: IconShieldLock, target: links.mfa(slug) },
        { label: t('pages.storage'), icon: IconDatabase, target: links.storage(slug) },
        { label: t('pages.scheduling'), icon: IconCalendarEvent, target: links.scheduling(slug) },
        { label: t('pages.audit'), icon: IconHistory, target: links.auditLog(slug) },
        ...(maySeeSettings(role)
          ? [{ label: t('pages.settings'), icon: IconSettings, target: links.settings(slug) }]
          : []),
      ],
    },
    ...pageSections(slug, role, custodian),
    general,
  ]
}
