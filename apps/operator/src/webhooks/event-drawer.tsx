import type { WebhookEventView } from '@atrium/core/billing/webhooks'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
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

/** One event: what became of it, and what it said, without personal data. */
export default function EventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const {
    data: event,
    isError,
    error,
    refetch,
  } = useQuery(useTRPC().webhooks.get.queryOptions({ id }))
  return (
    <SideDrawer opened onClose={onClose} title={event?.type ?? 'Event'}>
      {event ? (
        <Detail event={event} />
      ) : isError ? (
        <ErrorState
          title="The event could not be loaded."
          error={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <LoadingRows label="Loading the event" />
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
        <DetailItem label="State">
          <StatusBadge {...webhookMeta[event.state]} />
        </DetailItem>
        <DetailItem label="Note">{event.note}</DetailItem>
        <DetailItem label="Event">
          <CopyValue label="Event id" value={event.id} />
        </DetailItem>
        <DetailItem label="About">
          {event.objectId && <CopyValue label="Object id" value={event.objectId} />}
        </DetailItem>
        <DetailItem label="Happened">
          <Time at={event.createdAt} show="both" />
        </DetailItem>
        <DetailItem label="Came">
          <Time at={event.receivedAt} show="both" />
        </DetailItem>
        <DetailItem label="Tries">{event.attempts}</DetailItem>
        <DetailItem label="Next try">
          {event.nextAt && <Time at={event.nextAt} show="both" />}
        </DetailItem>
        <DetailItem label="Done">
          {event.finishedAt && <Time at={event.finishedAt} show="both" />}
        </DetailItem>
        <DetailItem label="API version">{event.apiVersion}</DetailItem>
      </DetailList>
      {over && (
        <Button
          leftSection={<IconRefresh size={18} aria-hidden />}
          variant="default"
          onClick={() => setAsking(true)}
        >
          Replay
        </Button>
      )}
      <div>
        <Text fw={550} size="sm" mb={6} id="payload">
          Payload
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
        title="Replay this event"
        confirmLabel="Replay"
        destructive={false}
        onConfirm={async () => {
          await replay.mutateAsync({ id: event.id })
          done('The event is worked on again.')
        }}
      >
        The event is worked on from its first try. What it is about is read from the payment
        processor anew, so nothing happens twice.
      </ConfirmDialog>
    </Stack>
  )
}
