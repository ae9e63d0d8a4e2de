import { partnerAccesses } from '@atrium/core/partners/partner-access'
import type { StaffView } from '@atrium/core/partners/partner-team'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { currentCursor } from '@atrium/ui/paging'
import { Panel } from '@atrium/ui/panel'
import { accessLabel, mfaMeta } from '@atrium/ui/partner-status-meta'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Group, Stack, Text } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'
import classes from './dashboard.module.css'
import { InviteStaffDialog } from './invite-staff-dialog.tsx'
import { StaffActions } from './staff-actions.tsx'
import { mayDo, usePartner } from './use-partner.ts'

/** Who works for the partner, and for its owners who may what. */
export function StaffPage() {
  const partner = usePartner()
  const { me } = useProfile()
  const trpc = useTRPC()
  const [trail, setCursorHistory] = useState<string>()
  const [inviting, setInviting] = useState(false)
  const query = useQuery(
    trpc.partners.staff.queryOptions(
      { slug: partner.slug, cursor: currentCursor(trail), limit: 50 },
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
        title="Staff"
        tabTitle={`Staff of ${partner.name}`}
        description={`Who works for ${partner.name}. What somebody may is decided by the access level.`}
        actions={
          managing && (
            <Button
              leftSection={<IconUserPlus size={18} aria-hidden />}
              onClick={() => setInviting(true)}
            >
              Invite somebody
            </Button>
          )
        }
      />
      <Stack gap="lg">
        <div>
          {query.isPending && <LoadingRows label="Loading the staff" rows={3} />}
          {query.error && (
            <ErrorState
              title="The staff could not be loaded."
              error={query.error}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          )}
          {query.data && !query.error && (
            <>
              <ResponsiveTable
                caption={`Staff of ${partner.name}`}
                columns={columnsFor(me.id, managing)}
                rows={query.data.items}
                rowKey={({ userId }) => userId}
                stale={query.isPlaceholderData}
              />
              <Pager
                label="Pages of staff"
                trail={trail}
                nextCursor={query.data.nextCursor}
                onChange={setCursorHistory}
              />
            </>
          )}
        </div>
        <Panel title="Access levels" description="A partner keeps at least one owner.">
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
      <InviteStaffDialog
        opened={inviting}
        onClose={() => setInviting(false)}
        onInvited={() => setInviting(false)}
      />
    </>
  )
}

function columnsFor(ownId: string, managing: boolean): Column<StaffView>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      primary: true,
      cell: ({ userId, name, email }) => (
        <div>
          <Text size="sm" fw={550}>
            {name}
            {userId === ownId && (
              <Text span c="dimmed" fw={400}>
                {' '}
                (you)
              </Text>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        </div>
      ),
    },
    {
      key: 'access',
      header: 'Access',
      cell: ({ access, status }) => (
        <Group gap="xs">
          {accessLabel(access).name}
          {status === 'deactivated' && <StatusBadge label="Deactivated" tone="neutral" />}
          {status === 'invited' && <StatusBadge label="Invited" tone="working" />}
        </Group>
      ),
    },
    {
      key: 'mfa',
      header: 'Second factor',
      cell: ({ mfa }) => (
        <span title={mfa.reason ?? undefined}>
          <StatusBadge {...mfaMeta(mfa.state)} />
        </span>
      ),
    },
    {
      key: 'seen',
      header: 'Last seen',
      cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : 'Never'),
    },
    ...(managing
      ? [
          {
            key: 'acts',
            header: 'Actions',
            hideHeader: true,
            align: 'end' as const,
            cell: (person: StaffView) => <StaffActions person={person} />,
          },
        ]
      : []),
  ]
}
