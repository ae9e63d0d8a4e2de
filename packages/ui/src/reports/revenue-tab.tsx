import { mrrCsv, revenueByPlanCsv, topTenantsCsv } from '@atrium/core/reports/report-csv'
import type { MrrFigure, MrrReport, RevenueByPlan, TopTenants } from '@atrium/core/reports/reports'
import { Alert, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ShareBar } from '../charts/share-bar.tsx'
import { formatCount, formatDay, formatMoney } from '../format.ts'
import { translations } from '../messages.ts'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { planAndCycle } from '../subscription-status-meta.ts'
import { FigureButton } from './figure-button.tsx'
import { figureName, percent } from './labels.ts'
import { ReportPanel } from './report-panel.tsx'
import classes from './reports.module.css'
import type { FigureQuery, ReportSource } from './source.ts'

const t = translations('ui.reports')

interface Props {
  source: ReportSource
  asOf: string | undefined
  /** Only this one, of several. */
  currency: string | undefined
  onAsk: (figureQuery: FigureQuery) => void
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
        title={t('revenue.title')}
        description={mrr.data && momentSentence(mrr.data.asOf, asOf)}
        query={mrr}
        csv={{ name: `${fileName}-mrr`, of: mrrCsv }}
        empty={{
          when: ({ currencies }) => currencies.length === 0,
          text: t('revenue.empty'),
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
                title={t('revenue.quality')}
              >
                <Text size="sm">{t('revenue.checked', { detail, day: formatDay(checkedAt) })}</Text>
              </Alert>
            ))}
          </Stack>
        )}
      </ReportPanel>
      <ReportPanel
        title={t('revenue.byPlan')}
        query={plans}
        csv={{ name: `${fileName}-revenue-by-plan`, of: revenueByPlanCsv }}
        empty={{ when: ({ rows }) => rows.length === 0, text: t('revenue.byPlanEmpty') }}
      >
        {({ rows }) => (
          <ResponsiveTable
            caption={t('revenue.byPlan')}
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
        empty={{ when: ({ rows }) => rows.length === 0, text: t('revenue.topEmpty') }}
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

function momentSentence(moment: string, figureQuery: string | undefined): string {
  return figureQuery
    ? t('revenue.atEnd', { day: formatDay(figureQuery) })
    : t('revenue.now', { day: formatDay(moment) })
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
  const parts: ['atRisk' | 'committed' | 'trial' | 'paused', number][] = [
    ['atRisk', row.atRiskMrrMinor],
    ['committed', row.committedMrrMinor],
    ['trial', row.trialMrrMinor],
    ['paused', row.pausedMrrMinor],
  ]
  const counted = {
    arr: money(row.arrMinor),
    tenants: formatCount(row.payingTenants),
    seats: formatCount(row.paidSeats),
  }
  const label = (figure: MrrFigure) =>
    t('revenue.showFigure', { figure: figureName(figure), currency: row.currency.toUpperCase() })
  return (
    <section aria-label={t('revenue.inCurrency', { currency: row.currency.toUpperCase() })}>
      <Group gap="xl" align="baseline" mb="sm">
        <div>
          <Title order={3} size="sm" c="dimmed" fw={550}>
            {t('revenue.mrrIn', { currency: row.currency.toUpperCase() })}
          </Title>
          <Text className={classes.large} component="div">
            <FigureButton
              label={label('mrr')}
              figureQuery={{ report: 'mrr', currency: row.currency, figure: 'mrr', asOf }}
              onAsk={onAsk}
            >
              {money(row.mrrMinor)}
            </FigureButton>
          </Text>
        </div>
        <Text size="sm" c="dimmed">
          {row.arpaMinor === null
            ? t('revenue.summary', counted)
            : t('revenue.summaryEach', { ...counted, arpa: money(row.arpaMinor) })}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        {parts.map(([figure, minor]) => (
          <div key={figure} className={classes.tile}>
            <Text size="sm" c="dimmed">
              {figureName(figure)}
            </Text>
            <Text fw={600} component="div">
              {minor === 0 ? (
                money(0)
              ) : (
                <FigureButton
                  label={label(figure)}
                  figureQuery={{ report: 'mrr', currency: row.currency, figure, asOf }}
                  onAsk={onAsk}
                >
                  {money(minor)}
                </FigureButton>
              )}
            </Text>
            <Text size="xs" c="dimmed">
              {t(`revenue.about.${figure}`)}
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
      header: t('columns.plan'),
      primary: true,
      cell: ({ plan, cycle }) => planAndCycle(plan, cycle),
    },
    {
      key: 'currency',
      header: t('columns.currency'),
      cell: ({ currency }) => currency.toUpperCase(),
    },
    {
      key: 'tenants',
      header: t('columns.tenants'),
      align: 'end',
      cell: ({ tenants }) => formatCount(tenants),
    },
    {
      key: 'seats',
      header: t('columns.seats'),
      align: 'end',
      cell: ({ seats }) => formatCount(seats),
    },
    {
      key: 'mrr',
      header: t('columns.mrr'),
      align: 'end',
      cell: ({ mrrMinor, currency, plan, cycle }) => (
        <FigureButton
          label={t('revenue.showPlan', {
            plan: planAndCycle(plan, cycle),
            currency: currency.toUpperCase(),
          })}
          figureQuery={{ report: 'plan', currency, plan, cycle, asOf }}
          onAsk={onAsk}
        >
          {formatMoney(mrrMinor, currency)}
        </FigureButton>
      ),
    },
    {
      key: 'share',
      header: t('columns.share'),
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
    { key: 'name', header: t('columns.name'), primary: true, cell: nameOf },
    {
      key: 'plan',
      header: t('columns.plan'),
      cell: ({ plan, cycle }) => planAndCycle(plan, cycle),
    },
    {
      key: 'seats',
      header: t('columns.seats'),
      align: 'end',
      cell: ({ seats }) => formatCount(seats),
    },
    { key: 'since', header: t('columns.since'), cell: ({ since }) => formatDay(since) },
    {
      key: 'mrr',
      header: t('columns.mrr'),
      align: 'end',
      cell: ({ mrrMinor, currency }) => formatMoney(mrrMinor, currency),
    },
    {
      key: 'share',
      header: t('columns.share'),
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
