import type { WebhookDelivery } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { Button, Stack, Text } from '@mantine/core'
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failed } from '../done.ts'
import { Details } from '../failure-text.tsx'
import { translations } from '../messages.ts'
import { PagedTable } from '../paged-table.tsx'
import { currentCursor } from '../paging.ts'
import { problemOf } from '../problem.ts'
import type { Column } from '../responsive-table.tsx'
import { Snippet } from '../snippet.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { Time } from '../time.tsx'
import { useMutation } from '../use-mutation.ts'
import { eventLabel } from './event-types.ts'
import { saySent } from './say-sent.ts'
import type { EndpointSource } from './source.ts'

const t = translations('ui.webhook-endpoints')
const everyMs = 10_000

/** What was sent to an endpoint in the last days, with each request and response. */
export function DeliveryLog<Failure, Key extends QueryKey>({
  id,
  source,
}: {
  id: string
  source: EndpointSource<Failure, Key>
}) {
  const [cursors, setCursors] = useState<string>()
  const found = useQuery({
    ...source.deliveries({ id, cursor: currentCursor(cursors), limit: 10 }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  })
  return (
    <PagedTable
      of={t('deliveries')}
      found={found}
      columns={columnsFor(id, source)}
      rowKey={(delivery) => delivery.id}
      empty={
        <Text size="sm" c="dimmed">
          {t('noDeliveries')}
        </Text>
      }
      cursors={cursors}
      onCursorHistory={setCursors}
      loadingRows={3}
    />
  )
}

type Source = Pick<EndpointSource<unknown, QueryKey>, 'kind' | 'replay'>

function columnsFor(id: string, source: Source): Column<WebhookDelivery>[] {
  return [
    {
      key: 'event',
      header: t('columns.event'),
      primary: true,
      cell: (delivery) => <Sent id={id} source={source} delivery={delivery} />,
    },
    { key: 'result', header: t('columns.result'), cell: (delivery) => <Result {...delivery} /> },
    { key: 'at', header: t('columns.at'), cell: ({ at }) => <Time at={at} /> },
  ]
}

function Sent({ id, source, delivery }: { id: string; source: Source; delivery: WebhookDelivery }) {
  const replay = useMutation({ mutationFn: source.replay })
  const { eventId, eventType, kind, attempt, request, response } = delivery
  return (
    <>
      <Text size="sm" fw={550}>
        {eventLabel(eventType, source.kind)}
      </Text>
      {kind !== 'test' && (
        <Text size="xs" c="dimmed">
          {kind === 'replay' ? t('kinds.replay') : t('attempt', { attempt })}
        </Text>
      )}
      <Details>
        <Stack gap="xs" my="xs">
          <Snippet label={t('request')} text={pretty(request)} />
          {response !== null && response !== '' && (
            <Snippet label={t('response')} text={response} />
          )}
          {kind !== 'test' && (
            <Button
              size="xs"
              variant="default"
              loading={replay.isPending}
              onClick={() =>
                replay.mutate(
                  { id, eventId },
                  {
                    onSuccess: ({ delivery: sent }) => saySent(sent?.ok === true),
                    onError: (error) => failed(t('replayFailed'), problemOf(error).message),
                  },
                )
              }
            >
              {t('sendAgain')}
            </Button>
          )}
        </Stack>
      </Details>
    </>
  )
}

/** The log keeps the beginning of a long request, which is no JSON then. */
function pretty(request: string): string {
  try {
    return JSON.stringify(JSON.parse(request), null, 2)
  } catch {
    return request
  }
}

function Result({ ok, status, error, milliseconds }: WebhookDelivery) {
  const label = status === null ? reasonOf(error) : t('status', { status })
  return (
    <>
      <StatusBadge label={label} tone={ok ? 'good' : 'bad'} />
      <Text size="xs" c="dimmed">
        {t('milliseconds', { milliseconds })}
      </Text>
    </>
  )
}

function reasonOf(error: string | null): string {
  if (error === 'timeout') return t('reasons.timeout')
  if (error === 'address_not_allowed') return t('reasons.addressNotAllowed')
  return t('reasons.notReached', { code: error ?? '' })
}
