import { CsvError, parse } from 'csv-parse/sync'
import { type IssueMessageKey, issueText } from '../platform/issue-text.ts'
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
  if (!head) return { fault: issueText('csvNoHead') }
  const columns = columnsOf(head.cells)
  if ('fault' in columns) return columns
  if (body.length > importLimit)
    return { fault: issueText('csvTooManyRows', { most: importLimit, count: body.length }) }
  const rows: CsvRow[] = []
  for (const { line, cells } of body) {
    if (cells.length > columns.names.length) {
      return {
        fault: issueText('csvTooManyValues', {
          line,
          count: cells.length,
          columns: columns.names.length,
        }),
      }
    }
    const filled = columns.names.flatMap((name, index) => {
      const value = (cells[index] ?? '').trim()
      return value === '' ? [] : [[name, value] as const]
    })
    rows.push({ line, fields: Object.fromEntries(filled) })
  }
  return rows.length === 0 ? { fault: issueText('csvNoRow') } : { rows }
}

function columnsOf(cells: readonly string[]): { names: ImportColumn[] } | { fault: string } {
  const names: ImportColumn[] = []
  for (const cell of cells) {
    const name = importColumns.find((column) => column.toLowerCase() === cell.trim().toLowerCase())
    if (!name)
      return {
        fault: issueText('csvUnknownColumn', {
          value: cell.trim().slice(0, 40),
          columns: importColumns.join(', '),
        }),
      }
    if (names.includes(name)) return { fault: issueText('csvColumnTwice', { value: name }) }
    names.push(name)
  }
  return names.includes('email') ? { names } : { fault: issueText('csvNoEmail') }
}

interface CsvRecord {
  line: number
  cells: string[]
}

const faults: Readonly<Record<string, IssueMessageKey>> = {
  CSV_INVALID_CLOSING_QUOTE: 'csvTextAfterQuote',
  CSV_QUOTE_NOT_CLOSED: 'csvQuoteNotClosed',
  INVALID_OPENING_QUOTE: 'csvQuoteInValue',
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
    return { fault: issueText(faults[error.code] ?? 'csvUnreadable', { line }) }
  }
}
