import type { TenantBookingDetail } from '@atrium/core/scheduling/bookings'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { mailtoLink } from '@atrium/ui/mailto'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Anchor, Group, List, Stack, Text, Timeline } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { BookingActionButtons } from './booking-action-buttons.tsx'
import { BookingCalendars } from './booking-calendars.tsx'
import { bookingMeta, changeLabels, partyNames } from './booking-status-meta.ts'
import { spanIn } from './booking-times.ts'
import { DrawerPart } from './drawer-part.tsx'
import { locationNames } from './time-text.ts'
import { ownZone } from './zone-select.tsx'

interface Props {
  bookingId: string
  onClose: () => void
}

/**
 * One booking: when, who, what can be done about it, how far the calendars are, and what happened
 * to it.
 */
export default function BookingDrawer({ bookingId, onClose }: Props) {
  const { slug } = useTenant()
  const query = useQuery(
    useTRPC().scheduling.bookings.get.queryOptions(
      { slug, bookingId },
      { refetchInterval: ({ state }) => (state.data?.calendarSync === 'pending' ? 3_000 : false) },
    ),
  )
  return (
    <SideDrawer opened onClose={onClose} title={query.data?.title ?? 'Booking'}>
      {query.isPending && <LoadingRows label="Loading the booking" />}
      {query.error && (
        <ErrorState
          title="The booking could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && !query.error && <Details booking={query.data} />}
    </SideDrawer>
  )
}

function Details({ booking }: { booking: TenantBookingDetail }) {
  const { attendee, location } = booking
  const zone = ownZone()
  return (
    <>
      <Group gap="sm" mb="md">
        <StatusBadge {...bookingMeta(booking)} />
        <Text size="sm" c="dimmed">
          {booking.source === 'host' ? 'made by a host' : 'made on the booking page'}
        </Text>
      </Group>
      {booking.status === 'pending' && booking.approvalExpiresAt && (
        <Alert
          variant="light"
          icon={<IconClock aria-hidden />}
          mb="md"
          title="The visitor waits for an answer"
        >
          Without one the request lapses <Time at={booking.approvalExpiresAt} />. Until then the
          time is held.
        </Alert>
      )}
      <BookingActionButtons booking={booking} />
      <DrawerPart title="When and where">
        <DetailList>
          <DetailItem label={`Your time (${zone.replaceAll('_', ' ')})`}>
            {spanIn(booking)}
          </DetailItem>
          {booking.hostTimeZone !== zone && (
            <DetailItem label={`Host (${booking.hostTimeZone.replaceAll('_', ' ')})`}>
              {spanIn(booking, booking.hostTimeZone)}
            </DetailItem>
          )}
          {attendee.timeZone !== zone && (
            <DetailItem label={`Visitor (${attendee.timeZone.replaceAll('_', ' ')})`}>
              {spanIn(booking, attendee.timeZone)}
            </DetailItem>
          )}
          <DetailItem label={locationNames[location.kind]}>{location.text}</DetailItem>
        </DetailList>
      </DrawerPart>
      <DrawerPart title="Visitor">
        <DetailList>
          <DetailItem label="Name">{attendee.name}</DetailItem>
          <DetailItem label="Address">
            <Anchor href={mailtoLink(attendee.email)} inherit>
              {attendee.email}
            </Anchor>
          </DetailItem>
          {booking.guests.length > 0 && (
            <DetailItem label="Guests">
              {booking.guests.join(', ')}
              {!booking.guestsInvited && (
                <Text size="sm" c="dimmed">
                  Not invited yet: the visitor has to confirm their address first.
                </Text>
              )}
            </DetailItem>
          )}
          {booking.answers.map(({ key, label, value }) => (
            <DetailItem key={key} label={label}>
              {value}
            </DetailItem>
          ))}
          {booking.note && (
            <DetailItem label="Note">
              <span style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {booking.note}
              </span>
            </DetailItem>
          )}
        </DetailList>
      </DrawerPart>
      <DrawerPart title="Calendars">
        <BookingCalendars booking={booking} />
      </DrawerPart>
      <DrawerPart title="History">
        <History booking={booking} />
      </DrawerPart>
    </>
  )
}

function History({ booking: { history } }: { booking: TenantBookingDetail }) {
  return (
    <Timeline bulletSize={12} lineWidth={2}>
      {history.map(({ kind, by, actorName, from, to, fromHost, toHost, reason, at }) => (
        <Timeline.Item
          key={`${at} ${kind}`}
          title={kind === 'confirmed' && by === 'visitor' ? 'Booked' : changeLabels[kind]}
        >
          <Stack gap={2}>
            <Text size="sm" c="dimmed">
              <Time at={at} show="absolute" /> by {actorName ?? partyNames[by]}
            </Text>
            {from && to && from !== to && (
              <List size="sm" listStyleType="none">
                <List.Item>From {spanIn({ start: from, end: from }).split('–')[0]}</List.Item>
                <List.Item>To {spanIn({ start: to, end: to }).split('–')[0]}</List.Item>
              </List>
            )}
            {fromHost && toHost && (
              <Text size="sm">
                From {fromHost} to {toHost}
              </Text>
            )}
            {reason && (
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                “{reason}”
              </Text>
            )}
          </Stack>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
