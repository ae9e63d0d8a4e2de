import { webhookStates } from '@atrium/core/billing/webhooks'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { done } from '@atrium/ui/done'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { Panel } from '@atrium/ui/panel'
import { countFilters } from '@atrium/ui/search-params'
import { Box, Button } from '@mantine/core'
import { IconRefresh, IconSearch, IconWebhook } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { InboxDetails } from './inbox-details.tsx'
import { webhookMeta } from './labels.ts'
import { useReplayParked } from './mutations.ts'
import { type WebhooksSearch, webhooksQuery } from './search.ts'
import { webhookColumns } from './webhook-columns.tsx'

const t = translations('operator.webhooks')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/webhooks')

export const Route = createLazyRoute('/authenticated/webhooks')({ component: WebhooksPage })

const EventDrawer = lazy(() => import('./event-drawer.tsx'))
const stateChoices = () =>
  webhookStates.map((value) => ({ value, label: webhookMeta(value).label }))
const everyMs = 10_000

/** Events of the payment processor and their states. */
function WebhooksPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const events = useQuery(
    useTRPC().webhooks.list.queryOptions(webhooksQuery(search), {
      placeholderData: keepPreviousData,
      refetchInterval: everyMs,
    }),
  )
  const { event, cursors, ...filters } = search
  const filtered = countFilters(filters) > 0 || cursors !== undefined
  const narrow = (change: Partial<WebhooksSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, cursors: undefined }),
      replace: true,
    })
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          events.data &&
          events.data.health.parked > 0 && <ReplayParked parked={events.data.health.parked} />
        }
      />
      {events.data && (
        <Box mb="lg">
          <Panel title={t('inbox')}>
            <InboxDetails health={events.data.health} />
          </Panel>
        </Box>
      )}
      <FilterBar label={t('filter')}>
        <DebouncedInput
          label={t('search.label')}
          type="search"
          placeholder={t('search.placeholder')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <DebouncedInput
          label={t('type')}
          placeholder={t('typePlaceholder')}
          value={search.type}
          onChange={(type) => narrow({ type })}
        />
        <ChoiceFilter
          label={t('columns.state')}
          value={search.state}
          choices={stateChoices()}
          onChange={(state) => narrow({ state })}
        />
        {countFilters(filters) > 0 && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => narrow({ q: undefined, state: undefined, type: undefined })}
          >
            {frame('clearFilters')}
          </Button>
        )}
      </FilterBar>
      <PagedTable
        of={t('items')}
        caption={t('caption')}
        found={events}
        columns={webhookColumns(search)}
        rowKey={({ id }) => id}
        cursors={cursors}
        onCursorHistory={(cursorHistory) =>
          void navigate({ search: (before) => ({ ...before, cursors: cursorHistory }) })
        }
        empty={
          <EmptyState
            icon={<IconWebhook size={32} stroke={1.5} aria-hidden />}
            title={t(filtered ? 'noMatch.title' : 'empty.title')}
            action={
              filtered && (
                <Button variant="default" onClick={() => void navigate({ search: {} })}>
                  {frame('clearFilters')}
                </Button>
              )
            }
          >
            {t(filtered ? 'noMatch.hint' : 'empty.hint')}
          </EmptyState>
        }
      />
      <Suspense>
        {event && (
          <EventDrawer
            key={event}
            id={event}
            onClose={() =>
              void navigate({
                search: (before) => ({ ...before, event: undefined }),
                resetScroll: false,
              })
            }
          />
        )}
      </Suspense>
    </>
  )
}

function ReplayParked({ parked }: { parked: number }) {
  const [asking, setAsking] = useState(false)
  const replay = useReplayParked()
  return (
    <>
      <Button leftSection={<IconRefresh size={18} aria-hidden />} onClick={() => setAsking(true)}>
        {t('replayParked.action', { count: parked })}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('replayParked.title')}
        confirmLabel={t('replayParked.confirm')}
        destructive={false}
        onConfirm={async () => {
          const { replayed } = await replay.mutateAsync({})
          done(t('replayParked.done', { count: replayed }))
        }}
      >
        {t('replayParked.hint')}
      </ConfirmDialog>
    </>
  )
}
