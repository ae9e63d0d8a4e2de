import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Group, Stack, Text } from '@mantine/core'
import { hostCalendarMeta } from './booking-status-meta.ts'

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
                {name}
                {former && ' (had the booking before)'}
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
  if (drift === 'deleted')
    return (
      <>
        The entry was deleted in the calendar. The booking stands: cancel it here if it is not to be
        held.
      </>
    )
  if (drift === 'moved')
    return (
      <>
        The entry was moved in the calendar. The booking stands at its time: move it here if it is
        to be held at another one.
      </>
    )
  if (state === 'pending') {
    return (
      <>
        {error ?? (former ? 'Its entry is being removed.' : 'It is being written at this moment.')}
        {nextAt && (
          <>
            {' '}
            Tried again <Time at={nextAt} />.
          </>
        )}
      </>
    )
  }
  if (state === 'failed') {
    return (
      <>
        {error ?? 'It was given up.'} Connect the mailbox of the host again, and{' '}
        {former ? 'the entry is removed' : 'it is written'}.
      </>
    )
  }
  if (state === 'none')
    return (
      <>
        {status === 'pending'
          ? 'It is written once the booking is confirmed.'
          : 'It is not in the calendar.'}
      </>
    )
  return checkedAt ? (
    <>
      Looked at <Time at={checkedAt} />.
    </>
  ) : (
    <>As it is here.</>
  )
}
