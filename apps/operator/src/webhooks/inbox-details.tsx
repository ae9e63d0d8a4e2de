import type { InboxHealth } from '@atrium/core/billing/billing'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'

/** How far behind the inbox is. */
export function InboxDetails({ health }: { health: InboxHealth }) {
  const {
    waiting,
    failing,
    parked,
    oldestWaitingSeconds,
    lastReceivedAt,
    medianSeconds,
    slowestSeconds,
  } = health
  return (
    <DetailList>
      <DetailItem label="Waiting">
        {waiting === 0
          ? 'None'
          : `${waiting.toLocaleString('en')}, the oldest for ${duration(oldestWaitingSeconds ?? 0)}`}
      </DetailItem>
      <DetailItem label="Failing, tried again">
        {failing === 0 ? (
          'None'
        ) : (
          <StatusBadge label={failing.toLocaleString('en')} tone="warning" />
        )}
      </DetailItem>
      <DetailItem label="Parked">
        {parked === 0 ? 'None' : <StatusBadge label={parked.toLocaleString('en')} tone="bad" />}
      </DetailItem>
      <DetailItem label="Last one came">
        {lastReceivedAt === null ? 'Never' : <Time at={lastReceivedAt} />}
      </DetailItem>
      <DetailItem label="From receipt to effect">
        {medianSeconds === null
          ? null
          : `${duration(medianSeconds)} in the middle, ${duration(slowestSeconds ?? 0)} at most, over the last day`}
      </DetailItem>
    </DetailList>
  )
}

/** "0.4 s", "12 min", "3 h". */
function duration(seconds: number): string {
  if (seconds < 1) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
