import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { mayChange } from '../tenants/roles.ts'
import { useTRPC } from '../trpc.ts'
import { ImportRows } from './import-rows.tsx'
import { countsText, progressOf } from './import-status-meta.ts'
import { useMembersCache } from './mutations.ts'
import { OneTimeSecret } from './one-time-secret.tsx'

const t = translations('portal.member-import')

interface Props {
  tenant: TenantView
  importId: string
}

/** A run of an import as it goes on; the page may be left and opened again by its address. */
export function ImportProgress({ tenant, importId }: Props) {
  const trpc = useTRPC()
  const path = { slug: tenant.slug, importId }
  const counts = useQuery(
    trpc.members.getImport.queryOptions(
      { ...path, rows: 'none' },
      { refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1_500 : false) },
    ),
  )
  const ended = counts.data?.state === 'done' || counts.data?.state === 'stopped'
  const all = useQuery(
    trpc.members.getImport.queryOptions({ ...path, rows: 'all' }, { enabled: ended }),
  )
  const cache = useMembersCache(tenant.slug)
  useEffect(() => {
    if (ended) cache.forget()
  }, [ended])

  if (counts.isPending) return <LoadingRows label={t('loading')} />
  if (counts.error) {
    return (
      <ErrorState
        title={t('loadFailed')}
        error={counts.error}
        onRetry={() => void counts.refetch()}
        retrying={counts.isFetching}
      />
    )
  }
  const view = counts.data
  return (
    <>
      <Panel
        title={t(`states.${view.state}`)}
        description={<span role="status">{countsText(view.counts, false)}</span>}
      >
        <Stack>
          <Progress
            value={progressOf(view.counts) * 100}
            animated={view.state === 'running'}
            aria-label={t('progress')}
            {...(view.state === 'stopped' ? { color: 'yellow' } : {})}
          />
          {view.state === 'running' && (
            <Text size="sm" c="dimmed">
              {t('continues')}
            </Text>
          )}
          {view.state === 'stopped' && mayChange(tenant) && <Resume path={path} />}
          {view.state === 'done' && (
            <Group gap="xs">
              <LinkButton {...links.members(tenant.slug)} size="xs">
                {t('members')}
              </LinkButton>
              <LinkButton {...links.memberImport(tenant.slug)} size="xs" variant="default">
                {t('another')}
              </LinkButton>
            </Group>
          )}
        </Stack>
      </Panel>
      {view.state === 'done' && all.data && mayChange(tenant) && (
        <OneTimeSecret tenant={tenant} rows={all.data.rows} />
      )}
      {ended && all.isPending && <LoadingRows label={t('rows.loading')} />}
      {ended && all.data && (
        <Panel title={t('rows.title')}>
          <ImportRows tenant={tenant} view={all.data} />
        </Panel>
      )}
    </>
  )
}

function Resume({ path }: { path: { slug: string; importId: string } }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const resume = useMutation(
    trpc.members.resumeImport.mutationOptions({
      onSettled: () => void queryClient.invalidateQueries(trpc.members.getImport.pathFilter()),
    }),
  )
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{t('resume.hint')}</Text>
      {resume.error && (
        <ProblemAlert
          title={t('resume.failed')}
          error={resume.error}
          message={explain(resume.error)}
        />
      )}
      <Button
        size="xs"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={resume.isPending}
        onClick={() => resume.mutate(path)}
      >
        {t('resume.action')}
      </Button>
    </Stack>
  )
}
