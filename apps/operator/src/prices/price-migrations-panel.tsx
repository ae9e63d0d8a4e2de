import type { PriceMigrationView } from '@atrium/core/billing/price-migrations'
import { priceMoveStates } from '@atrium/core/platform/choices'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { usePriceMigration } from './mutations.ts'
import { PriceMoves } from './price-moves.tsx'

const t = translations('operator.prices')

const migrationTones: Readonly<Record<PriceMigrationView['state'], Tone>> = {
  running: 'waiting',
  stopped: 'neutral',
  finished: 'good',
}

/** The migrations of a price, with their subscribers and the way to stop one. */
export function PriceMigrationsPanel({ items }: { items: readonly PriceMigrationView[] }) {
  const [shown, setShown] = useState<PriceMigrationView>()
  const [stopping, setStopping] = useState<PriceMigrationView>()
  const { stop } = usePriceMigration()
  return (
    <Panel title={t('migration.running.title')}>
      <ResponsiveTable
        caption={t('migration.running.title')}
        columns={migrationColumns(setShown, setStopping)}
        rows={items}
        rowKey={({ id }) => id}
      />
      <SideDrawer
        size="xl"
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t('migration.moves.title')}
      >
        {shown && <PriceMoves migration={shown} />}
      </SideDrawer>
      <ConfirmDialog
        opened={stopping !== undefined}
        onClose={() => setStopping(undefined)}
        title={t('migration.running.stop.title')}
        confirmLabel={t('migration.running.stop.action')}
        reason="required"
        reasonNote={t('migration.start.reasonHint')}
        onConfirm={async (reason = '') => {
          if (!stopping) return
          await stop.mutateAsync({ id: stopping.id, reason })
          done(t('migration.running.stop.done'))
        }}
      >
        {t('migration.running.stop.hint')}
      </ConfirmDialog>
    </Panel>
  )
}

const migrationColumns = (
  show: (migration: PriceMigrationView) => void,
  stop: (migration: PriceMigrationView) => void,
): readonly Column<PriceMigrationView>[] => [
  {
    key: 'what',
    header: t('migration.running.columns.what'),
    primary: true,
    cell: ({ fromVersion, toVersion, from, mayKeep, reason }) => (
      <>
        <Text span inherit fw={550}>
          {t('migration.running.name', { from: fromVersion, to: toVersion })}
        </Text>
        <Text size="xs" c="dimmed">
          {t('migration.running.from', { day: formatDay(from) })}
          {mayKeep && `, ${t('migration.running.keeps')}`}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      </>
    ),
  },
  {
    key: 'state',
    header: t('migration.running.columns.state'),
    cell: ({ state }) => (
      <StatusBadge label={t(`migration.running.states.${state}`)} tone={migrationTones[state]} />
    ),
  },
  {
    key: 'subscribers',
    header: t('migration.running.columns.subscribers'),
    cell: ({ subscribers }) =>
      priceMoveStates
        .filter((state) => subscribers[state] > 0)
        .map((state) => (
          <Text key={state} size="sm">
            {t(`migration.running.counts.${state}`, { count: subscribers[state] })}
          </Text>
        )),
  },
  {
    key: 'by',
    header: t('migration.running.columns.by'),
    breaks: true,
    cell: ({ requestedBy }) => requestedBy ?? '–',
  },
  {
    key: 'actions',
    header: t('migration.running.show'),
    hideHeader: true,
    align: 'end',
    cell: (migration) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button size="xs" variant="default" onClick={() => show(migration)}>
          {t('migration.running.show')}
        </Button>
        {migration.state === 'running' && (
          <Button size="xs" variant="subtle" color="red" onClick={() => stop(migration)}>
            {t('migration.running.stop.action')}
          </Button>
        )}
      </Group>
    ),
  },
]
