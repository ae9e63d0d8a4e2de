import { webhookStates } from '@atrium/core/billing/webhooks'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { NoRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { done } from '@atrium/ui/done'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { Panel } from '@atrium/ui/panel'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { Box, Button } from '@mantine/core'
import { IconRefresh, IconWebhook } from '@tabler/icons-react'
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
    void navigate({ search: narrowedBy(change), replace: true })
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
      <FilterBar
        label={t('filter')}
        onClear={
          countFilters(filters) > 0 &&
          (() => narrow({ q: undefined, state: undefined, type: undefined }))
        }
      >
        <SearchInput
          label={t('search.label')}
          placeholder={t('search.placeholder')}
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
          <NoRows
            icon={<IconWebhook size={32} stroke={1.5} aria-hidden />}
            filtered={filtered}
            noMatch={{ title: t('noMatch.title'), hint: t('noMatch.hint') }}
            none={{ title: t('empty.title'), hint: t('empty.hint') }}
            onClear={() => void navigate({ search: {} })}
          />
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
