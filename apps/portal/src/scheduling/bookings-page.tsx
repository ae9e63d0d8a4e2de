import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { problemOf } from '@atrium/ui/problem'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, NativeSelect, Tabs, Text } from '@mantine/core'
import { IconCalendarEvent, IconSearch } from '@tabler/icons-react'
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

const tabs = [
  { when: 'upcoming', label: 'Upcoming' },
  { when: 'undecided', label: 'Needs confirmation' },
  { when: 'past', label: 'Past' },
  { when: 'ended', label: 'Cancelled' },
] as const
type When = (typeof tabs)[number]['when']

const nothing: Readonly<Record<When, { title: string; words: string }>> = {
  upcoming: {
    title: 'No bookings to come',
    words: 'Share the link of the booking page, and what visitors book stands here.',
  },
  undecided: {
    title: 'Nothing waits for you',
    words: 'Requests for event types that need a confirmation stand here.',
  },
  past: {
    title: 'No bookings yet',
    words:
      'What was held stands here, so that you can look something up or note that somebody did not come.',
  },
  ended: {
    title: 'Nothing was cancelled',
    words: 'Bookings that were cancelled, declined or not answered stand here.',
  },
}

/** What visitors have booked. Members see their own, admins everybody's. */
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
      ...links.bookings(slug, { ...search, trail: undefined, ...change }),
      replace,
      resetScroll: false,
    })
  const filtered = search.q !== undefined || search.host !== undefined

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={slug} />
  return (
    <>
      <PageHeader
        title="Bookings"
        tabTitle={`Bookings of ${tenant.name}`}
        description="What visitors have booked, in your own time zone."
      />
      <Tabs
        value={when}
        onChange={(value) => go({ when: (value as When | null) ?? undefined, booking: undefined })}
        mb="md"
      >
        <Tabs.List aria-label="Which bookings">
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.when} value={tab.when}>
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={when} pt="md">
          <FilterBar label="Filter bookings">
            <DebouncedInput
              label="Search"
              type="search"
              placeholder="Name or address of the visitor"
              leftSection={<IconSearch size={16} aria-hidden />}
              value={search.q}
              onChange={(q) => go({ q })}
            />
            {hosts.length > 1 && (
              <NativeSelect
                label="Host"
                value={search.host ?? ''}
                onChange={(event) => go({ host: event.currentTarget.value || undefined })}
                data={[
                  { value: '', label: 'Any host' },
                  ...hosts.map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            )}
          </FilterBar>
          <PagedTable
            of="bookings"
            caption={`${tabs.find((tab) => tab.when === when)?.label ?? 'All'} bookings`}
            found={query}
            columns={columnsOf(slug, search, query.data?.items ?? [])}
            rowKey={({ id }) => id}
            trail={search.trail}
            onCursorHistory={(trail) => go({ trail }, false)}
            empty={
              <EmptyState
                icon={<IconCalendarEvent size={32} stroke={1.5} aria-hidden />}
                title={filtered ? 'No booking fits' : nothing[when].title}
                action={
                  filtered ? (
                    <Button variant="default" onClick={() => go({ q: undefined, host: undefined })}>
                      Clear filters
                    </Button>
                  ) : (
                    when === 'upcoming' && (
                      <LinkButton {...links.bookingPage(slug)} variant="default">
                        To the booking page
                      </LinkButton>
                    )
                  )
                }
              >
                {filtered ? 'Try another name, address or host.' : nothing[when].words}
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
            onClose={() => go({ trail: search.trail, booking: undefined })}
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
      header: 'When',
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
      header: 'Visitor',
      cell: ({ attendee }) => (
        <>
          <Text size="sm">{attendee.name}</Text>
          <Text size="sm" c="dimmed">
            {attendee.email}
          </Text>
        </>
      ),
    },
    { key: 'what', header: 'What', cell: ({ title }) => title },
    {
      key: 'host',
      header: 'Host',
      breaks: true,
      cell: ({ hosts }) => hosts.map(({ name }) => name).join(', '),
    },
    {
      key: 'state',
      header: 'State',
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
