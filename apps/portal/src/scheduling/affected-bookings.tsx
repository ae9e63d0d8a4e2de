import type { ReplacedSchedule } from '@atrium/core/scheduling/schedules'
import { LinkAnchor } from '@atrium/ui/links'
import { Alert, List, Text } from '@mantine/core'
import { IconCalendarExclamation } from '@tabler/icons-react'
import * as links from '../links.ts'
import { spansIn } from './booking-times.ts'

export type Affected = Pick<ReplacedSchedule, 'affectedBookings' | 'affectedCount'>

/**
 * Bookings that the new hours no longer hold. They take place as they are until somebody moves or
 * cancels them.
 */
export function AffectedBookings({ slug, affected }: { slug: string; affected: Affected }) {
  const { affectedBookings: bookings, affectedCount: count } = affected
  const spans = spansIn(bookings)
  return (
    <Alert
      color="orange"
      variant="light"
      role="status"
      icon={<IconCalendarExclamation size={18} aria-hidden />}
      title={
        count === 1
          ? 'One booking is outside the new hours'
          : `${count} bookings are outside the new hours`
      }
    >
      <Text size="sm" mb="xs">
        They still take place. Open a booking to move or cancel it.
      </Text>
      <List size="sm" spacing={6}>
        {bookings.map(({ id, title, visitorName }, index) => (
          <List.Item key={id}>
            <LinkAnchor {...links.bookings(slug, { booking: id })} size="sm">
              {spans[index]}
            </LinkAnchor>
            <Text size="sm" c="dimmed">
              {title} with {visitorName}
            </Text>
          </List.Item>
        ))}
      </List>
      {count > bookings.length && (
        <Text size="sm" mt="xs">
          And {count - bookings.length} more.
        </Text>
      )}
    </Alert>
  )
}
