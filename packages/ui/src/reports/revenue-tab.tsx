import { mrrCsv, revenueByPlanCsv, topTenantsCsv } from '@atrium/core/reports/report-csv'
import type { MrrFigure, MrrReport, RevenueByPlan, TopTenants } from '@atrium/core/reports/reports'
import { Alert, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ShareBar } from '../charts/share-bar.tsx'
import { formatCount, formatDay, formatMoney } from '../format.ts'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { FigureButton } from './figure-button.tsx'
import { cycleNames, figureNames, percent, planNames } from './labels.ts'
import { ReportPanel } from './report-panel.tsx'
import classes from './reports.module.css'
import type { FigureAsked, ReportSource } from './source.ts'

interface Props {
  source: ReportSource
  asOf: string | undefined
  /** Only this one, of several. */
  currency: string | undefined
  onAsk: (asked: FigureAsked) => void
  /** What the largest are called: "Top tenants". */
  topTitle: string
  /** The name of a tenant, as a link where there is a page about it. */
  nameOf: (tenant: { slug: string; name: string }) => ReactNode
  /** The csv file names begin with it. */
  fileName: string
}

/** Recurring revenue at a moment: per currency, by plan, and the largest tenants. */
export function RevenueTab({ source, asOf, currency, onAsk, topTitle, nameOf, fileName }: Props) {
  const mrr = source.useMrr({ asOf })
  const plans = source.usePlans({ asOf })
  const top = source.useTop({ asOf })
  const shown = (row: { currency: string }) => currency === undefined || row.currency === currency
  return (
    <Stack gap="lg">
      <ReportPanel
        title="Recurring revenue"
        description={mrr.data && momentSentence(mrr.data.asOf, asOf)}
        query={mrr}
        csv={{ name: `${fileName}-mrr`, of: mrrCsv }}
        empty={{
          when: ({ currencies }) => currencies.length === 0,
          text: 'Nobody paid, tried or paused anything then. Choose another day, or sell a subscription.',
        }}
      >
        {({ currencies, dataQuality }) => (
          <Stack gap="lg">
            {currencies.filter(shown).map((row) => (
              <CurrencyFigures key={row.currency} row={row} asOf={asOf} onAsk={onAsk} />
            ))}
            {dataQuality.map(({ kind, detail, checkedAt }) => (
              <Alert
                key={kind}
                color="yellow"
                variant="light"
                icon={<IconInfoCircle aria-hidden />}
                title="Before you trust these figures"
              >
                <Text size="sm">
                  {detail} Looked at on {formatDay(checkedAt)}.
                </Text>
              </Alert>
            ))}
          </Stack>
        )}
      </ReportPanel>
      <ReportPanel
        title="Revenue by plan"
        query={plans}
        csv={{ name: `${fileName}-revenue-by-plan`, of: revenueByPlanCsv }}
        empty={{ when: ({ rows }) => rows.length === 0, text: 'Nobody paid for a plan then.' }}
      >
        {({ rows }) => (
          <ResponsiveTable
            caption="Revenue by plan"
            columns={planColumns(asOf, onAsk)}
            rows={rows.filter(shown)}
            rowKey={(row) => `${row.currency} ${row.plan} ${row.cycle}`}
            stale={plans.isPlaceholderData}
          />
        )}
      </ReportPanel>
      <ReportPanel
        title={topTitle}
        query={top}
        csv={{ name: `${fileName}-top`, of: topTenantsCsv }}
        empty={{ when: ({ rows }) => rows.length === 0, text: 'Nobody paid then.' }}
      >
        {({ rows }) => (
          <ResponsiveTable
            caption={topTitle}
            columns={topColumns(nameOf)}
            rows={rows.filter(shown)}
            rowKey={(row) => `${row.currency} ${row.slug}`}
            stale={top.isPlaceholderData}
          />
        )}
      </ReportPanel>
    </Stack>
  )
}

function momentSentence(moment: string, asked: string | undefined): string {
  return asked
    ? `At the end of ${formatDay(asked)} (UTC).`
    : `As of now, ${formatDay(moment)}. Amounts a month, without tax, per currency.`
}

type Currency = MrrReport['currencies'][number]

function CurrencyFigures({
  row,
  asOf,
  onAsk,
}: {
  row: Currency
  asOf: string | undefined
  onAsk: Props['onAsk']
}) {
  const money = (minor: number) => formatMoney(minor, row.currency)
  const parts: [MrrFigure, number, string][] = [
    ['atRisk', row.atRiskMrrMinor, 'payment overdue'],
    ['committed', row.committedMrrMinor, 'not ending'],
    ['trial', row.trialMrrMinor, 'once they pay'],
    ['paused', row.pausedMrrMinor, 'not counted'],
  ]
  const label = (figure: MrrFigure) =>
    `Show the tenants behind ${figureNames[figure]} in ${row.currency.toUpperCase()}`
  return (
    <section aria-label={`In ${row.currency.toUpperCase()}`}>
      <Group gap="xl" align="baseline" mb="sm">
        <div>
          <Title order={3} size="sm" c="dimmed" fw={550}>
            MRR in {row.currency.toUpperCase()}
          </Title>
          <Text className={classes.large} component="div">
            <FigureButton
              label={label('mrr')}
              asked={{ report: 'mrr', currency: row.currency, figure: 'mrr', asOf }}
              onAsk={onAsk}
            >
              {money(row.mrrMinor)}
            </FigureButton>
          </Text>
        </div>
        <Text size="sm" c="dimmed">
          {money(row.arrMinor)} a year · {formatCount(row.payingTenants)} paying ·{' '}
          {formatCount(row.paidSeats)} seats
          {row.arpaMinor !== null && ` · ${money(row.arpaMinor)} each`}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        {parts.map(([figure, minor, about]) => (
          <div key={figure} className={classes.tile}>
            <Text size="sm" c="dimmed">
              {figureNames[figure]}
            </Text>
            <Text fw={600} component="div">
              {minor === 0 ? (
                money(0)
              ) : (
                <FigureButton
                  label={label(figure)}
                  asked={{ report: 'mrr', currency: row.currency, figure, asOf }}
                  onAsk={onAsk}
                >
                  {money(minor)}
                </FigureButton>
              )}
            </Text>
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </section>
  )
}

function planColumns(
  asOf: string | undefined,
  onAsk: Props['onAsk'],
): Column<RevenueByPlan['rows'][number]>[] {
  return [
    {
      key: 'plan',
      header: 'Plan',
      primary: true,
      cell: ({ plan, cycle }) => `${planNames[plan]}, ${cycleNames[cycle]}`,
    },
    { key: 'currency', header: 'Currency', cell: ({ currency }) => currency.toUpperCase() },
    {
      key: 'tenants',
      header: 'Tenants',
      align: 'end',
      cell: ({ tenants }) => formatCount(tenants),
    },
    { key: 'seats', header: 'Seats', align: 'end', cell: ({ seats }) => formatCount(seats) },
    {
      key: 'mrr',
      header: 'MRR',
      align: 'end',
      cell: ({ mrrMinor, currency, plan, cycle }) => (
        <FigureButton
          label={`Show the tenants on ${planNames[plan]}, ${cycleNames[cycle]}, in ${currency.toUpperCase()}`}
          asked={{ report: 'plan', currency, plan, cycle, asOf }}
          onAsk={onAsk}
        >
          {formatMoney(mrrMinor, currency)}
        </FigureButton>
      ),
    },
    {
      key: 'share',
      header: 'Share',
      align: 'end',
      cell: ({ share }) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <ShareBar share={share} />
          {percent(share)}
        </Group>
      ),
    },
  ]
}

function topColumns(nameOf: Props['nameOf']): Column<TopTenants['rows'][number]>[] {
  return [
    { key: 'name', header: 'Name', primary: true, cell: nameOf },
    {
      key: 'plan',
      header: 'Plan',
      cell: ({ plan, cycle }) => `${planNames[plan]}, ${cycleNames[cycle]}`,
    },
    { key: 'seats', header: 'Seats', align: 'end', cell: ({ seats }) => formatCount(seats) },
    { key: 'since', header: 'Pays since', cell: ({ since }) => formatDay(since) },
    {
      key: 'mrr',
      header: 'MRR',
      align: 'end',
      cell: ({ mrrMinor, currency }) => formatMoney(mrrMinor, currency),
    },
    {
      key: 'share',
      header: 'Share',
      align: 'end',
      cell: ({ share }) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <ShareBar share={share} />
          {percent(share)}
        </Group>
      ),
    },
  ]
}
