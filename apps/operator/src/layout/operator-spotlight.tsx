import { SpotlightSearch } from '@atrium/ui/spotlight-search'
import { tenantStatusMeta } from '@atrium/ui/tones'
import { useDebouncedValue } from '@mantine/hooks'
import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight'
import {
  IconActivity,
  IconBriefcase,
  IconBuilding,
  IconBuildingPlus,
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

const shown = 6

/**
 * Search over pages, tenants, partners, users and flags, opened by mod+K. What the server finds
 * arrives while the person types.
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
      label: 'Overview',
      leftSection: <IconLayoutDashboard {...icon} />,
      onClick: () => void navigate({ to: '/' }),
    },
    {
      id: 'page:tenants',
      label: 'Tenants',
      leftSection: <IconBuilding {...icon} />,
      onClick: () => void navigate({ to: '/tenants' }),
    },
    {
      id: 'page:new-tenant',
      label: 'New tenant',
      keywords: ['create'],
      leftSection: <IconBuildingPlus {...icon} />,
      onClick: () => void navigate({ to: '/tenants/new' }),
    },
    {
      id: 'page:partners',
      label: 'Partners',
      keywords: ['resellers'],
      leftSection: <IconBriefcase {...icon} />,
      onClick: () => void navigate({ to: '/partners' }),
    },
    {
      id: 'page:users',
      label: 'Users',
      leftSection: <IconUsers {...icon} />,
      onClick: () => void navigate({ to: '/users' }),
    },
    {
      id: 'page:invite',
      label: 'Invite operator',
      keywords: ['add', 'admin'],
      leftSection: <IconUserPlus {...icon} />,
      onClick: () => void navigate({ to: '/users/invite' }),
    },
    {
      id: 'page:subscriptions',
      label: 'Subscriptions',
      keywords: ['plan', 'seats', 'revenue'],
      leftSection: <IconRepeat {...icon} />,
      onClick: () => void navigate({ to: '/subscriptions' }),
    },
    {
      id: 'page:prices',
      label: 'Prices',
      keywords: ['catalog', 'plan', 'amount'],
      leftSection: <IconTag {...icon} />,
      onClick: () => void navigate({ to: '/prices' }),
    },
    {
      id: 'page:flags',
      label: 'Flags',
      keywords: ['feature', 'rollout', 'kill'],
      leftSection: <IconFlag {...icon} />,
      onClick: () => void navigate({ to: '/flags' }),
    },
    {
      id: 'page:mail',
      label: 'Mail queue',
      keywords: ['outbox', 'mails', 'sent', 'failed'],
      leftSection: <IconMailForward {...icon} />,
      onClick: () => void navigate({ to: '/mail' }),
    },
    {
      id: 'page:system',
      label: 'System',
      keywords: ['queues', 'jobs', 'database', 'replica', 'integrations', 'failures', 'health'],
      leftSection: <IconActivity {...icon} />,
      onClick: () => void navigate({ to: '/system' }),
    },
    {
      id: 'page:audit',
      label: 'Audit',
      keywords: ['log', 'history'],
      leftSection: <IconHistory {...icon} />,
      onClick: () => void navigate({ to: '/audit' }),
    },
  ]
  const groups: SpotlightActionGroupData[] = [
    { group: 'Pages', actions: pages },
    {
      group: 'Tenants',
      actions: (enabled ? (tenants.data?.items ?? []) : []).map((tenant) => ({
        id: tenant.id,
        label: tenant.name,
        description: `${tenant.slug} · ${tenantStatusMeta(tenant.status).label}`,
        // The server has matched already, perhaps by a field that is not shown here.
        keywords: [q, typed],
        leftSection: <IconBuilding {...icon} />,
        onClick: () => void navigate({ to: '/tenants/$slug', params: { slug: tenant.slug } }),
      })),
    },
    {
      group: 'Partners',
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
      group: 'Users',
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
      group: 'Flags',
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
      placeholder="Search pages, tenants, partners, users and flags"
      actions={groups.filter(({ actions }) => actions.length > 0)}
      onQueryChange={setTyped}
    />
  )
}

const icon = { size: 20, stroke: 1.75, 'aria-hidden': true } as const
