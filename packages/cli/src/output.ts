import Table from 'cli-table3'

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that tell rows apart come first. */
const first = [
  'name',
  'slug',
  'email',
  'address',
  'title',
  'key',
  'type',
  'role',
  'status',
  'state',
]
const mostColumns = 7

/** A list as a table: the columns that fit into the width, the others with `--json`. */
export function renderRows(rows: readonly unknown[], width: number): string {
  const [sample] = rows
  if (rows.length === 0) return 'None.'
  if (!isRow(sample)) return rows.map(cell).join('\n')
  const columns = chooseColumns(rows.filter(isRow), width)
  const table = new Table({ head: columns.map(words), ...plain })
  for (const row of rows.filter(isRow)) table.push(columns.map((name) => cell(row[name])))
  return withoutTrailingSpace(table)
}

/** A record, one field per line. */
export function renderRecord(record: Row): string {
  const table = new Table(plain)
  for (const [name, value] of Object.entries(record)) table.push([words(name), cell(value)])
  return withoutTrailingSpace(table)
}

const withoutTrailingSpace = (table: { toString(): string }) =>
  table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')

/** What an operation returned, for people. */
export function render(data: unknown, width: number): string {
  if (typeof data === 'string') return data
  if (Array.isArray(data)) return renderRows(data, width)
  if (!isRow(data)) return String(data)
  return Array.isArray(data.items) ? renderRows(data.items, width) : renderRecord(data)
}

/** No lines around cells: a table can be copied and cut. */
const plain = {
  chars: Object.fromEntries(
    [
      ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'],
      ...['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
    ].map((name) => [name, name === 'middle' ? '  ' : '']),
  ),
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
}

function chooseColumns(rows: readonly Row[], width: number): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => !rows.some((row) => typeof row[name] === 'object' && row[name] !== null),
  )
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)
  const chosen: string[] = []
  let used = 0
  for (const name of names.includes('id') ? ['id', ...sorted(names, rank)] : sorted(names, rank)) {
    const needed = Math.max(name.length, ...rows.map((row) => cell(row[name]).length)) + 2
    if (chosen.includes(name) || chosen.length === mostColumns) continue
    if (chosen.length > 0 && used + needed > width) continue
    chosen.push(name)
    used += needed
  }
  return chosen
}

const sorted = (names: readonly string[], rank: (name: string) => number) =>
  names.toSorted((a, b) => rank(a) - rank(b))

const words = (name: string) => name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)

/** Control characters of a value must not reach the terminal. */
function cell(value: unknown): string {
  const text =
    value === null || value === undefined
      ? '-'
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
}
