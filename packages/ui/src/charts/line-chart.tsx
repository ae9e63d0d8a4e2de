import { LineChart as MantineLineChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import classes from './charts.module.css'

interface Props {
  /** One row per point; `label` is below it. */
  data: readonly Record<string, string | number>[]
  series: readonly { name: string; label: string; color: string; dashed?: boolean }[]
  formatValue: (value: number) => string
  /** Shorter, for the axis. */
  formatAxis: (value: number) => string
  height: number
}

/**
 * Lines over time. Draws nothing that moves, and takes no focus: the table beside it is read
 * instead.
 */
export default function LineChart({ data, series, formatValue, formatAxis, height }: Props) {
  return (
    <MantineLineChart
      className={classes.axis}
      h={height}
      data={[...data]}
      dataKey="label"
      series={series.map(({ name, label, color, dashed }) => ({
        name,
        label,
        color,
        ...(dashed ? { strokeDasharray: '5 5' } : {}),
      }))}
      curveType="linear"
      withDots={data.length <= 24}
      withLegend={series.length > 1}
      valueFormatter={formatValue}
      // Else the label before the last is left out where they are close, and a gap looks like a
      // missing month.
      xAxisProps={{ interval: 'equidistantPreserveStart' }}
      yAxisProps={{ width: 64, domain: [0, 'auto'], tickFormatter: formatAxis }}
      lineChartProps={{ accessibilityLayer: false }}
      lineProps={{ isAnimationActive: false }}
    />
  )
}
