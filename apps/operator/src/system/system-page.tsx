import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import type { SystemView } from '@atrium/core/system/system'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
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
import { QueuesPanel } from './queues-panel.tsx'
import { SystemsPanel } from './systems-panel.tsx'

const t = translations('operator.system')

const route = getRouteApi('/authenticated/system')

export const Route = createLazyRoute('/authenticated/system')({ component: SystemPage })

const everyMs = 5_000

/** The state of the installation: upstream systems, failures, backlogs, queues and database. */
function SystemPage() {
  const { kind } = route.useSearch()
  const navigate = route.useNavigate()
  const system = useQuery(
    useTRPC().system.get.queryOptions(undefined, { refetchInterval: everyMs }),
  )
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Stack gap="lg">
        {system.error && (
          <ErrorState
            error={system.error}
            title={t(system.data ? 'stale' : 'loadFailed')}
            onRetry={() => void system.refetch()}
            retrying={system.isFetching}
          />
        )}
        {system.data ? (
          <Outside view={system.data} />
        ) : (
          !system.error && <LoadingRows label={t('loading')} rows={8} />
        )}
        <FailuresPanel
          kind={kind}
          everyMs={everyMs}
          onKind={(next) => void navigate({ search: { kind: next }, replace: true })}
        />
        {system.data && <Inside view={system.data} />}
        {system.data && (
          <Text size="xs" c="dimmed">
            {t.rich('asOf', { time: () => <Time at={system.data.at} /> })}
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
          title={t('systems.silent', { count: silent.length })}
          messages={silent.map(({ system: name, message }) => {
            const system = t(`systems.names.${name}`)
            return message === null
              ? t('systems.silentNoReason', { system })
              : t('systems.silentReason', {
                  system,
                  reason: splitUpstreamMessage(message).sentence,
                })
          })}
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
