import type { TenantBookingDetail } from '@atrium/core/scheduling/bookings'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { mailtoLink } from '@atrium/ui/mailto'
import { translations } from '@atrium/ui/messages'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Anchor, Group, List, Stack, Text, Timeline } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { DrawerPart } from '../layout/drawer-part.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { BookingActionButtons } from './booking-action-buttons.tsx'
import { BookingCalendars } from './booking-calendars.tsx'
import { bookingMeta, changeLabel, partyName } from './booking-status-meta.ts'
import { dayIn, spanIn, timeIn } from './booking-times.ts'
import { locationName } from './time-text.ts'
import { ownZone } from './zone-select.tsx'

const t = translations('portal.scheduling-bookings')

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
    <SideDrawer opened onClose={onClose} title={query.data?.title ?? t('drawer.title')}>
      <QueryState query={query} loading={t('drawer.loading')} failed={t('drawer.failed')} />
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
          {t(booking.source === 'host' ? 'drawer.madeByHost' : 'drawer.madeOnPage')}
        </Text>
      </Group>
      {booking.status === 'pending' && booking.approvalExpiresAt && (
        <Alert variant="light" icon={<IconClock aria-hidden />} mb="md" title={t('drawer.waits')}>
          <Lapses at={booking.approvalExpiresAt} />
        </Alert>
      )}
      <BookingActionButtons booking={booking} />
      <DrawerPart title={t('drawer.whenAndWhere')}>
        <DetailList>
          <DetailItem label={t('drawer.yourTime', { zone: zone.replaceAll('_', ' ') })}>
            {spanIn(booking)}
          </DetailItem>
          {booking.hostTimeZone !== zone && (
            <DetailItem
              label={t('drawer.hostTime', { zone: booking.hostTimeZone.replaceAll('_', ' ') })}
            >
              {spanIn(booking, booking.hostTimeZone)}
            </DetailItem>
          )}
          {attendee.timeZone !== zone && (
            <DetailItem
              label={t('drawer.visitorTime', { zone: attendee.timeZone.replaceAll('_', ' ') })}
            >
              {spanIn(booking, attendee.timeZone)}
            </DetailItem>
          )}
          <DetailItem label={locationName(location.kind)}>{location.text}</DetailItem>
        </DetailList>
      </DrawerPart>
      <DrawerPart title={t('drawer.visitor')}>
        <DetailList>
          <DetailItem label={t('drawer.name')}>{attendee.name}</DetailItem>
          <DetailItem label={t('drawer.address')}>
            <Anchor href={mailtoLink(attendee.email)} inherit>
              {attendee.email}
            </Anchor>
          </DetailItem>
          {booking.guests.length > 0 && (
            <DetailItem label={t('drawer.guests')}>
              {booking.guests.join(', ')}
              {!booking.guestsInvited && (
                <Text size="sm" c="dimmed">
                  {t('drawer.notInvited')}
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
            <DetailItem label={t('drawer.note')}>
              <span style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {booking.note}
              </span>
            </DetailItem>
          )}
        </DetailList>
      </DrawerPart>
      <DrawerPart title={t('drawer.calendars')}>
        <BookingCalendars booking={booking} />
      </DrawerPart>
      <DrawerPart title={t('drawer.history')}>
        <History booking={booking} />
      </DrawerPart>
    </>
  )
}

const momentOf = (at: string) => `${dayIn(at)}, ${timeIn(at)}`

function Lapses({ at }: { at: string }) {
  return t.rich('drawer.lapses', { time: () => <Time at={at} /> })
}

function History({ booking: { history } }: { booking: TenantBookingDetail }) {
  return (
    <Timeline bulletSize={12} lineWidth={2}>
      {history.map(({ kind, by, actorName, from, to, fromHost, toHost, reason, at }) => (
        <Timeline.Item
          key={`${at} ${kind}`}
          title={kind === 'confirmed' && by === 'visitor' ? t('changes.booked') : changeLabel(kind)}
        >
          <Stack gap={2}>
            <Text size="sm" c="dimmed">
              {t.rich('drawer.by', {
                time: () => <Time at={at} show="absolute" />,
                actor: actorName ?? partyName(by),
              })}
            </Text>
            {from && to && from !== to && (
              <List size="sm" listStyleType="none">
                <List.Item>{t('drawer.from', { time: momentOf(from) })}</List.Item>
                <List.Item>{t('drawer.to', { time: momentOf(to) })}</List.Item>
              </List>
            )}
            {fromHost && toHost && (
              <Text size="sm">{t('drawer.hosts', { before: fromHost, after: toHost })}</Text>
            )}
            {reason && (
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {t('drawer.reason', { reason })}
              </Text>
            )}
          </Stack>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
