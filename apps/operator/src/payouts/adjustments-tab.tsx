import {
  type AdjustmentState,
  type AdjustmentView,
  adjustmentStates,
} from '@atrium/core/billing/payouts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FilterBar } from '@atrium/ui/filter-bar'
import { formatMoney } from '@atrium/ui/format'
import { Amount } from '@atrium/ui/ledger-table'
import { Pager } from '@atrium/ui/pager'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { StatusMeta } from '@atrium/ui/tones'
import { Button, Group, Text } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { useDecideAdjustment } from './mutations.ts'
import { adjustmentsQuery } from './search.ts'

const route = getRouteApi('/authenticated/payouts')

const looks: Readonly<Record<AdjustmentState, StatusMeta>> = {
  pending: { label: 'Waits for a second operator', tone: 'waiting' },
  entered: { label: 'Entered', tone: 'good' },
  refused: { label: 'Refused', tone: 'neutral' },
}
const stateChoices = adjustmentStates.map((value) => ({ value, label: looks[value].label }))

/** What operators entered by hand, and what waits for a second one. */
export function AdjustmentsTab() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<{ adjustment: AdjustmentView; act: 'approve' | 'refuse' }>()
  const adjustments = useQuery(
    useTRPC().payouts.adjustments.queryOptions(adjustmentsQuery(search), {
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <>
      <FilterBar label="Filter adjustments">
        <ChoiceFilter
          label="State"
          value={search.state}
          choices={stateChoices}
          onChange={(state) =>
            void navigate({
              search: (before) => ({ ...before, state, trail: undefined }),
              replace: true,
            })
          }
        />
      </FilterBar>
      {adjustments.isError ? (
        <ErrorState
          title="The adjustments could not be loaded."
          error={adjustments.error}
          onRetry={() => void adjustments.refetch()}
        />
      ) : adjustments.isPending ? (
        <LoadingRows label="Loading adjustments" rows={4} />
      ) : adjustments.data.items.length === 0 ? (
        <EmptyState
          title="No adjustments"
          icon={<IconAdjustments size={32} stroke={1.5} aria-hidden />}
        >
          Goodwill and corrections that no invoice explains are entered with “Adjust a ledger”.
        </EmptyState>
      ) : (
        <>
          <ResponsiveTable
            caption="Adjustments"
            columns={[...columns, decisions((adjustment, act) => setChosen({ adjustment, act }))]}
            rows={adjustments.data.items}
            rowKey={(adjustment) => adjustment.id}
            stale={adjustments.isPlaceholderData}
          />
          <Pager
            label="Pages of adjustments"
            trail={search.trail}
            nextCursor={adjustments.data.nextCursor}
            onChange={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
          />
        </>
      )}
      {chosen && <DecideDialog {...chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

const columns: readonly Column<AdjustmentView>[] = [
  {
    key: 'reason',
    header: 'Reason',
    primary: true,
    cell: ({ reason, partnerSlug }) => (
      <>
        <Text span inherit fw={550}>
          {partnerSlug}
        </Text>
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      </>
    ),
  },
  { key: 'state', header: 'State', cell: ({ state }) => <StatusBadge {...looks[state]} /> },
  { key: 'by', header: 'Entered by', cell: ({ requestedBy }) => requestedBy ?? '–' },
  { key: 'decided', header: 'Decided by', cell: ({ decidedBy }) => decidedBy ?? '–' },
  { key: 'at', header: 'Entered', cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    key: 'amount',
    header: 'Amount',
    align: 'end',
    cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} />,
  },
]

function decisions(
  choose: (adjustment: AdjustmentView, act: 'approve' | 'refuse') => void,
): Column<AdjustmentView> {
  return {
    key: 'acts',
    header: 'Decide',
    hideHeader: true,
    align: 'end',
    cell: (adjustment) =>
      adjustment.state === 'pending' && (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button size="xs" variant="default" onClick={() => choose(adjustment, 'approve')}>
            Approve
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => choose(adjustment, 'refuse')}
          >
            Refuse
          </Button>
        </Group>
      ),
  }
}

interface DecideProps {
  adjustment: AdjustmentView
  act: 'approve' | 'refuse'
  onClose: () => void
}

function DecideDialog({ adjustment, act, onClose }: DecideProps) {
  const decide = useDecideAdjustment()
  const { id, partnerSlug, amountMinor, currency, reason } = adjustment
  const amount = formatMoney(amountMinor, currency)
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={
        act === 'approve'
          ? `Approve ${amount} for ${partnerSlug}?`
          : `Refuse ${amount} for ${partnerSlug}?`
      }
      confirmLabel={act === 'approve' ? 'Approve' : 'Refuse'}
      destructive={act === 'refuse'}
      onConfirm={async () => {
        await decide[act].mutateAsync({ id })
        done(
          act === 'approve'
            ? `${amount} are in the ledger of ${partnerSlug}.`
            : 'The adjustment is refused.',
        )
      }}
    >
      <Text inherit mb={6}>
        Reason given: {reason}
      </Text>
      {act === 'approve'
        ? 'It counts at once and is part of the next payout.'
        : 'It never counts. To enter it after all, somebody writes it anew.'}
    </ConfirmDialog>
  )
}
