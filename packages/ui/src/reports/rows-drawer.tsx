import type { ReportRow } from '@atrium/core/reports/reports'
import { Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorState, LoadingRows } from '../data-states.tsx'
import { formatCount, formatDay, formatMoney, formatMonth } from '../format.ts'
import { translations } from '../messages.ts'
import { Pager } from '../pager.tsx'
import { currentCursor } from '../paging.ts'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { SideDrawer } from '../side-drawer.tsx'
import { planAndCycle } from '../subscription-status-meta.ts'
import { figureName, movementName, reasonName } from './labels.ts'
import type { FigureQuery, ReportSource } from './source.ts'

const t = translations('ui.reports')

interface Props {
  source: ReportSource
  figureQuery: FigureQuery
  nameOf: (tenant: { slug: string; name: string }) => ReactNode
  onClose: () => void
}

/** The tenants that make up a figure, the largest part first. */
export default function RowsDrawer({ source, figureQuery, nameOf, onClose }: Props) {
  const [cursors, setCursorHistory] = useState<string>()
  const rows = source.useRows(figureQuery, currentCursor(cursors))
  return (
    <SideDrawer opened onClose={onClose} title={titleOf(figureQuery)}>
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
            caption={titleOf(figureQuery)}
            columns={columnsFor(figureQuery, nameOf)}
            rows={rows.data.items}
            rowKey={(row) => `${row.slug} ${row.currency}`}
            stale={rows.isPlaceholderData}
          />
          <Pager
            label={t('rows.pages')}
            cursors={cursors}
            nextCursor={rows.data.nextCursor}
            onChange={setCursorHistory}
          />
        </>
      )}
    </SideDrawer>
  )
}

function titleOf(figureQuery: FigureQuery): string {
  switch (figureQuery.report) {
    case 'mrr':
      return figureQuery.asOf
        ? t('rows.figureAtEnd', {
            figure: figureName(figureQuery.figure),
            currency: figureQuery.currency.toUpperCase(),
            day: formatDay(figureQuery.asOf),
          })
        : t('rows.figure', {
            figure: figureName(figureQuery.figure),
            currency: figureQuery.currency.toUpperCase(),
          })
    case 'plan':
      return t('rows.plan', {
        plan: planAndCycle(figureQuery.plan, figureQuery.cycle),
        currency: figureQuery.currency.toUpperCase(),
      })
    case 'growth':
      return t('rows.movement', {
        movement: movementName(figureQuery.movement),
        month: formatMonth(figureQuery.month),
        currency: figureQuery.currency.toUpperCase(),
      })
    case 'signups':
      return t('rows.firstPaid', { month: formatMonth(figureQuery.month) })
    case 'churn':
      return figureQuery.reason
        ? t('rows.lostFor', {
            month: formatMonth(figureQuery.month),
            reason: reasonName(figureQuery.reason),
          })
        : t('rows.lost', { month: formatMonth(figureQuery.month) })
  }
}

function columnsFor(figureQuery: FigureQuery, nameOf: Props['nameOf']): Column<ReportRow>[] {
  const moves = figureQuery.report === 'growth' || figureQuery.report === 'churn'
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
    ...(figureQuery.report === 'churn'
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
