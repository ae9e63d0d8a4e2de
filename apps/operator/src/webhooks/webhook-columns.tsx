import type { WebhookEventItem } from '@atrium/core/billing/webhooks'
import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { When } from '../parts/when.tsx'
import { webhookMeta } from './labels.ts'
import type { WebhooksSearch } from './search.ts'

const t = translations('operator.webhooks')

/** A long word that may break between its parts. */
function Breakable({ word }: { word: string }) {
  return word.split(/(?<=[._])/).map((part, place) => (
    <Fragment key={place}>
      {part}
      <wbr />
    </Fragment>
  ))
}

/** Columns of the inbox; the name of an event opens its payload. */
export function webhookColumns(search: WebhooksSearch): readonly Column<WebhookEventItem>[] {
  return [
    {
      key: 'type',
      header: t('columns.event'),
      primary: true,
      cell: ({ id, type, objectId }) => (
        <>
          <RowLink to="/webhooks" search={{ ...search, event: id }} resetScroll={false}>
            <Breakable word={type} />
          </RowLink>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {objectId ?? id}
          </Text>
        </>
      ),
    },
    {
      key: 'state',
      header: t('columns.state'),
      cell: ({ state }) => <StatusBadge {...webhookMeta(state)} />,
    },
    {
      key: 'note',
      header: t('columns.note'),
      cell: ({ note }) =>
        note === null ? (
          '–'
        ) : (
          <Text size="sm" lineClamp={3}>
            {splitUpstreamMessage(note).sentence}
          </Text>
        ),
    },
    {
      key: 'attempts',
      header: t('columns.attempts'),
      cell: ({ attempts, nextAt }) => (
        <>
          {attempts}
          {nextAt && (
            <Text size="xs" c="dimmed" component="span" display="block">
              {t.rich('nextAttempt', { time: () => <When at={nextAt} /> })}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'received',
      header: t('columns.received'),
      cell: ({ receivedAt }) => <When at={receivedAt} />,
    },
  ]
}
