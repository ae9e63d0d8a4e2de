import type { ReportRow } from '@atrium/core/reports/reports'
import { Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorState, LoadingRows } from '../data-states.tsx'
import { formatCount, formatDay, formatMoney } from '../format.ts'
import { Pager } from '../pager.tsx'
import { currentCursor } from '../paging.ts'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { SideDrawer } from '../side-drawer.tsx'
import {
  cycleNames,
  figureNames,
  monthName,
  movementNames,
  planNames,
  reasonName,
} from './labels.ts'
import type { FigureAsked, ReportSource } from './source.ts'

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
        <LoadingRows label="Loading the tenants" />
      ) : rows.isError ? (
        <ErrorState
          title="The tenants could not be loaded."
          error={rows.error}
          onRetry={() => void rows.refetch()}
          retrying={rows.isFetching}
        />
      ) : rows.data.items.length === 0 ? (
        <Text c="dimmed">
          No tenant is part of this figure any more. Close this and load the report again.
        </Text>
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
            label="Pages of tenants"
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
      return `${figureNames[asked.figure]} in ${asked.currency.toUpperCase()}${asked.asOf ? ` at the end of ${formatDay(asked.asOf)}` : ''}`
    case 'plan':
      return `${planNames[asked.plan]}, ${cycleNames[asked.cycle]}, in ${asked.currency.toUpperCase()}`
    case 'growth':
      return `${movementNames[asked.movement]} in ${monthName(asked.month)}, ${asked.currency.toUpperCase()}`
    case 'signups':
      return `First paid in ${monthName(asked.month)}`
    case 'churn':
      return `Lost in ${monthName(asked.month)}${asked.reason ? `: ${reasonName(asked.reason)}` : ''}`
  }
}

function columnsFor(asked: FigureAsked, nameOf: Props['nameOf']): Column<ReportRow>[] {
  const moves = asked.report === 'growth' || asked.report === 'churn'
  const money = (minor: number, { currency }: ReportRow) =>
    currency === null ? '–' : formatMoney(minor, currency)
  return [
    { key: 'name', header: 'Name', primary: true, cell: nameOf },
    ...(moves
      ? [
          {
            key: 'change',
            header: 'A year, before and after',
            cell: (row: ReportRow) =>
              `${money(row.startArrMinor ?? 0, row)} → ${money(row.endArrMinor ?? 0, row)}`,
          },
        ]
      : [
          {
            key: 'plan',
            header: 'Plan',
            cell: ({ plan, cycle }: ReportRow) =>
              plan && cycle ? `${planNames[plan]}, ${cycleNames[cycle]}` : 'Pays nothing',
          },
          {
            key: 'seats',
            header: 'Seats',
            align: 'end' as const,
            cell: ({ seats }: ReportRow) => (seats === null ? '–' : formatCount(seats)),
          },
        ]),
    ...(asked.report === 'churn'
      ? [
          {
            key: 'reason',
            header: 'Why',
            cell: ({ reason }: ReportRow) => (reason ? reasonName(reason) : '–'),
          },
        ]
      : []),
    { key: 'since', header: 'Pays since', cell: ({ since }) => (since ? formatDay(since) : '–') },
    { key: 'mrr', header: 'A month', align: 'end', cell: (row) => money(row.mrrMinor, row) },
  ]
}
