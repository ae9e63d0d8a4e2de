import type { WebhookEventView } from '@atrium/core/webhooks'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { Fact, Facts } from '@atrium/ui/facts'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Code, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useReplayEvent } from './mutations.ts'
import { webhookLooks } from './words.ts'

/** One event: what became of it, and what it said, without personal data. */
export default function EventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: event, isError, error, refetch } = useQuery(useTRPC().webhooks.get.queryOptions({ id }))
  return (
    <SideDrawer opened onClose={onClose} title={event?.type ?? 'Event'}>
      {event ? (
        <Detail event={event} />
      ) : isError ? (
        <ErrorState title="The event could not be loaded." error={error} onRetry={() => void refetch()} />
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
      <Facts>
        <Fact label="State">
          <StatusBadge {...webhookLooks[event.state]} />
        </Fact>
        <Fact label="Note">{event.note}</Fact>
        <Fact label="Event">
          <CopyValue label="Event id" value={event.id} />
        </Fact>
        <Fact label="About">{event.objectId && <CopyValue label="Object id" value={event.objectId} />}</Fact>
        <Fact label="Happened">
          <Time at={event.createdAt} show="both" />
        </Fact>
        <Fact label="Came">
          <Time at={event.receivedAt} show="both" />
        </Fact>
        <Fact label="Tries">{event.attempts}</Fact>
        <Fact label="Next try">{event.nextAt && <Time at={event.nextAt} show="both" />}</Fact>
        <Fact label="Done">{event.finishedAt && <Time at={event.finishedAt} show="both" />}</Fact>
        <Fact label="API version">{event.apiVersion}</Fact>
      </Facts>
      {over && (
        <Button leftSection={<IconRefresh size={18} aria-hidden />} variant="default" onClick={() => setAsking(true)}>
          Replay
        </Button>
      )}
      <div>
        <Text fw={550} size="sm" mb={6} id="payload">
          Payload
        </Text>
        <Code block tabIndex={0} role="region" aria-labelledby="payload" style={{ maxHeight: '50vh', overflow: 'auto' }}>
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
        The event is worked on from its first try. What it is about is read from the payment processor anew, so nothing happens twice.
      </ConfirmDialog>
    </Stack>
  )
}
