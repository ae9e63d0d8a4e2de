import {
  testEventType,
  type WebhookDelivery,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { actionLabel } from '@atrium/ui/audit-actions'
import { done } from '@atrium/ui/done'
import { Details } from '@atrium/ui/failure-text'
import { translations } from '@atrium/ui/messages'
import { PagedTable } from '@atrium/ui/paged-table'
import { currentCursor } from '@atrium/ui/paging'
import type { Column } from '@atrium/ui/responsive-table'
import { Snippet } from '@atrium/ui/snippet'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useEndpointMutations } from './mutations.ts'

const t = translations('portal.webhooks')
const everyMs = 10_000

/** What was sent to an endpoint in the last days, with each request and response. */
export function DeliveryLog({ slug, id }: { slug: string; id: string }) {
  const [cursors, setCursors] = useState<string>()
  const found = useQuery(
    useTRPC().webhookEndpoints.deliveries.queryOptions(
      { slug, id, cursor: currentCursor(cursors), limit: 10 },
      { placeholderData: keepPreviousData, refetchInterval: everyMs },
    ),
  )
  return (
    <PagedTable
      of={t('deliveries')}
      found={found}
      columns={columnsFor(slug, id)}
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

function columnsFor(slug: string, id: string): Column<WebhookDelivery>[] {
  return [
    {
      key: 'event',
      header: t('columns.event'),
      primary: true,
      cell: (delivery) => <Sent slug={slug} id={id} delivery={delivery} />,
    },
    { key: 'result', header: t('columns.result'), cell: (delivery) => <Result {...delivery} /> },
    { key: 'at', header: t('columns.at'), cell: ({ at }) => <Time at={at} /> },
  ]
}

function Sent({ slug, id, delivery }: { slug: string; id: string; delivery: WebhookDelivery }) {
  const { replay } = useEndpointMutations()
  const { eventId, eventType, kind, attempt, request, response } = delivery
  const event = eventType === testEventType ? t('kinds.test') : actionLabel(eventType, 'workplace')
  return (
    <>
      <Text size="sm" fw={550}>
        {event}
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
                  { slug, id, eventId },
                  {
                    onSuccess: ({ delivery: sent }) =>
                      done(t(sent?.ok ? 'sent.ok' : 'sent.failed')),
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
