import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { isOverdue } from './labels.ts'

const t = translations('operator.flags')

/** The day by which the flag should be removed, and whether that day has passed. */
export function GoesBy({ day }: { day: string }) {
  return (
    <>
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {formatDay(day)}
      </Text>{' '}
      {isOverdue(day, new Date()) && <StatusBadge label={t('status.overdue')} tone="warning" />}
    </>
  )
}
