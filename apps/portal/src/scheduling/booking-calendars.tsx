import type { TenantBooking } from '@atrium/core/bookings'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Group, Stack, Text } from '@mantine/core'
import { hostCalendarLook } from './booking-looks.ts'

/** How far the calendar of each host has got with the booking, and what a person can do about it. */
export function BookingCalendars({ booking }: { booking: TenantBooking }) {
  return (
    <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {booking.hosts.map(({ id, name, calendar }) => {
        const look = hostCalendarLook(calendar)
        return (
          <li key={id}>
            <Group gap="sm" mb={4}>
              <Text size="sm" fw={550}>
                {name}
              </Text>
              {look && <StatusBadge {...look} />}
            </Group>
            <Text size="sm" c="dimmed" component="div">
              <CalendarWords calendar={calendar} status={booking.status} />
            </Text>
          </li>
        )
      })}
    </Stack>
  )
}

type Calendar = TenantBooking['hosts'][number]['calendar']

function CalendarWords({ calendar, status }: { calendar: Calendar; status: TenantBooking['status'] }) {
  const { state, drift, error, nextAt, checkedAt } = calendar
  if (drift === 'deleted') return <>The entry was deleted in the calendar. The booking stands: cancel it here if it is not to be held.</>
  if (drift === 'moved')
    return <>The entry was moved in the calendar. The booking stands at its time: move it here if it is to be held at another one.</>
  if (state === 'pending') {
    return (
      <>
        {error ?? 'It is being written at this moment.'}
        {nextAt && (
          <>
            {' '}
            Tried again <Time at={nextAt} />.
          </>
        )}
      </>
    )
  }
  if (state === 'failed') return <>{error ?? 'It was given up.'} Connect the mailbox of the host again, and it is written.</>
  if (state === 'none') return <>{status === 'pending' ? 'It is written once the booking is confirmed.' : 'It is not in the calendar.'}</>
  return checkedAt ? (
    <>
      Looked at <Time at={checkedAt} />.
    </>
  ) : (
    <>As it is here.</>
  )
}
