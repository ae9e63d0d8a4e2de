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
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
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

const t = translations('operator.payouts')

const route = getRouteApi('/authenticated/payouts')

const tones: Readonly<Record<AdjustmentState, Tone>> = {
  pending: 'waiting',
  entered: 'good',
  refused: 'neutral',
}
const stateName = (state: AdjustmentState) => t(`adjustments.states.${state}`)
const stateChoices = () => adjustmentStates.map((value) => ({ value, label: stateName(value) }))

/** Adjustments that operators entered by hand, with those waiting for a second operator. */
export function AdjustmentsTab() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<{ adjustment: AdjustmentView; act: 'approve' | 'reject' }>()
  const adjustments = useQuery(
    useTRPC().payouts.adjustments.queryOptions(adjustmentsQuery(search), {
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <>
      <FilterBar label={t('adjustments.filter')}>
        <ChoiceFilter
          label={t('adjustments.columns.state')}
          value={search.state}
          choices={stateChoices()}
          onChange={(state) =>
            void navigate({
              search: (before) => ({ ...before, state, cursors: undefined }),
              replace: true,
            })
          }
        />
      </FilterBar>
      {adjustments.isError ? (
        <ErrorState
          title={t('adjustments.loadFailed')}
          error={adjustments.error}
          onRetry={() => void adjustments.refetch()}
        />
      ) : adjustments.isPending ? (
        <LoadingRows label={t('adjustments.loading')} rows={4} />
      ) : adjustments.data.items.length === 0 ? (
        <EmptyState
          title={t('adjustments.empty.title')}
          icon={<IconAdjustments size={32} stroke={1.5} aria-hidden />}
        >
          {t('adjustments.empty.hint')}
        </EmptyState>
      ) : (
        <>
          <ResponsiveTable
            caption={t('adjustments.caption')}
            columns={[...columns(), decisions((adjustment, act) => setChosen({ adjustment, act }))]}
            rows={adjustments.data.items}
            rowKey={(adjustment) => adjustment.id}
            stale={adjustments.isPlaceholderData}
          />
          <Pager
            label={t('adjustments.pages')}
            cursors={search.cursors}
            nextCursor={adjustments.data.nextCursor}
            onChange={(cursors) => void navigate({ search: (before) => ({ ...before, cursors }) })}
          />
        </>
      )}
      {chosen && <DecideDialog {...chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

const columns = (): readonly Column<AdjustmentView>[] => [
  {
    key: 'reason',
    header: t('adjustments.columns.reason'),
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
  {
    key: 'state',
    header: t('adjustments.columns.state'),
    cell: ({ state }) => <StatusBadge label={stateName(state)} tone={tones[state]} />,
  },
  {
    key: 'by',
    header: t('adjustments.columns.enteredBy'),
    cell: ({ requestedBy }) => requestedBy ?? '–',
  },
  {
    key: 'decided',
    header: t('adjustments.columns.decidedBy'),
    cell: ({ decidedBy }) => decidedBy ?? '–',
  },
  {
    key: 'at',
    header: t('adjustments.columns.entered'),
    cell: ({ createdAt }) => <When at={createdAt} />,
  },
  {
    key: 'amount',
    header: t('adjustments.columns.amount'),
    align: 'end',
    cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} />,
  },
]

function decisions(
  choose: (adjustment: AdjustmentView, act: 'approve' | 'reject') => void,
): Column<AdjustmentView> {
  return {
    key: 'actions',
    header: t('adjustments.columns.decide'),
    hideHeader: true,
    align: 'end',
    cell: (adjustment) =>
      adjustment.state === 'pending' && (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button size="xs" variant="default" onClick={() => choose(adjustment, 'approve')}>
            {t('adjustments.approve.action')}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => choose(adjustment, 'reject')}
          >
            {t('adjustments.reject.action')}
          </Button>
        </Group>
      ),
  }
}

interface DecideProps {
  adjustment: AdjustmentView
  act: 'approve' | 'reject'
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
      title={t(`adjustments.${act}.title`, { amount, partner: partnerSlug })}
      confirmLabel={t(`adjustments.${act}.action`)}
      destructive={act === 'reject'}
      onConfirm={async () => {
        await decide[act].mutateAsync({ id })
        done(
          act === 'approve'
            ? t('adjustments.entered', { amount, partner: partnerSlug })
            : t('adjustments.reject.done'),
        )
      }}
    >
      <Text inherit mb={6}>
        {t('adjustments.reasonGiven', { reason })}
      </Text>
      {t(`adjustments.${act}.hint`)}
    </ConfirmDialog>
  )
}
