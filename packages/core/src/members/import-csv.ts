import { CsvError, parse } from 'csv-parse/sync'
import { type ImportColumn, importColumns, importLimit } from './member-import.ts'

/** One row of an import: its first line, counted from 1, and the columns that are not empty. */
export interface CsvRow {
  line: number
  fields: Partial<Record<ImportColumn, string>>
}

/**
 * Reads the rows of an import from CSV (RFC 4180). The separator is a comma, or a semicolon when
 * the first line has only those. A byte order mark, any line ends and empty lines are accepted;
 * column names may be written in any case. Returns a sentence that names the line when the text
 * cannot be read: then no row is used.
 */
export function readImport(csv: string): { rows: CsvRow[] } | { fault: string } {
  const records = readRecords(csv)
  if ('fault' in records) return records
  const [head, ...body] = records.records
  if (!head) return { fault: 'There is no line with column names.' }
  const columns = columnsOf(head.cells)
  if ('fault' in columns) return columns
  if (body.length > importLimit)
    return { fault: `An import has at most ${importLimit} rows; this one has ${body.length}.` }
  const rows: CsvRow[] = []
  for (const { line, cells } of body) {
    if (cells.length > columns.names.length) {
      return {
        fault: `Line ${line} has ${cells.length} values for ${columns.names.length} columns. Put quotes around a value that contains a separator.`,
      }
    }
    const filled = columns.names.flatMap((name, index) => {
      const value = (cells[index] ?? '').trim()
      return value === '' ? [] : [[name, value] as const]
    })
    rows.push({ line, fields: Object.fromEntries(filled) })
  }
  return rows.length === 0 ? { fault: 'There is no row below the column names.' } : { rows }
}

function columnsOf(cells: readonly string[]): { names: ImportColumn[] } | { fault: string } {
  const names: ImportColumn[] = []
  for (const cell of cells) {
    const name = importColumns.find((column) => column.toLowerCase() === cell.trim().toLowerCase())
    if (!name)
      return {
        fault: `Line 1: the column "${cell.trim().slice(0, 40)}" is not known. Columns are ${importColumns.join(', ')}.`,
      }
    if (names.includes(name)) return { fault: `Line 1: the column ${name} is there twice.` }
    names.push(name)
  }
  return names.includes('email') ? { names } : { fault: 'Line 1: the column email is missing.' }
}

interface CsvRecord {
  line: number
  cells: string[]
}

const faults: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'there is text between a closing quote and the next separator.',
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed.',
  INVALID_OPENING_QUOTE:
    'there is a quote in the middle of a value. Put quotes around the value and double its own.',
}

function readRecords(csv: string): { records: CsvRecord[] } | { fault: string } {
  // One kind of line end, because the parser counts CRLF inside quotes as two lines.
  const text = csv.replace(/\r\n?/g, '\n')
  const [firstLine = ''] = text.split('\n', 1)
  const delimiter = firstLine.includes(';') && !firstLine.includes(',') ? ';' : ','
  const records: CsvRecord[] = []
  let line = 1
  try {
    parse(text, {
      bom: true,
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      on_record: (cells: string[], { lines }) => {
        if (cells.some((cell) => cell.trim() !== '')) records.push({ line, cells })
        line = lines + 1
        return null
      },
    })
    return { records }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { fault: `Line ${line}: ${faults[error.code] ?? 'this cannot be read as CSV.'}` }
  }
}
