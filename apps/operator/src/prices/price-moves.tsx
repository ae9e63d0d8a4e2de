import type { PriceMigrationView, PriceMoveView } from '@atrium/core/billing/price-migrations'
import { priceMoveStates } from '@atrium/core/platform/choices'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PagedTable } from '@atrium/ui/paged-table'
import { currentCursor } from '@atrium/ui/paging'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Button, NativeSelect, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { usePriceMigration } from './mutations.ts'

const t = translations('operator.prices')

type State = PriceMoveView['state']

/** The subscribers of a migration, page by page, and the way to let one keep the old price. */
export function PriceMoves({ migration }: { migration: PriceMigrationView }) {
  const [state, setState] = useState<State>()
  const [cursors, setCursors] = useState<string>()
  const [chosen, setChosen] = useState<PriceMoveView>()
  const { stopSubscriber } = usePriceMigration()
  const found = useQuery(
    useTRPC().priceMigrations.subscribers.queryOptions(
      { id: migration.id, state, cursor: currentCursor(cursors) },
      { placeholderData: keepPreviousData },
    ),
  )
  const choose = (value: string) => {
    setState(priceMoveStates.find((one) => one === value))
    setCursors(undefined)
  }
  return (
    <Stack>
      <NativeSelect
        label={t('migration.moves.state')}
        value={state ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[
          { value: '', label: t('migration.moves.all') },
          ...priceMoveStates.map((value) => ({
            value,
            label: t(`migration.moves.states.${value}`),
          })),
        ]}
      />
      <div>
        <PagedTable
          of={t('migration.moves.items')}
          found={found}
          columns={moveColumns(setChosen)}
          rowKey={({ id }) => id}
          empty={<Text c="dimmed">{t('migration.moves.none')}</Text>}
          cursors={cursors}
          onCursorHistory={setCursors}
        />
      </div>
      <ConfirmDialog
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={t('migration.moves.stop.title', { tenant: chosen?.tenantName ?? '' })}
        confirmLabel={t('migration.moves.stop.action')}
        reason="required"
        reasonNote={t('migration.start.reasonHint')}
        onConfirm={async (reason = '') => {
          if (!chosen) return
          await stopSubscriber.mutateAsync({ id: migration.id, subscriptionId: chosen.id, reason })
          done(t('migration.moves.stop.done', { tenant: chosen.tenantName }))
        }}
      >
        {t('migration.moves.stop.hint')}
      </ConfirmDialog>
    </Stack>
  )
}

const moveTones: Readonly<Record<State, Tone>> = {
  waiting: 'waiting',
  notified: 'waiting',
  scheduled: 'waiting',
  stopping: 'waiting',
  moved: 'good',
  kept: 'neutral',
  stopped: 'neutral',
  left: 'neutral',
}
const open: ReadonlySet<State> = new Set(['waiting', 'notified', 'scheduled'])

const moveColumns = (choose: (move: PriceMoveView) => void): readonly Column<PriceMoveView>[] => [
  {
    key: 'tenant',
    header: t('migration.moves.tenant'),
    primary: true,
    cell: ({ tenantSlug, tenantName }) => (
      <LinkAnchor to="/tenants/$slug" params={{ slug: tenantSlug }} fz="inherit">
        {tenantName}
      </LinkAnchor>
    ),
  },
  {
    key: 'state',
    header: t('migration.moves.state'),
    cell: ({ state, error }) => (
      <>
        <StatusBadge label={t(`migration.moves.states.${state}`)} tone={moveTones[state]} />
        {error && (
          <Text component="div" size="xs" c="dimmed">
            <FailureText text={error} />
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'amount',
    header: t('migration.moves.amount'),
    cell: ({ oldMinor, newMinor, currency, effectiveAt }) =>
      oldMinor === null || newMinor === null ? (
        '–'
      ) : (
        <>
          <Text span inherit style={{ whiteSpace: 'nowrap' }}>
            {`${formatMoney(oldMinor, currency)} → ${formatMoney(newMinor, currency)}`}
          </Text>
          {effectiveAt && (
            <Text size="xs" c="dimmed">
              {t('migration.running.from', { day: formatDay(effectiveAt) })}
            </Text>
          )}
        </>
      ),
  },
  {
    key: 'actions',
    header: t('migration.moves.stop.action'),
    hideHeader: true,
    align: 'end',
    cell: (move) =>
      open.has(move.state) && (
        <Button size="xs" variant="default" onClick={() => choose(move)}>
          {t('migration.moves.stop.action')}
        </Button>
      ),
  },
]
