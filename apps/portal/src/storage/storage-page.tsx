import type { MemberStorage, StorageView } from '@atrium/core/upstream-cache/storage'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { formatBytes } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
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
        title="Storage"
        tabTitle={`Storage of ${tenant.name}`}
        description="Files of the workplace and of each person."
      />
      {query.isPending && <LoadingRows label="Loading storage" />}
      {query.error && (
        <ErrorState
          title="The storage could not be read."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {storage && !query.error && (
        <Stack gap="lg">
          <SpacePanel storage={storage} />
          <Panel
            title="Each person’s own files"
            description={<span role="status">{summaryOf(storage.members)}</span>}
          >
            {storage.members.items.length > 0 ? (
              <>
                <ResponsiveTable
                  caption={`Storage of members of ${tenant.name}`}
                  columns={columnsOf(tenant.slug)}
                  rows={storage.members.items}
                  rowKey={({ userId }) => userId}
                  stale={query.isPlaceholderData}
                />
                <Pager
                  label="Pages of members"
                  trail={search.trail}
                  nextCursor={storage.members.nextCursor}
                  onChange={(trail) =>
                    void router.navigate({
                      ...links.storage(tenant.slug, { trail }),
                      resetScroll: false,
                    })
                  }
                />
              </>
            ) : (
              <Text size="sm" c="dimmed">
                People appear here as soon as they have a file account.
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
  const meta = storageMeta[storage.state]
  return (
    <Panel title="The workplace’s shared space" actions={<StatusBadge {...meta} />}>
      <Stack>
        <div>
          <Text mb="xs">{storageText(storage)}</Text>
          {percent !== undefined && (
            <Progress
              size="xl"
              value={percent}
              color={meta.tone === 'bad' ? 'red' : meta.tone === 'warning' ? 'yellow' : 'tide'}
              aria-label="Share of the space in use"
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
            <Figure label="Total">
              {storage.unlimited ? 'Unlimited' : sizeText(storage.total)}
            </Figure>
            <Figure label="Used">{sizeText(storage.used)}</Figure>
            <Figure label="Left">
              {storage.unlimited ? 'Unlimited' : sizeText(storage.remaining)}
            </Figure>
          </dl>
        )}
      </Stack>
    </Panel>
  )
}

function Figure({ label, children }: { label: string; children: string }) {
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd data-unknown={children === 'Unknown' || undefined}>{children}</dd>
    </div>
  )
}

function summaryOf({ summary, refreshing }: StorageView['members']): string {
  const known = `${formatBytes(summary.used)} in the spaces of ${summary.known} of ${summary.members} people.`
  if (refreshing) return `${known} The others are being read; the numbers fill in by themselves.`
  return summary.unknown > 0 ? `${known} Of ${summary.unknown} it could not be read.` : known
}

function columnsOf(slug: string): Column<MemberStorage>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      primary: true,
      cell: ({ userId, name, email }) => (
        <>
          <LinkAnchor
            {...links.members(slug, { member: userId })}
            data-row-link
            size="sm"
            fw={550}
            c="inherit"
            underline="hover"
          >
            {name}
          </LinkAnchor>
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    {
      key: 'used',
      header: 'Used',
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
      header: 'Read',
      wideOnly: true,
      cell: ({ checkedAt }) => (checkedAt ? <Time at={checkedAt} /> : 'Never'),
    },
  ]
}
