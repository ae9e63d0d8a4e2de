import type { HostView } from '@atrium/core/scheduling/hosts'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { NativeSelect } from '@mantine/core'
import { IconCalendarUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import * as links from '../links.ts'
import { useProfile } from '../profile/use-profile.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.scheduling')

interface Props {
  /** From the address; the person's own host, else the first one, where it names none. */
  chosen: string | undefined
  children: (host: HostView, hosts: readonly HostView[]) => ReactNode
}

/**
 * Shows what belongs to one host that the person may change; without any it says how to become one.
 */
export function ChosenHost({ chosen, children }: Props) {
  const { slug } = useTenant()
  const { me } = useProfile()
  const query = useQuery(useTRPC().scheduling.hosts.list.queryOptions({ slug }))
  if (query.isPending) return <LoadingRows label={t('hosts.loading')} />
  if (query.error) {
    return (
      <ErrorState
        title={t('hosts.failed')}
        error={query.error}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    )
  }
  const hosts = query.data.items.filter(({ mayEdit }) => mayEdit)
  const host =
    hosts.find(({ id }) => id === chosen) ??
    hosts.find(({ userId }) => userId === me.id) ??
    hosts[0]
  if (!host) {
    return (
      <EmptyState
        icon={<IconCalendarUser size={32} stroke={1.5} aria-hidden />}
        title={t('hosts.empty.title')}
        action={<LinkButton {...links.hosts(slug)}>{t('hosts.empty.toHosts')}</LinkButton>}
      >
        {t('hosts.empty.hint')}
      </EmptyState>
    )
  }
  return <>{children(host, hosts)}</>
}

/** Whose offers are shown; nothing where there is only one to choose. */
export function HostPicker({
  host,
  hosts,
  onChange,
}: {
  host: HostView
  hosts: readonly HostView[]
  onChange: (hostId: string) => void
}) {
  if (hosts.length < 2) return null
  return (
    <NativeSelect
      label={t('hosts.label')}
      data={hosts.map(({ id, name }) => ({ value: id, label: name }))}
      value={host.id}
      onChange={(event) => onChange(event.currentTarget.value)}
      w={{ base: '100%', xs: 240 }}
    />
  )
}
