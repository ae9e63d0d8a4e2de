import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { EmptyState } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { problemOf } from '@atrium/ui/problem'
import type { Column } from '@atrium/ui/responsive-table'
import { SearchInput } from '@atrium/ui/search-input'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, NativeSelect, Tabs, Text } from '@mantine/core'
import { IconCalendarEvent } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as links from '../links.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { bookingMeta, calendarWarning } from './booking-status-meta.ts'
import { spanIn, spansIn } from './booking-times.ts'
import { type BookingsSearch, bookingsQuery, readBookingsSearch } from './bookings-search.ts'

const BookingDrawer = lazy(() => import('./booking-drawer.tsx'))

const t = translations('portal.scheduling-bookings')
const frame = translations('ui.frame')

const tabs = ['upcoming', 'undecided', 'past', 'ended'] as const
type When = (typeof tabs)[number]

/** Visitors' bookings. Members see their own, admins everyone's. */
export function BookingsPage() {
  const tenant = useTenant()
  const { slug } = tenant
  const router = useRouter()
  const search = readBookingsSearch(useSearch({ strict: false }))
  const { when = 'upcoming' } = search
  const trpc = useTRPC()
  const query = useQuery(
    trpc.scheduling.bookings.list.queryOptions(bookingsQuery(slug, search), {
      placeholderData: keepPreviousData,
      // What a calendar has not got yet is on its way.
      refetchInterval: ({ state }) =>
        state.data?.items.some(({ calendarSync }) => calendarSync === 'pending') ? 5_000 : 60_000,
    }),
  )
  const hosts =
    useQuery(trpc.scheduling.hosts.list.queryOptions({ slug })).data?.items.filter(
      ({ mayEdit }) => mayEdit,
    ) ?? []
  const go = (change: Partial<BookingsSearch>, replace = true) =>
    void router.navigate({
      ...links.bookings(slug, { ...search, cursors: undefined, ...change }),
      replace,
      resetScroll: false,
    })
  const filtered = search.q !== undefined || search.host !== undefined

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
      />
      <Tabs
        value={when}
        onChange={(value) => go({ when: (value as When | null) ?? undefined, booking: undefined })}
        mb="md"
      >
        <Tabs.List aria-label={t('which')}>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {t(`tabs.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={when} pt="md">
          <FilterBar label={t('filter.title')}>
            <SearchInput
              label={t('filter.search')}
              placeholder={t('filter.placeholder')}
              value={search.q}
              onChange={(q) => go({ q })}
            />
            {hosts.length > 1 && (
              <NativeSelect
                label={t('filter.host')}
                value={search.host ?? ''}
                onChange={(event) => go({ host: event.currentTarget.value || undefined })}
                data={[
                  { value: '', label: t('filter.anyHost') },
                  ...hosts.map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            )}
          </FilterBar>
          <PagedTable
            of={t('items')}
            caption={t(`captions.${when}`)}
            found={query}
            columns={columnsOf(slug, search, query.data?.items ?? [])}
            rowKey={({ id }) => id}
            cursors={search.cursors}
            onCursorHistory={(cursors) => go({ cursors }, false)}
            empty={
              <EmptyState
                icon={<IconCalendarEvent size={32} stroke={1.5} aria-hidden />}
                title={t(filtered ? 'empty.filtered.title' : `empty.${when}.title`)}
                action={
                  filtered ? (
                    <Button variant="default" onClick={() => go({ q: undefined, host: undefined })}>
                      {frame('clearFilters')}
                    </Button>
                  ) : (
                    when === 'upcoming' && (
                      <LinkButton {...links.bookingPage(slug)} variant="default">
                        {t('empty.toPage')}
                      </LinkButton>
                    )
                  )
                }
              >
                {t(filtered ? 'empty.filtered.hint' : `empty.${when}.hint`)}
              </EmptyState>
            }
          />
        </Tabs.Panel>
      </Tabs>
      <Suspense>
        {search.booking && (
          <BookingDrawer
            key={search.booking}
            bookingId={search.booking}
            onClose={() => go({ cursors: search.cursors, booking: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}

function columnsOf(
  slug: string,
  search: BookingsSearch,
  rows: readonly TenantBooking[],
): Column<TenantBooking>[] {
  const spans = spansIn(rows)
  const spanOf = new Map(rows.map(({ id }, index) => [id, spans[index]]))
  return [
    {
      key: 'when',
      header: t('columns.when'),
      primary: true,
      cell: (booking) => (
        <LinkAnchor
          {...links.bookings(slug, { ...search, booking: booking.id })}
          size="sm"
          fw={550}
          style={{ whiteSpace: 'nowrap' }}
          data-row-link
        >
          {spanOf.get(booking.id) ?? spanIn(booking)}
        </LinkAnchor>
      ),
    },
    {
      key: 'visitor',
      header: t('columns.visitor'),
      cell: ({ attendee }) => (
        <>
          <Text size="sm">{attendee.name}</Text>
          <Text size="sm" c="dimmed">
            {attendee.email}
          </Text>
        </>
      ),
    },
    { key: 'what', header: t('columns.what'), cell: ({ title }) => title },
    {
      key: 'host',
      header: t('columns.host'),
      breaks: true,
      cell: ({ hosts }) => hosts.map(({ name }) => name).join(', '),
    },
    {
      key: 'state',
      header: t('columns.state'),
      cell: (booking) => {
        const warning = calendarWarning(booking)
        return (
          <Group gap={6}>
            <StatusBadge {...bookingMeta(booking)} />
            {warning && <StatusBadge {...warning} />}
          </Group>
        )
      },
    },
  ]
}
