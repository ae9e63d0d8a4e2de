import type { ReplacedSchedule } from '@atrium/core/scheduling/schedules'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Alert, List, Text } from '@mantine/core'
import { IconCalendarExclamation } from '@tabler/icons-react'
import * as links from '../links.ts'
import { spansIn } from './booking-times.ts'

const t = translations('portal.scheduling-availability')

export type Affected = Pick<ReplacedSchedule, 'affectedBookings' | 'affectedCount'>

/**
 * Bookings outside the new hours. They take place unchanged until someone moves or cancels them.
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
      title={t('affected.title', { count })}
    >
      <Text size="sm" mb="xs">
        {t('affected.hint')}
      </Text>
      <List size="sm" spacing={6}>
        {bookings.map(({ id, title, visitorName }, index) => (
          <List.Item key={id}>
            <LinkAnchor {...links.bookings(slug, { booking: id })} size="sm">
              {spans[index]}
            </LinkAnchor>
            <Text size="sm" c="dimmed">
              {t('affected.with', { event: title, visitor: visitorName })}
            </Text>
          </List.Item>
        ))}
      </List>
      {count > bookings.length && (
        <Text size="sm" mt="xs">
          {t('affected.more', { count: count - bookings.length })}
        </Text>
      )}
    </Alert>
  )
}
