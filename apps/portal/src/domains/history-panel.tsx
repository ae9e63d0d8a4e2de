import type { DomainCheckView } from '@atrium/core/mail/domains'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC, useTRPCClient } from '../trpc.ts'
import classes from './history-panel.module.css'
import { stateMeta } from './status-meta.ts'

const t = translations('portal.domains')

/** Earlier checks of a domain, newest first. */
export function HistoryPanel({ path }: { path: { slug: string; domain: string } }) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const query = useInfiniteQuery({
    queryKey: [...trpc.domains.history.queryKey(path), 'pages'],
    // The adapter's own pages send a direction along, which the API's strict input does not know.
    queryFn: ({ pageParam, signal }) =>
      client.domains.history.query(
        { ...path, limit: 10, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const checks = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Panel title={t('history.title')}>
      {query.isPending && <LoadingRows label={t('history.loading')} rows={2} />}
      {query.error && (
        <ErrorState
          title={t('history.loadFailed')}
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data && checks.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('history.none')}
        </Text>
      )}
      {checks.length > 0 && (
        <Stack>
          <ol className={classes.list}>
            {checks.map((check) => (
              <li key={check.id} className={classes.check}>
                <Check check={check} />
              </li>
            ))}
          </ol>
          {query.hasNextPage && (
            <Group>
              <Button
                variant="default"
                size="xs"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t('history.older')}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Panel>
  )
}

function Check({ check }: { check: DomainCheckView }) {
  const wrong = check.records.filter(
    ({ verdict }) => verdict === 'missing' || verdict === 'mismatch',
  )
  return (
    <>
      <div className={classes.head}>
        <StatusBadge {...stateMeta(check.state)} />
        <Text span size="sm">
          <Time at={check.at} show="both" />
        </Text>
        <Text span size="sm" c="dimmed">
          {check.cause === 'manual' ? t('history.manual') : t('history.automatic')}
        </Text>
      </div>
      {check.regressed && (
        <Text size="sm" fw={550}>
          {t('history.regressed')}
        </Text>
      )}
      {wrong.length > 0 && (
        <Text size="sm" c="dimmed">
          {wrong
            .map(({ type, name, verdict }) => t('history.record', { type, name, verdict }))
            .join(' · ')}
        </Text>
      )}
    </>
  )
}
