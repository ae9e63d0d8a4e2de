import type { PriceMigrationPreview } from '@atrium/core/billing/price-migrations'
import type { PriceView } from '@atrium/core/billing/prices'
import { Amount } from '@atrium/ui/ledger-table'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { useTRPC } from '../trpc.ts'
import { PriceMigrationsPanel } from './price-migrations-panel.tsx'
import { StartPriceMigrationForm } from './start-price-migration.tsx'

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
      {items.length > 0 && <PriceMigrationsPanel items={items} />}
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
            {(close) => (
              <StartPriceMigrationForm
                priceId={price.id}
                earliest={preview.earliest}
                onClose={close}
              />
            )}
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
