import type { MemberMfa } from '@atrium/core/upstream-cache/mfa'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import classes from './mfa.module.css'
import { MfaChart } from './mfa-chart.tsx'
import { RemindButton } from './remind-button.tsx'
import { type MfaSearch, mfaQuery, readMfaSearch } from './search.ts'
import { factorsCell, mfaMeta } from './status-meta.ts'

const t = translations('portal.mfa')
const labels = translations('ui.labels')

/** Who signs in with more than a password. What could not be read is shown as unknown. */
export function MfaPage() {
  const tenant = useTenant()
  const router = useRouter()
  const search = readMfaSearch(useSearch({ strict: false }))
  const trpc = useTRPC()
  const query = useQuery(
    trpc.mfa.status.queryOptions(mfaQuery(tenant.slug, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.refreshing ? 3_000 : false),
    }),
  )
  const go = (change: MfaSearch, replace: boolean) =>
    void router.navigate({
      ...links.mfa(tenant.slug, { ...search, ...change }),
      replace,
      resetScroll: false,
    })
  const status = query.data
  const reminding = mayChange(tenant) && (status?.summary.notEnrolled ?? 0) > 0
  const [selected, setSelected] = useState<readonly string[]>([])

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
        actions={
          reminding && (
            <RemindButton slug={tenant.slug} selected={selected} onDone={() => setSelected([])} />
          )
        }
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {status && !query.error && (
        <Stack gap="lg">
          <Panel
            title={t('overview.title')}
            description={
              <span role="status">
                {status.refreshing
                  ? t('overview.refreshing')
                  : status.summary.unknown > 0
                    ? t('overview.someUnknown')
                    : t('overview.allKnown')}
              </span>
            }
          >
            <MfaChart
              summary={status.summary}
              chosen={search.state}
              onChoose={(state) => go({ state, cursors: undefined }, true)}
            />
          </Panel>
          {status.items.length > 0 ? (
            <div>
              <ResponsiveTable
                caption={t('table.caption', { tenant: tenant.name })}
                columns={columnsOf(tenant.slug, reminding ? { selected, setSelected } : undefined)}
                rows={status.items}
                rowKey={({ userId }) => userId}
                stale={query.isPlaceholderData}
              />
              <Pager
                label={t('table.pages')}
                cursors={search.cursors}
                nextCursor={status.nextCursor}
                onChange={(cursors) => go({ cursors }, false)}
              />
            </div>
          ) : (
            <EmptyState
              icon={<IconShieldLock size={32} stroke={1.5} aria-hidden />}
              title={t(search.state ? 'empty.filtered.title' : 'empty.none.title')}
              action={
                search.state && (
                  <Button
                    variant="default"
                    onClick={() => go({ state: undefined, cursors: undefined }, true)}
                  >
                    {t('empty.filtered.clear')}
                  </Button>
                )
              }
            >
              {t(search.state ? 'empty.filtered.hint' : 'empty.none.hint')}
            </EmptyState>
          )}
        </Stack>
      )}
    </>
  )
}

interface Selection {
  selected: readonly string[]
  setSelected: (selected: readonly string[]) => void
}

function columnsOf(slug: string, selection: Selection | undefined): Column<MemberMfa>[] {
  return [
    {
      key: 'name',
      header: t('table.name'),
      primary: true,
      cell: (member) => (
        <Group gap="sm" wrap="nowrap">
          {selection && member.state === 'not_enrolled' && (
            <SelectBox member={member} {...selection} />
          )}
          <div>
            <RowLink {...links.members(slug, { member: member.userId })} c="inherit">
              {member.name}
            </RowLink>
            <Text size="sm" c="dimmed">
              {member.email}
            </Text>
          </div>
        </Group>
      ),
    },
    { key: 'role', header: t('table.role'), cell: ({ role }) => labels(`roles.${role}`) },
    {
      key: 'state',
      header: t('table.state'),
      cell: ({ state }) => <StatusBadge {...mfaMeta(state)} />,
    },
    {
      key: 'factors',
      header: t('table.factors'),
      cell: (member) => (
        <Text span size="sm" {...(member.factors ? {} : { c: 'dimmed' })}>
          {factorsCell(member)}
        </Text>
      ),
    },
    {
      key: 'checked',
      header: t('table.checked'),
      wideOnly: true,
      cell: ({ checkedAt }) => (checkedAt ? <Time at={checkedAt} /> : t('table.never')),
    },
  ]
}

function SelectBox({
  member: { userId, name },
  selected,
  setSelected,
}: Selection & { member: MemberMfa }) {
  return (
    <Checkbox
      className={classes.choose}
      aria-label={t('remind.select', { name })}
      checked={selected.includes(userId)}
      onChange={({ currentTarget: { checked } }) =>
        setSelected(checked ? [...selected, userId] : selected.filter((id) => id !== userId))
      }
    />
  )
}
