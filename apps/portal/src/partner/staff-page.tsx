import { partnerAccesses } from '@atrium/core/partners/partner-access'
import type { StaffView } from '@atrium/core/partners/partner-team'
import { QueryState } from '@atrium/ui/data-states'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { currentCursor } from '@atrium/ui/paging'
import { Panel } from '@atrium/ui/panel'
import { accessLabel, mfaMeta } from '@atrium/ui/partner-status-meta'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useInvalidateInvitations } from '../invitations/use-invalidate-invitations.ts'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'
import classes from './dashboard.module.css'
import { StaffActions } from './staff-actions.tsx'
import { StaffInvitations } from './staff-invitations.tsx'
import { explain } from './status-meta.ts'
import { mayDo, usePartner } from './use-partner.ts'

const t = translations('portal.partner-staff')

const InviteStaffDialog = lazyOnInput(() => import('@atrium/ui/invite-staff-dialog'))

/** Who works for the partner, and for its owners who may what. */
export function StaffPage() {
  const partner = usePartner()
  const { me } = useProfile()
  const trpc = useTRPC()
  const [cursors, setCursorHistory] = useState<string>()
  const [inviting, setInviting] = useState<boolean>()
  const invite = useMutation(
    trpc.invitations.inviteStaff.mutationOptions({ onSuccess: useInvalidateInvitations() }),
  )
  const query = useQuery(
    trpc.partners.staff.queryOptions(
      { slug: partner.slug, cursor: currentCursor(cursors), limit: 50 },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) => (state.data?.refreshing ? 5_000 : false),
      },
    ),
  )
  const managing = mayDo(partner, 'manageStaff')
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { partner: partner.name })}
        description={t('description', { partner: partner.name })}
        actions={
          managing && (
            <Button
              leftSection={<IconUserPlus size={18} aria-hidden />}
              onClick={() => setInviting(true)}
            >
              {t('invite.open')}
            </Button>
          )
        }
      />
      <Stack gap="lg">
        <div>
          <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} rows={3} />
          {query.data && !query.error && (
            <>
              <ResponsiveTable
                caption={t('tabTitle', { partner: partner.name })}
                columns={columnsFor(me.id, managing)}
                rows={query.data.items}
                rowKey={({ userId }) => userId}
                stale={query.isPlaceholderData}
              />
              <Pager
                label={t('pages')}
                cursors={cursors}
                nextCursor={query.data.nextCursor}
                onChange={setCursorHistory}
              />
            </>
          )}
        </div>
        {managing && <StaffInvitations />}
        <Panel title={t('levels.title')} description={t('levels.description')}>
          <dl className={classes.levels}>
            {partnerAccesses.map(accessLabel).map(({ name, may }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{may}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </Stack>
      <Suspense>
        {inviting !== undefined && (
          <InviteStaffDialog
            opened={inviting}
            onClose={() => setInviting(false)}
            explain={explain}
            onInvite={(input) => invite.mutateAsync({ slug: partner.slug, ...input })}
          />
        )}
      </Suspense>
    </>
  )
}

function columnsFor(ownId: string, managing: boolean): Column<StaffView>[] {
  return [
    {
      key: 'name',
      header: t('columns.name'),
      primary: true,
      cell: ({ userId, name, email }) => (
        <div>
          <Text size="sm" fw={550}>
            {userId === ownId
              ? t.rich('own', {
                  name,
                  you: (text) => (
                    <Text span c="dimmed" fw={400}>
                      {text}
                    </Text>
                  ),
                })
              : name}
          </Text>
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        </div>
      ),
    },
    {
      key: 'access',
      header: t('columns.access'),
      cell: ({ access, status }) => (
        <Group gap="xs">
          {accessLabel(access).name}
          {status === 'deactivated' && <StatusBadge label={t('deactivated')} tone="neutral" />}
        </Group>
      ),
    },
    {
      key: 'mfa',
      header: t('columns.mfa'),
      cell: ({ mfa }) => (
        <span title={mfa.reason ?? undefined}>
          <StatusBadge {...mfaMeta(mfa.state)} />
        </span>
      ),
    },
    {
      key: 'seen',
      header: t('columns.seen'),
      cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : t('never')),
    },
    ...(managing
      ? [
          {
            key: 'actions',
            header: t('columns.actions'),
            hideHeader: true,
            align: 'end' as const,
            cell: (person: StaffView) => <StaffActions person={person} />,
          },
        ]
      : []),
  ]
}
