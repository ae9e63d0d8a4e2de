import type { ReportRow } from '@atrium/core/reports/reports'
import { Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorState, LoadingRows } from '../data-states.tsx'
import { formatCount, formatDay, formatMoney } from '../format.ts'
import { translations } from '../messages.ts'
import { Pager } from '../pager.tsx'
import { currentCursor } from '../paging.ts'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { SideDrawer } from '../side-drawer.tsx'
import { planAndCycle } from '../subscription-status-meta.ts'
import { figureName, monthName, movementName, reasonName } from './labels.ts'
import type { FigureAsked, ReportSource } from './source.ts'

const t = translations('ui.reports')

interface Props {
  source: ReportSource
  asked: FigureAsked
  nameOf: (tenant: { slug: string; name: string }) => ReactNode
  onClose: () => void
}

/** The tenants that make up a figure, the largest part first. */
export default function RowsDrawer({ source, asked, nameOf, onClose }: Props) {
  const [trail, setCursorHistory] = useState<string>()
  const rows = source.useRows(asked, currentCursor(trail))
  return (
    <SideDrawer opened onClose={onClose} title={titleOf(asked)}>
      {rows.isPending ? (
        <LoadingRows label={t('rows.loading')} />
      ) : rows.isError ? (
        <ErrorState
          title={t('rows.failed')}
          error={rows.error}
          onRetry={() => void rows.refetch()}
          retrying={rows.isFetching}
        />
      ) : rows.data.items.length === 0 ? (
        <Text c="dimmed">{t('rows.empty')}</Text>
      ) : (
        <>
          <ResponsiveTable
            caption={titleOf(asked)}
            columns={columnsFor(asked, nameOf)}
            rows={rows.data.items}
            rowKey={(row) => `${row.slug} ${row.currency}`}
            stale={rows.isPlaceholderData}
          />
          <Pager
            label={t('rows.pages')}
            trail={trail}
            nextCursor={rows.data.nextCursor}
            onChange={setCursorHistory}
          />
        </>
      )}
    </SideDrawer>
  )
}

function titleOf(asked: FigureAsked): string {
  switch (asked.report) {
    case 'mrr':
      return asked.asOf
        ? t('rows.figureAtEnd', {
            figure: figureName(asked.figure),
            currency: asked.currency.toUpperCase(),
            day: formatDay(asked.asOf),
          })
        : t('rows.figure', {
            figure: figureName(asked.figure),
            currency: asked.currency.toUpperCase(),
          })
    case 'plan':
      return t('rows.plan', {
        plan: planAndCycle(asked.plan, asked.cycle),
        currency: asked.currency.toUpperCase(),
      })
    case 'growth':
      return t('rows.movement', {
        movement: movementName(asked.movement),
        month: monthName(asked.month),
        currency: asked.currency.toUpperCase(),
      })
    case 'signups':
      return t('rows.firstPaid', { month: monthName(asked.month) })
    case 'churn':
      return asked.reason
        ? t('rows.lostFor', { month: monthName(asked.month), reason: reasonName(asked.reason) })
        : t('rows.lost', { month: monthName(asked.month) })
  }
}

function columnsFor(asked: FigureAsked, nameOf: Props['nameOf']): Column<ReportRow>[] {
  const moves = asked.report === 'growth' || asked.report === 'churn'
  const money = (minor: number, { currency }: ReportRow) =>
    currency === null ? '–' : formatMoney(minor, currency)
  return [
    { key: 'name', header: t('columns.name'), primary: true, cell: nameOf },
    ...(moves
      ? [
          {
            key: 'change',
            header: t('columns.yearBeforeAfter'),
            cell: (row: ReportRow) =>
              `${money(row.startArrMinor ?? 0, row)} → ${money(row.endArrMinor ?? 0, row)}`,
          },
        ]
      : [
          {
            key: 'plan',
            header: t('columns.plan'),
            cell: ({ plan, cycle }: ReportRow) =>
              plan && cycle ? planAndCycle(plan, cycle) : t('columns.paysNothing'),
          },
          {
            key: 'seats',
            header: t('columns.seats'),
            align: 'end' as const,
            cell: ({ seats }: ReportRow) => (seats === null ? '–' : formatCount(seats)),
          },
        ]),
    ...(asked.report === 'churn'
      ? [
          {
            key: 'reason',
            header: t('columns.why'),
            cell: ({ reason }: ReportRow) => (reason ? reasonName(reason) : '–'),
          },
        ]
      : []),
    {
      key: 'since',
      header: t('columns.since'),
      cell: ({ since }) => (since ? formatDay(since) : '–'),
    },
    {
      key: 'mrr',
      header: t('columns.perMonth'),
      align: 'end',
      cell: (row) => money(row.mrrMinor, row),
    },
  ]
}
