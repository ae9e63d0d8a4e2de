import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { translations } from '@atrium/ui/messages'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Group, Stack, Text } from '@mantine/core'
import { hostCalendarMeta } from './booking-status-meta.ts'

const t = translations('portal.scheduling-bookings')

/**
 * How far the calendar of each host, and of each former host who still has an entry, has got with
 * the booking, and what a person can do about it.
 */
export function BookingCalendars({ booking }: { booking: TenantBooking }) {
  return (
    <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {[...booking.hosts, ...booking.formerHosts].map(({ id, name, calendar }, index) => {
        const former = index >= booking.hosts.length
        const meta = hostCalendarMeta(calendar)
        return (
          <li key={id}>
            <Group gap="sm" mb={4}>
              <Text size="sm" fw={550}>
                {former ? t('calendars.hadBefore', { name }) : name}
              </Text>
              {meta && <StatusBadge {...meta} />}
            </Group>
            <Text size="sm" c="dimmed" component="div">
              <CalendarLabels calendar={calendar} status={booking.status} former={former} />
            </Text>
          </li>
        )
      })}
    </Stack>
  )
}

type Calendar = TenantBooking['hosts'][number]['calendar']

function CalendarLabels({
  calendar,
  status,
  former,
}: {
  calendar: Calendar
  status: TenantBooking['status']
  former: boolean
}) {
  const { state, drift, error, nextAt, checkedAt } = calendar
  if (drift !== 'none') return t(drift === 'deleted' ? 'calendars.deleted' : 'calendars.moved')
  if (state === 'pending') {
    return (
      <>
        {error ?? t(former ? 'calendars.removing' : 'calendars.writing')}
        {nextAt && <> {t.rich('calendars.nextTry', { time: () => <Time at={nextAt} /> })}</>}
      </>
    )
  }
  if (state === 'failed') {
    return (
      <>
        {error ?? t('calendars.givenUp')}{' '}
        {t(former ? 'calendars.reconnectRemove' : 'calendars.reconnectWrite')}
      </>
    )
  }
  if (state === 'none')
    return t(status === 'pending' ? 'calendars.afterConfirmation' : 'calendars.notThere')
  return checkedAt
    ? t.rich('calendars.checked', { time: () => <Time at={checkedAt} /> })
    : t('calendars.same')
}
