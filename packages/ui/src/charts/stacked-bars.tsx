import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import classes from './charts.module.css'

interface Props {
  /** One row per bar; `label` is below it. Losses are below zero. */
  data: readonly Record<string, string | number>[]
  series: readonly { name: string; label: string; color: string }[]
  formatValue: (value: number) => string
  /** Shorter, for the axis. */
  formatAxis: (value: number) => string
  height: number
}

/**
 * What was won above the line, what was lost below it, stacked. Takes no focus: the table beside it
 * is read instead.
 */
export default function StackedBars({ data, series, formatValue, formatAxis, height }: Props) {
  return (
    <BarChart
      className={classes.axis}
      h={height}
      data={[...data]}
      dataKey="label"
      type="stacked"
      series={[...series]}
      withLegend
      valueFormatter={formatValue}
      // Else the label before the last is left out where they are close, and a gap looks like a
      // missing month.
      xAxisProps={{ interval: 'equidistantPreserveStart' }}
      yAxisProps={{ width: 64, tickFormatter: formatAxis }}
      referenceLines={[{ y: 0, color: 'gray.6' }]}
      barChartProps={{ accessibilityLayer: false, stackOffset: 'sign' }}
      barProps={{ isAnimationActive: false }}
    />
  )
}
