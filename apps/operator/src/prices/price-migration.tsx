import {
  type PriceMigrationPreview,
  type PriceMigrationView,
  type PriceMoveView,
  StartPriceMigration,
} from '@atrium/core/billing/price-migrations'
import type { PriceView } from '@atrium/core/billing/prices'
import { priceMoveStates } from '@atrium/core/platform/choices'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { Amount } from '@atrium/ui/ledger-table'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Button, Checkbox, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EditDialog, FormFooter } from '../parts/edit-dialog.tsx'
import { ReasonInput } from '../parts/reason-input.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useTRPC } from '../trpc.ts'
import { usePriceMigration } from './mutations.ts'

const t = translations('operator.prices')

/** Subscribers of a version that is no longer on sale, and how they move to the newer one. */
export function PriceMigration({ price }: { price: PriceView }) {
  const { priceMigrations } = useTRPC()
  const preview = useQuery(
    priceMigrations.preview.queryOptions({ id: price.id }, { enabled: price.subscriptions > 0 }),
  )
  const migrations = useQuery(priceMigrations.list.queryOptions({ priceId: price.id, limit: 10 }))
  const items = migrations.data?.items ?? []
  return (
    <>
      {preview.data && preview.data.toVersion !== null && (
        <Subscribers price={price} preview={preview.data} version={preview.data.toVersion} />
      )}
      {items.length > 0 && <Migrations items={items} />}
    </>
  )
}

interface SubscribersProps {
  price: PriceView
  preview: PriceMigrationPreview
  /** The one on sale. */
  version: number
}

function Subscribers({ price, preview, version }: SubscribersProps) {
  const { currencies, staying } = preview
  const reasons = (['manual', 'notRunning', 'notOffered'] as const).filter(
    (reason) => staying[reason] > 0,
  )
  return (
    <Panel
      title={t('migration.title')}
      description={t('migration.description', { count: price.subscriptions, version })}
      actions={
        currencies.length > 0 && (
          <EditDialog
            label={t('migration.start.action', { version })}
            title={t('migration.start.title', { version })}
          >
            {(close) => <StartForm price={price} preview={preview} onClose={close} />}
          </EditDialog>
        )
      }
    >
      <Stack>
        {currencies.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('migration.nothing')}
          </Text>
        ) : (
          <ResponsiveTable
            caption={t('migration.title')}
            columns={previewColumns()}
            rows={currencies}
            rowKey={({ currency }) => currency}
          />
        )}
        {reasons.length > 0 && (
          <List size="sm" c="dimmed">
            {reasons.map((reason) => (
              <List.Item key={reason}>
                {t(`migration.stay.${reason}`, { count: staying[reason], version })}
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Panel>
  )
}

type PreviewRow = PriceMigrationPreview['currencies'][number]

const previewColumns = (): readonly Column<PreviewRow>[] => [
  {
    key: 'currency',
    header: t('migration.columns.currency'),
    primary: true,
    cell: ({ currency }) => currency.toUpperCase(),
  },
  {
    key: 'subscriptions',
    header: t('migration.columns.subscriptions'),
    align: 'end',
    cell: ({ subscriptions }) => subscriptions,
  },
  {
    key: 'before',
    header: t('migration.columns.before'),
    align: 'end',
    cell: ({ oldMinor, currency }) => <Amount minor={oldMinor} currency={currency} />,
  },
  {
    key: 'after',
    header: t('migration.columns.after'),
    align: 'end',
    cell: ({ newMinor, currency }) => <Amount minor={newMinor} currency={currency} />,
  },
  {
    key: 'difference',
    header: t('migration.columns.difference'),
    align: 'end',
    cell: ({ newMinor, oldMinor, currency }) => (
      <Amount minor={newMinor - oldMinor} currency={currency} />
    ),
  },
]

interface Values {
  from: string
  mayKeep: boolean
  reason: string
}

function StartForm({
  price,
  preview,
  onClose,
}: Omit<SubscribersProps, 'version'> & { onClose: () => void }) {
  const { start } = usePriceMigration()
  const toInput = (values: Values) => ({ id: price.id, ...values })
  const form = useForm<Values>({
    initialValues: { from: preview.earliest, mayKeep: false, reason: '' },
    validate: validateAs<Values>(StartPriceMigration, toInput),
  })
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit((values) => {
    start.mutate(toInput(values), {
      onSuccess: () => {
        done(t('migration.start.done'))
        onClose()
      },
      onError: onRejected,
    })
  }, onInvalid)
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <Text size="sm">
          {t('migration.start.hint', { earliest: formatDay(preview.earliest) })}
        </Text>
        <TextInput
          label={t('migration.start.from')}
          type="date"
          min={preview.earliest}
          withAsterisk
          {...form.getInputProps('from')}
        />
        <Checkbox
          label={t('migration.start.mayKeep')}
          description={t('migration.start.mayKeepHint')}
          {...form.getInputProps('mayKeep', { type: 'checkbox' })}
        />
        <ReasonInput
          label={t('migration.start.reason')}
          description={t('migration.start.reasonHint')}
          {...form.getInputProps('reason')}
        />
        <FormFooter
          error={start.error}
          submitLabel={t('migration.start.submit')}
          pending={start.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

const migrationTones: Readonly<Record<PriceMigrationView['state'], Tone>> = {
  running: 'waiting',
  stopped: 'neutral',
  finished: 'good',
}

function Migrations({ items }: { items: readonly PriceMigrationView[] }) {
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
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t('migration.moves.title')}
      >
        {shown && <Moves migration={shown} />}
      </SideDrawer>
      <ConfirmDialog
        opened={stopping !== undefined}
        onClose={() => setStopping(undefined)}
        title={t('migration.running.stop.title')}
        confirmLabel={t('migration.running.stop.action')}
        reason="required"
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
    key: 'acts',
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

const mostShown = 200

function Moves({ migration }: { migration: PriceMigrationView }) {
  const moves = useQuery(
    useTRPC().priceMigrations.subscribers.queryOptions({ id: migration.id, limit: mostShown }),
  )
  const [chosen, setChosen] = useState<PriceMoveView>()
  const { stopSubscriber } = usePriceMigration()
  if (!moves.data) return null
  if (moves.data.items.length === 0) return <Text c="dimmed">{t('migration.moves.none')}</Text>
  return (
    <>
      <ResponsiveTable
        caption={t('migration.moves.title')}
        columns={moveColumns(setChosen)}
        rows={moves.data.items}
        rowKey={({ id }) => id}
      />
      <ConfirmDialog
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={t('migration.moves.stop.title', { tenant: chosen?.tenantName ?? '' })}
        confirmLabel={t('migration.moves.stop.action')}
        reason="required"
        onConfirm={async (reason = '') => {
          if (!chosen) return
          await stopSubscriber.mutateAsync({ id: migration.id, subscriptionId: chosen.id, reason })
          done(t('migration.moves.stop.done', { tenant: chosen.tenantName }))
        }}
      >
        {t('migration.moves.stop.hint')}
      </ConfirmDialog>
    </>
  )
}

const moveTones: Readonly<Record<PriceMoveView['state'], Tone>> = {
  waiting: 'waiting',
  notified: 'waiting',
  scheduled: 'waiting',
  stopping: 'waiting',
  moved: 'good',
  kept: 'neutral',
  stopped: 'neutral',
  left: 'neutral',
}
const open: ReadonlySet<PriceMoveView['state']> = new Set(['waiting', 'notified', 'scheduled'])

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
    cell: ({ oldMinor, newMinor, currency }) =>
      oldMinor === null || newMinor === null
        ? '–'
        : `${formatMoney(oldMinor, currency)} → ${formatMoney(newMinor, currency)}`,
  },
  {
    key: 'effective',
    header: t('migration.moves.effective'),
    cell: ({ effectiveAt }) => (effectiveAt ? formatDay(effectiveAt) : '–'),
  },
  {
    key: 'acts',
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
