import type { Machine } from './machine.ts'
import { median, meets, nullBounds, passesNullTest } from './measure/statistics.ts'
import type { RowResult } from './rows/result.ts'

export type Verdict = 'beyond' | 'reach' | 'below' | 'none'

/**
 * `none` when there are no values, or when the peer measured against itself was not equal to
 * itself.
 */
export function verdictOf(row: RowResult): Verdict {
  if (row.values.length === 0) return 'none'
  if (row.nullTest && !passesNullTest(row.nullTest)) return 'none'
  if (meets(row.values, row.beyond, row.direction)) return 'beyond'
  return meets(row.values, row.reach, row.direction) ? 'reach' : 'below'
}

const number = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** The table for people. */
export function renderTable(rows: readonly RowResult[]): string {
  const head = [
    'row',
    'what',
    'peer',
    'median',
    'min–max',
    'rounds',
    'reach',
    'beyond',
    'verdict',
    'null test',
  ]
  const lines = rows.map((row) => {
    const unit = row.unit === 'x' ? '×' : row.unit === 'exponent' ? '' : ` ${row.unit}`
    const sign = row.direction === 'at least' ? '≥' : '≤'
    const measured = row.values.length > 0
    return [
      row.row,
      row.what,
      row.peer,
      measured ? `${number(median(row.values))}${unit}` : '–',
      measured ? `${number(Math.min(...row.values))}–${number(Math.max(...row.values))}` : '–',
      String(row.values.length),
      `${sign} ${row.reach}`,
      `${sign} ${row.beyond}`,
      verdictWord[verdictOf(row)],
      row.nullTest
        ? `${median(row.nullTest).toFixed(3)}${passesNullTest(row.nullTest) ? '' : ' failed'}`
        : '–',
    ]
  })
  const widths = head.map((title, i) =>
    Math.max(title.length, ...lines.map((line) => line[i]?.length ?? 0)),
  )
  const render = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [
    render(head),
    render(widths.map((width) => '─'.repeat(width))),
    ...lines.map(render),
  ].join('\n')
}

const verdictWord: Record<Verdict, string> = {
  beyond: 'pass, beyond',
  reach: 'pass',
  below: 'below',
  none: 'no verdict',
}

/** Explains each ratio, and what is needed to read it. */
export function renderDetails(rows: readonly RowResult[]): string {
  const lines = rows.flatMap((row) => [
    ...Object.entries(row.figures ?? {}).map(([name, figures]) => {
      const parts = [
        ...(figures.cpuMicrosPerCall === undefined
          ? []
          : [`${figures.cpuMicrosPerCall.toFixed(1)} µs CPU per call`]),
        `${Math.round(figures.callsPerSecond)} per second`,
        ...(figures.p50Ms === undefined ? [] : [`p50 ${number(figures.p50Ms)} ms`]),
        ...(figures.p99Ms === undefined ? [] : [`p99 ${number(figures.p99Ms)} ms`]),
      ]
      return `  ${row.row.padEnd(4)} ${name.padEnd(18)} ${parts.join(', ')}`
    }),
    ...(row.note ? [`  ${row.row.padEnd(4)} ${row.note}`] : []),
    ...(row.nullTest && !passesNullTest(row.nullTest)
      ? [
          `  ${row.row.padEnd(4)} the peer against itself was outside ${nullBounds.low}–${nullBounds.high}: too much noise for a verdict`,
        ]
      : []),
  ])
  return lines.join('\n')
}

export function renderMachine(machine: Machine): string {
  return `${machine.cores} cores, ${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.system}; Node ${machine.node}, PostgreSQL ${machine.postgres}; ${
    machine.pinned
      ? 'servers on core 0, load on core 1'
      : 'no taskset here: servers and load share all cores'
  }`
}
