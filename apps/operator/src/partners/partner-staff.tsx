import type { StaffView } from '@atrium/core/partners/partner-team'
import type { PartnerView } from '@atrium/core/partners/partners'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { Pager } from '@atrium/ui/pager'
import { currentCursor } from '@atrium/ui/paging'
import { accessLabel, mfaMeta } from '@atrium/ui/partner-status-meta'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, Modal, Text } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { partnersPerPage } from './search.ts'
import { StaffActions } from './staff-actions.tsx'

const InviteStaffForm = lazy(() =>
  import('./invite-staff-form.tsx').then((part) => ({ default: part.InviteStaffForm })),
)

const route = getRouteApi('/authenticated/partners/$slug')

/** Who works for a partner, with what each of them may. */
export function PartnerStaff({ partner }: { partner: PartnerView }) {
  const { trail } = route.useSearch()
  const navigate = route.useNavigate()
  const [inviting, setInviting] = useState(false)
  const staff = useQuery(
    useTRPC().partners.staff.queryOptions(
      { slug: partner.slug, cursor: currentCursor(trail), limit: partnersPerPage },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) => (state.data?.refreshing ? 5_000 : false),
      },
    ),
  )
  const editable = partner.status !== 'terminated'
  return (
    <>
      {editable && (
        <Group justify="flex-end" mb="sm">
          <Button
            leftSection={<IconUserPlus size={17} aria-hidden />}
            onClick={() => setInviting(true)}
          >
            Invite staff
          </Button>
        </Group>
      )}
      {staff.isError ? (
        <ErrorState
          title="The staff could not be loaded."
          error={staff.error}
          onRetry={() => void staff.refetch()}
          retrying={staff.isFetching}
        />
      ) : staff.isPending ? (
        <LoadingRows label="Loading the staff" rows={3} />
      ) : staff.data.items.length === 0 ? (
        <EmptyState icon={<IconUsers size={32} stroke={1.5} aria-hidden />} title="No staff yet">
          Invite the first owner. Owners invite everybody else by themselves.
        </EmptyState>
      ) : (
        <>
          <ResponsiveTable
            caption="Staff"
            columns={columnsFor(partner, editable)}
            rows={staff.data.items}
            rowKey={({ userId }) => userId}
            stale={staff.isPlaceholderData}
          />
          <Pager
            label="Pages of staff"
            trail={trail}
            nextCursor={staff.data.nextCursor}
            onChange={(next) => void navigate({ search: (before) => ({ ...before, trail: next }) })}
          />
        </>
      )}
      <Modal
        opened={inviting}
        onClose={() => setInviting(false)}
        title={`Invite staff of ${partner.name}`}
        size="md"
      >
        {inviting && (
          <Suspense>
            <InviteStaffForm
              partner={partner}
              onClose={() => setInviting(false)}
              onInvited={() => setInviting(false)}
            />
          </Suspense>
        )}
      </Modal>
    </>
  )
}

function columnsFor(partner: PartnerView, editable: boolean): Column<StaffView>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      primary: true,
      cell: ({ userId, name, email }) => (
        <>
          <LinkAnchor
            to="/users/$id"
            params={{ id: userId }}
            fw={550}
            fz="inherit"
            underline="hover"
          >
            {name}
          </LinkAnchor>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </>
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
      cell: ({ lastSeenAt }) => (lastSeenAt ? <When at={lastSeenAt} /> : 'Never'),
    },
    ...(editable
      ? [
          {
            key: 'acts',
            header: 'Actions',
            hideHeader: true,
            align: 'end' as const,
            cell: (person: StaffView) => <StaffActions partner={partner} person={person} />,
          },
        ]
      : []),
  ]
}
