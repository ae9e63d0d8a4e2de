import type { MemberStorage, StorageView } from '@atrium/core/upstream-cache/storage'
import { QueryState } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { formatBytes } from '@atrium/ui/format'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Progress, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { readStorageSearch, storageQuery } from './search.ts'
import { memberUse, sizeText, storageMeta, storageText, usedPercent } from './status-meta.ts'
import classes from './storage.module.css'

const t = translations('portal.storage')

/** How much a workplace stores, and each of its people. */
export function StoragePage() {
  const tenant = useTenant()
  const router = useRouter()
  const search = readStorageSearch(useSearch({ strict: false }))
  const trpc = useTRPC()
  const query = useQuery(
    trpc.storage.get.queryOptions(storageQuery(tenant.slug, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.members.refreshing ? 3_000 : false),
    }),
  )
  const storage = query.data

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {storage && !query.error && (
        <Stack gap="lg">
          <SpacePanel storage={storage} />
          <Panel
            title={t('members.title')}
            description={<span role="status">{summaryOf(storage.members)}</span>}
          >
            {storage.members.items.length > 0 ? (
              <>
                <ResponsiveTable
                  caption={t('members.caption', { tenant: tenant.name })}
                  columns={columnsOf(tenant.slug)}
                  rows={storage.members.items}
                  rowKey={({ userId }) => userId}
                  stale={query.isPlaceholderData}
                />
                <Pager
                  label={t('members.pages')}
                  cursors={search.cursors}
                  nextCursor={storage.members.nextCursor}
                  onChange={(cursors) =>
                    void router.navigate({
                      ...links.storage(tenant.slug, { cursors }),
                      resetScroll: false,
                    })
                  }
                />
              </>
            ) : (
              <Text size="sm" c="dimmed">
                {t('members.empty')}
              </Text>
            )}
          </Panel>
        </Stack>
      )}
    </>
  )
}

function SpacePanel({ storage }: { storage: StorageView }) {
  const percent = usedPercent(storage)
  const meta = storageMeta(storage.state)
  return (
    <Panel title={t('space.title')} actions={<StatusBadge {...meta} />}>
      <Stack>
        <div>
          <Text mb="xs">{storageText(storage)}</Text>
          {percent !== undefined && (
            <Progress
              size="xl"
              value={percent}
              color={meta.tone === 'bad' ? 'red' : meta.tone === 'warning' ? 'yellow' : 'tide'}
              aria-label={t('space.share')}
            />
          )}
        </div>
        {storage.reason && (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
            <FailureText text={storage.reason} />
          </Alert>
        )}
        {storage.state !== 'no_space' && (
          <dl className={classes.figures}>
            <Figure label={t('figures.total')} {...sizeFigure(storage.total, storage.unlimited)} />
            <Figure label={t('figures.used')} {...sizeFigure(storage.used, false)} />
            <Figure
              label={t('figures.left')}
              {...sizeFigure(storage.remaining, storage.unlimited)}
            />
          </dl>
        )}
      </Stack>
    </Panel>
  )
}

function sizeFigure(bytes: number | null, unlimited: boolean) {
  return unlimited
    ? { value: t('figures.unlimited'), unknown: false }
    : { value: sizeText(bytes), unknown: bytes === null }
}

function Figure({ label, value, unknown }: { label: string; value: string; unknown: boolean }) {
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd data-unknown={unknown || undefined}>{value}</dd>
    </div>
  )
}

function summaryOf({ summary, refreshing }: StorageView['members']): string {
  const known = t('members.summary', {
    used: formatBytes(summary.used),
    known: summary.known,
    members: summary.members,
  })
  if (refreshing) return `${known} ${t('members.refreshing')}`
  return summary.unknown > 0
    ? `${known} ${t('members.someUnknown', { count: summary.unknown })}`
    : known
}

function columnsOf(slug: string): Column<MemberStorage>[] {
  return [
    {
      key: 'name',
      header: t('members.name'),
      primary: true,
      cell: ({ userId, name, email }) => (
        <>
          <RowLink {...links.members(slug, { member: userId })} c="inherit">
            {name}
          </RowLink>
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    {
      key: 'used',
      header: t('members.used'),
      cell: (member) => {
        const { text, known } = memberUse(member)
        return known ? (
          text
        ) : (
          <Text span size="sm" c="dimmed">
            {text}
          </Text>
        )
      },
    },
    {
      key: 'checked',
      header: t('members.checked'),
      wideOnly: true,
      cell: ({ checkedAt }) => (checkedAt ? <Time at={checkedAt} /> : t('members.never')),
    },
  ]
}
