import type { StaffView } from '@atrium/core/partners/partner-team'
import type { PartnerView } from '@atrium/core/partners/partners'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { currentCursor } from '@atrium/ui/paging'
import { accessLabel, mfaMeta } from '@atrium/ui/partner-status-meta'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Box, Button, Group, Text } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { PartnerInvitations } from '../invitations/invitation-panels.tsx'
import { useInvite } from '../invitations/use-invite.ts'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { partnersPerPage } from './search.ts'
import { StaffActions } from './staff-actions.tsx'

const t = translations('operator.partners')

const InviteStaffDialog = lazyOnInput(() => import('@atrium/ui/invite-staff-dialog'))

const route = getRouteApi('/authenticated/partners/$slug')

/** The staff of a partner with their access levels. */
export function PartnerStaff({ partner }: { partner: PartnerView }) {
  const { cursors } = route.useSearch()
  const navigate = route.useNavigate()
  const [inviting, setInviting] = useState<boolean>()
  const invite = useInvite()
  const staff = useQuery(
    useTRPC().partners.staff.queryOptions(
      { slug: partner.slug, cursor: currentCursor(cursors), limit: partnersPerPage },
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
            {t('staff.invite.action')}
          </Button>
        </Group>
      )}
      {staff.isError ? (
        <ErrorState
          title={t('staff.failed')}
          error={staff.error}
          onRetry={() => void staff.refetch()}
          retrying={staff.isFetching}
        />
      ) : staff.isPending ? (
        <LoadingRows label={t('staff.loading')} rows={3} />
      ) : staff.data.items.length === 0 ? (
        <EmptyState
          icon={<IconUsers size={32} stroke={1.5} aria-hidden />}
          title={t('staff.empty.title')}
        >
          {t('staff.empty.hint')}
        </EmptyState>
      ) : (
        <>
          <ResponsiveTable
            caption={t('staff.title')}
            columns={columnsFor(partner, editable)}
            rows={staff.data.items}
            rowKey={({ userId }) => userId}
            stale={staff.isPlaceholderData}
          />
          <Pager
            label={t('staff.pages')}
            cursors={cursors}
            nextCursor={staff.data.nextCursor}
            onChange={(next) =>
              void navigate({ search: (before) => ({ ...before, cursors: next }) })
            }
          />
        </>
      )}
      <Box mt="xl">
        <PartnerInvitations slug={partner.slug} />
      </Box>
      <Suspense>
        {inviting !== undefined && (
          <InviteStaffDialog
            opened={inviting}
            onClose={() => setInviting(false)}
            access={partner.staff === 0 ? 'owner' : 'viewer'}
            onInvite={(input) => invite.staff({ slug: partner.slug, ...input })}
          />
        )}
      </Suspense>
    </>
  )
}

function columnsFor(partner: PartnerView, editable: boolean): Column<StaffView>[] {
  return [
    {
      key: 'name',
      header: t('staff.columns.name'),
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
      header: t('staff.columns.access'),
      cell: ({ access, status }) => (
        <Group gap="xs">
          {accessLabel(access).name}
          {status === 'deactivated' && (
            <StatusBadge label={t('staff.statuses.deactivated')} tone="neutral" />
          )}
        </Group>
      ),
    },
    {
      key: 'mfa',
      header: t('staff.columns.secondFactor'),
      cell: ({ mfa }) => (
        <span title={mfa.reason ?? undefined}>
          <StatusBadge {...mfaMeta(mfa.state)} />
        </span>
      ),
    },
    {
      key: 'seen',
      header: t('staff.columns.seen'),
      cell: ({ lastSeenAt }) => (lastSeenAt ? <When at={lastSeenAt} /> : t('staff.never')),
    },
    ...(editable
      ? [
          {
            key: 'actions',
            header: t('staff.columns.actions'),
            hideHeader: true,
            align: 'end' as const,
            cell: (person: StaffView) => <StaffActions partner={partner} person={person} />,
          },
        ]
      : []),
  ]
}
