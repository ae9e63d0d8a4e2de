import type { WebhookEventView } from '@atrium/core/billing/webhooks'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { translations } from '@atrium/ui/messages'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Code, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { webhookMeta } from './labels.ts'
import { useReplayEvent } from './mutations.ts'

const t = translations('operator.webhooks')

/** One event: its state, and its payload without personal data. */
export default function EventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const {
    data: event,
    isError,
    error,
    refetch,
  } = useQuery(useTRPC().webhooks.get.queryOptions({ id }))
  return (
    <SideDrawer opened onClose={onClose} title={event?.type ?? t('event.title')}>
      {event ? (
        <Detail event={event} />
      ) : isError ? (
        <ErrorState title={t('event.loadFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingRows label={t('event.loading')} />
      )}
    </SideDrawer>
  )
}

function Detail({ event }: { event: WebhookEventView }) {
  const [asking, setAsking] = useState(false)
  const replay = useReplayEvent()
  const over = event.state !== 'received' && event.state !== 'ignored_mode'
  return (
    <Stack>
      <DetailList>
        <DetailItem label={t('columns.state')}>
          <StatusBadge {...webhookMeta(event.state)} />
        </DetailItem>
        <DetailItem label={t('columns.note')}>
          {event.note && <FailureText text={event.note} />}
        </DetailItem>
        <DetailItem label={t('columns.event')}>
          <CopyValue label={t('event.id')} value={event.id} />
        </DetailItem>
        <DetailItem label={t('event.object')}>
          {event.objectId && <CopyValue label={t('event.objectId')} value={event.objectId} />}
        </DetailItem>
        <DetailItem label={t('event.created')}>
          <Time at={event.createdAt} show="both" />
        </DetailItem>
        <DetailItem label={t('event.received')}>
          <Time at={event.receivedAt} show="both" />
        </DetailItem>
        <DetailItem label={t('columns.attempts')}>{event.attempts}</DetailItem>
        <DetailItem label={t('event.nextAttempt')}>
          {event.nextAt && <Time at={event.nextAt} show="both" />}
        </DetailItem>
        <DetailItem label={t('event.finished')}>
          {event.finishedAt && <Time at={event.finishedAt} show="both" />}
        </DetailItem>
        <DetailItem label={t('event.apiVersion')}>{event.apiVersion}</DetailItem>
      </DetailList>
      {over && (
        <Button
          leftSection={<IconRefresh size={18} aria-hidden />}
          variant="default"
          onClick={() => setAsking(true)}
        >
          {t('replay.action')}
        </Button>
      )}
      <div>
        <Text fw={550} size="sm" mb={6} id="payload">
          {t('event.payload')}
        </Text>
        <Code
          block
          tabIndex={0}
          role="region"
          aria-labelledby="payload"
          style={{ maxHeight: '50vh', overflow: 'auto' }}
        >
          {JSON.stringify(event.payload, undefined, 2)}
        </Code>
      </div>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('replay.title')}
        confirmLabel={t('replay.action')}
        destructive={false}
        onConfirm={async () => {
          await replay.mutateAsync({ id: event.id })
          done(t('replay.done'))
        }}
      >
        {t('replay.hint')}
      </ConfirmDialog>
    </Stack>
  )
}
