import type { LedgerEntryView } from '@atrium/core/billing/payouts'
import { Text } from '@mantine/core'
import { formatDay, formatMoney, formatPercent } from './format.ts'
import { translations } from './messages.ts'
import { ledgerEntryName } from './payout-status-meta.ts'
import { type Column, ResponsiveTable } from './responsive-table.tsx'
import { Time } from './time.tsx'

const t = translations('ui.payouts')

interface Props {
  caption: string
  entries: readonly LedgerEntryView[]
  /** Says which payout pays each entry; left out where all of them are one payout's. */
  withPayout?: boolean
  stale?: boolean
}

/** Entries of a partner's ledger, each with the invoice that it comes from. */
export function LedgerTable({ caption, entries, withPayout = false, stale = false }: Props) {
  const columns = withPayout ? [...entryColumns(), payoutColumn()] : entryColumns()
  return (
    <ResponsiveTable
      caption={caption}
      columns={columns}
      rows={entries}
      rowKey={(entry) => entry.id}
      stale={stale}
    />
  )
}

const entryColumns = (): readonly Column<LedgerEntryView>[] => [
  {
    key: 'type',
    header: t('entry'),
    primary: true,
    cell: (entry) => (
      <>
        <Text span inherit fw={550}>
          {ledgerEntryName(entry.type)}
        </Text>
        {entry.reason && (
          <Text size="xs" c="dimmed">
            {entry.reason}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'customer',
    header: t('customer'),
    breaks: true,
    cell: ({ tenantName }) => tenantName ?? '–',
  },
  {
    key: 'invoice',
    header: t('invoice'),
    cell: ({ invoiceNumber, invoiceId }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {invoiceNumber ?? (invoiceId === null ? '–' : t('withoutNumber'))}
      </Text>
    ),
  },
  { key: 'base', header: t('baseAndMargin'), cell: baseOf },
  {
    key: 'date',
    header: t('date'),
    cell: ({ createdAt }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        <Time at={createdAt} />
      </Text>
    ),
  },
  {
    key: 'amount',
    header: t('amount'),
    align: 'end',
    cell: (entry) => <Amount minor={entry.amountMinor} currency={entry.currency} />,
  },
]

const payoutColumn = (): Column<LedgerEntryView> => ({
  key: 'payout',
  header: t('paidOut'),
  cell: (entry) => <PayoutState entry={entry} />,
})

function baseOf({ baseMinor, marginPct, currency }: LedgerEntryView) {
  if (baseMinor === null || marginPct === null) return '–'
  return t('marginOf', {
    margin: formatPercent(marginPct),
    base: formatMoney(baseMinor, currency),
  })
}

/** An amount on one line, with its sign, so that deductions are visible. */
export function Amount({ minor, currency }: { minor: number; currency: string }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {formatMoney(minor, currency)}
    </Text>
  )
}

function PayoutState({ entry }: { entry: LedgerEntryView }) {
  if (entry.payoutStatus === 'failed') return <>{t('payoutFailed')}</>
  if (entry.statementNumber !== null) return <>{entry.statementNumber}</>
  if (entry.payoutStatus !== null) return <>{t('inPayout')}</>
  const waiting = new Date(entry.availableAt).getTime() > Date.now()
  return <>{waiting ? t('from', { day: formatDay(entry.availableAt) }) : t('notYet')}</>
}
