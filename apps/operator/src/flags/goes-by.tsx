import { formatDay } from '@atrium/ui/format'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { isOverdue } from './labels.ts'

/** The day by which a flag is expected to be gone, and whether that day is over. */
export function GoesBy({ day }: { day: string }) {
  return (
    <>
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {formatDay(day)}
      </Text>{' '}
      {isOverdue(day, new Date()) && <StatusBadge label="Overdue" tone="warning" />}
    </>
  )
}
