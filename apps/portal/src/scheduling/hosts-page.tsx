import type { HostView } from '@atrium/core/scheduling/hosts'
import { CopyValue } from '@atrium/ui/copy'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { recordId, searchReader } from '@atrium/ui/search-params'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCalendarUser, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as links from '../links.ts'
import { useProfile } from '../profile/use-profile.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { calendarMeta } from './host-status-meta.ts'
import { withoutScheme } from './time-text.ts'

// What only those need who change something loads when it is needed.
const AddHostDialog = lazy(() => import('./add-host-dialog.tsx'))
const HostDrawer = lazy(() => import('./host-drawer.tsx'))

const t = translations('portal.scheduling-hosts')
const area = translations('portal.scheduling')

/** What the address of this page carries: whose details are open. */
const readHostsSearch = searchReader({ host: recordId })

/** The hosts that can be booked, and the state of their calendars. */
export function HostsPage() {
  const tenant = useTenant()
  const { slug } = tenant
  const { me } = useProfile()
  const router = useRouter()
  const search = readHostsSearch(useSearch({ strict: false }))
  const query = useQuery(useTRPC().scheduling.hosts.list.queryOptions({ slug }))
  const [adding, { open, close }] = useDisclosure(false)
  const go = (host: string | undefined) =>
    void router.navigate({
      ...links.hosts(slug, { host }),
      replace: host === undefined,
      resetScroll: false,
    })
  const hosts = query.data?.items
  const isHost = hosts?.some(({ userId }) => userId === me.id) ?? true
  const closed = tenant.status === 'suspended' || tenant.status === 'deleted'
  const mayAdd = mayChange(tenant) || (tenant.role !== null && !isHost && !closed)
  const addButton = mayAdd && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      {t(mayChange(tenant) ? 'add.button' : 'add.become')}
    </Button>
  )

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
        actions={hosts && hosts.length > 0 && addButton}
      />
      <QueryState query={query} loading={area('hosts.loading')} failed={area('hosts.failed')} />
      {hosts && hosts.length === 0 && !query.error && (
        <EmptyState
          icon={<IconCalendarUser size={32} stroke={1.5} aria-hidden />}
          title={t('empty.title')}
          action={addButton}
        >
          {t(mayAdd ? 'empty.hint' : 'empty.hintOthers')}
        </EmptyState>
      )}
      {hosts && hosts.length > 0 && !query.error && (
        <ResponsiveTable
          caption={t('tabTitle', { tenant: tenant.name })}
          columns={columnsOf(slug)}
          rows={hosts}
          rowKey={({ id }) => id}
        />
      )}
      <Suspense>
        {adding && (
          <AddHostDialog
            onClose={close}
            onCreated={(host) => {
              close()
              go(host.id)
            }}
          />
        )}
        {search.host && (
          <HostDrawer key={search.host} hostId={search.host} onClose={() => go(undefined)} />
        )}
      </Suspense>
    </>
  )
}

function columnsOf(slug: string): Column<HostView>[] {
  return [
    {
      key: 'host',
      header: t('columns.host'),
      primary: true,
      cell: ({ id, name, title, active, listed }) => (
        <>
          <LinkAnchor {...links.hosts(slug, { host: id })} size="sm" fw={550} data-row-link>
            {name}
          </LinkAnchor>
          <Text size="sm" c="dimmed">
            {[title, !active && t('notBookable'), active && !listed && t('notListed')]
              .filter(Boolean)
              .join(', ')}
          </Text>
        </>
      ),
    },
    {
      key: 'calendar',
      header: t('columns.calendar'),
      cell: (host) => <StatusBadge {...calendarMeta(host)} />,
    },
    { key: 'zone', header: t('columns.zone'), cell: ({ zone }) => zone.replaceAll('_', ' ') },
    {
      key: 'bookings',
      header: t('columns.bookings'),
      align: 'end',
      cell: ({ comingBookings }) => t('bookings', { count: comingBookings }),
    },
    {
      key: 'link',
      header: t('columns.link'),
      wideOnly: true,
      cell: ({ publicUrl, name }) =>
        publicUrl && (
          <span style={{ position: 'relative', zIndex: 1 }}>
            <CopyValue
              label={t('linkOf', { host: name })}
              value={withoutScheme(publicUrl)}
              hideLabel
            />
          </span>
        ),
    },
  ]
}
