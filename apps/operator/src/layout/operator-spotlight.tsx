import type { MessagesOf } from '@atrium/messages/messages'
import { translations } from '@atrium/ui/messages'
import { SpotlightSearch } from '@atrium/ui/spotlight-search'
import { tenantStatusMeta } from '@atrium/ui/tones'
import { useDebouncedValue } from '@mantine/hooks'
import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight'
import {
  IconActivity,
  IconBook2,
  IconBriefcase,
  IconBuilding,
  IconBuildingPlus,
  IconFileInvoice,
  IconFlag,
  IconHistory,
  IconLayoutDashboard,
  IconMailForward,
  IconRepeat,
  IconTag,
  IconUser,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.layout')

const shown = 6

/**
 * Search over pages, tenants, partners, users and flags, opened by mod+K. Results from the server
 * arrive while the person types.
 */
export function OperatorSpotlight() {
  const { navigate } = useRouter()
  const trpc = useTRPC()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 250)
  const enabled = q !== ''
  const options = { enabled, placeholderData: keepPreviousData, staleTime: 30_000 }
  const tenants = useQuery(trpc.tenants.list.queryOptions({ q, limit: shown }, options))
  const users = useQuery(trpc.users.list.queryOptions({ q, limit: shown }, options))
  const partners = useQuery(trpc.partners.list.queryOptions({ q, limit: shown }, options))
  const flags = useQuery(trpc.flags.list.queryOptions({ q, limit: shown }, options))
  const pages: SpotlightActionData[] = [
    {
      id: 'page:overview',
      label: t('pages.overview'),
      leftSection: <IconLayoutDashboard {...icon} />,
      onClick: () => void navigate({ to: '/' }),
    },
    {
      id: 'page:tenants',
      label: t('pages.tenants'),
      leftSection: <IconBuilding {...icon} />,
      onClick: () => void navigate({ to: '/tenants' }),
    },
    {
      id: 'page:new-tenant',
      label: t('pages.newTenant'),
      keywords: keywordsOf('newTenant'),
      leftSection: <IconBuildingPlus {...icon} />,
      onClick: () => void navigate({ to: '/tenants/new' }),
    },
    {
      id: 'page:partners',
      label: t('pages.partners'),
      keywords: keywordsOf('partners'),
      leftSection: <IconBriefcase {...icon} />,
      onClick: () => void navigate({ to: '/partners' }),
    },
    {
      id: 'page:users',
      label: t('pages.users'),
      leftSection: <IconUsers {...icon} />,
      onClick: () => void navigate({ to: '/users' }),
    },
    {
      id: 'page:invite',
      label: t('pages.invite'),
      keywords: keywordsOf('invite'),
      leftSection: <IconUserPlus {...icon} />,
      onClick: () => void navigate({ to: '/users/invite' }),
    },
    {
      id: 'page:invoices',
      label: t('pages.invoices'),
      keywords: keywordsOf('invoices'),
      leftSection: <IconFileInvoice {...icon} />,
      onClick: () => void navigate({ to: '/invoices' }),
    },
    {
      id: 'page:bookkeeping',
      label: t('pages.bookkeeping'),
      keywords: keywordsOf('bookkeeping'),
      leftSection: <IconBook2 {...icon} />,
      onClick: () => void navigate({ to: '/bookkeeping' }),
    },
    {
      id: 'page:subscriptions',
      label: t('pages.subscriptions'),
      keywords: keywordsOf('subscriptions'),
      leftSection: <IconRepeat {...icon} />,
      onClick: () => void navigate({ to: '/subscriptions' }),
    },
    {
      id: 'page:prices',
      label: t('pages.prices'),
      keywords: keywordsOf('prices'),
      leftSection: <IconTag {...icon} />,
      onClick: () => void navigate({ to: '/prices' }),
    },
    {
      id: 'page:flags',
      label: t('pages.flags'),
      keywords: keywordsOf('flags'),
      leftSection: <IconFlag {...icon} />,
      onClick: () => void navigate({ to: '/flags' }),
    },
    {
      id: 'page:mail',
      label: t('pages.mail'),
      keywords: keywordsOf('mail'),
      leftSection: <IconMailForward {...icon} />,
      onClick: () => void navigate({ to: '/mail' }),
    },
    {
      id: 'page:system',
      label: t('pages.system'),
      keywords: keywordsOf('system'),
      leftSection: <IconActivity {...icon} />,
      onClick: () => void navigate({ to: '/system' }),
    },
    {
      id: 'page:audit',
      label: t('pages.audit'),
      keywords: keywordsOf('audit'),
      leftSection: <IconHistory {...icon} />,
      onClick: () => void navigate({ to: '/audit' }),
    },
  ]
  const groups: SpotlightActionGroupData[] = [
    { group: t('spotlight.pages'), actions: pages },
    {
      group: t('pages.tenants'),
      actions: (enabled ? (tenants.data?.items ?? []) : []).map((tenant) => ({
        id: tenant.id,
        label: tenant.name,
        description: `${tenant.slug} · ${tenantStatusMeta(tenant.status).label}`,
        // The server has already matched, possibly by a field that is not shown here.
        keywords: [q, typed],
        leftSection: <IconBuilding {...icon} />,
        onClick: () => void navigate({ to: '/tenants/$slug', params: { slug: tenant.slug } }),
      })),
    },
    {
      group: t('pages.partners'),
      actions: (enabled ? (partners.data?.items ?? []) : []).map((partner) => ({
        id: partner.id,
        label: partner.name,
        description: partner.slug,
        keywords: [q, typed],
        leftSection: <IconBriefcase {...icon} />,
        onClick: () => void navigate({ to: '/partners/$slug', params: { slug: partner.slug } }),
      })),
    },
    {
      group: t('pages.users'),
      actions: (enabled ? (users.data?.items ?? []) : []).map((user) => ({
        id: user.id,
        label: user.name,
        description: user.email,
        keywords: [q, typed],
        leftSection: <IconUser {...icon} />,
        onClick: () => void navigate({ to: '/users/$id', params: { id: user.id } }),
      })),
    },
    {
      group: t('pages.flags'),
      actions: (enabled ? (flags.data?.items ?? []) : []).map((flag) => ({
        id: flag.id,
        label: flag.key,
        ...(flag.description === null ? {} : { description: flag.description }),
        keywords: [q, typed],
        leftSection: <IconFlag {...icon} />,
        onClick: () => void navigate({ to: '/flags/$key', params: { key: flag.key } }),
      })),
    },
  ]
  return (
    <SpotlightSearch
      placeholder={t('spotlight.placeholder')}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      onQueryChange={setTyped}
    />
  )
}

/** Further words by which the search finds a page. */
function keywordsOf(page: keyof MessagesOf<'operator.layout'>['spotlight']['keywords']): string[] {
  return t(`spotlight.keywords.${page}`).split(', ')
}

const icon = { size: 20, stroke: 1.75, 'aria-hidden': true } as const
