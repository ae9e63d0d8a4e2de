import type { InboxHealth } from '@atrium/core/billing/billing'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatCount } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { formatDuration } from '../parts/measures.ts'

const t = translations('operator.webhooks')

/** The backlog and the delay of the inbox. */
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
      <DetailItem label={t('health.waiting')}>
        {waiting === 0
          ? t('health.none')
          : t('health.waitingOldest', {
              count: waiting,
              duration: formatDuration(oldestWaitingSeconds ?? 0),
            })}
      </DetailItem>
      <DetailItem label={t('health.failing')}>
        {failing === 0 ? (
          t('health.none')
        ) : (
          <StatusBadge label={formatCount(failing)} tone="warning" />
        )}
      </DetailItem>
      <DetailItem label={t('health.parked')}>
        {parked === 0 ? t('health.none') : <StatusBadge label={formatCount(parked)} tone="bad" />}
      </DetailItem>
      <DetailItem label={t('health.lastReceived')}>
        {lastReceivedAt === null ? t('health.never') : <Time at={lastReceivedAt} />}
      </DetailItem>
      <DetailItem label={t('health.delay')}>
        {medianSeconds === null
          ? null
          : t('health.delays', {
              median: formatDuration(medianSeconds),
              slowest: formatDuration(slowestSeconds ?? 0),
            })}
      </DetailItem>
    </DetailList>
  )
}
