import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import type { SystemView } from '@atrium/core/system/system'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { PageHeader } from '@atrium/ui/page-header'
import { Time } from '@atrium/ui/time'
import { Warnings } from '@atrium/ui/warnings'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'
import { BacklogsPanel } from './backlogs-panel.tsx'
import { DatabasePanel } from './database-panel.tsx'
import { FailuresPanel } from './failures-panel.tsx'
import { systemNames } from './labels.ts'
import { QueuesPanel } from './queues-panel.tsx'
import { SystemsPanel } from './systems-panel.tsx'

const route = getRouteApi('/authenticated/system')

export const Route = createLazyRoute('/authenticated/system')({ component: SystemPage })

const everyMs = 5_000

/**
 * How the installation is doing: what waits, what is behind, what does not answer, and what failed.
 */
function SystemPage() {
  const { kind } = route.useSearch()
  const navigate = route.useNavigate()
  const system = useQuery(
    useTRPC().system.get.queryOptions(undefined, { refetchInterval: everyMs }),
  )
  return (
    <>
      <PageHeader
        title="System"
        description="Queues, upstream systems, database and current failures, refreshed every five seconds."
      />
      <Stack gap="lg">
        {system.error && (
          <ErrorState
            error={system.error}
            title={
              system.data
                ? 'What is shown here is no longer fresh.'
                : 'The state of the system could not be loaded.'
            }
            onRetry={() => void system.refetch()}
            retrying={system.isFetching}
          />
        )}
        {system.data ? (
          <Outside view={system.data} />
        ) : (
          !system.error && <LoadingRows label="Loading the state of the system" rows={8} />
        )}
        <FailuresPanel
          kind={kind}
          everyMs={everyMs}
          onKind={(next) => void navigate({ search: { kind: next }, replace: true })}
        />
        {system.data && <Inside view={system.data} />}
        {system.data && (
          <Text size="xs" c="dimmed">
            As of <Time at={system.data.at} />
          </Text>
        )}
      </Stack>
    </>
  )
}

function Outside({ view }: { view: SystemView }) {
  const silent = view.systems.filter(({ state }) => state === 'error')
  return (
    <>
      {silent.length > 0 && (
        <Warnings
          title={
            silent.length === 1
              ? 'An upstream system is not responding'
              : `${silent.length} upstream systems are not responding`
          }
          messages={silent.map(
            ({ system, message }) =>
              `${systemNames[system]}: ${message === null ? 'no reason was given' : splitUpstreamMessage(message).sentence}`,
          )}
        />
      )}
      <SystemsPanel systems={view.systems} at={view.at} />
    </>
  )
}

function Inside({ view }: { view: SystemView }) {
  return (
    <>
      <BacklogsPanel backlogs={view.backlogs} />
      <QueuesPanel queues={view.queues} engine={view.jobEngine} />
      <DatabasePanel view={view} />
    </>
  )
}
