import { z } from 'zod'
import {
  hasUnsafeCharacters,
  instant,
  onSeveralLines,
  withoutInvisibleSeparators,
} from '../platform/text.ts'

const slug = z.string().max(200)

/** Rows that one import may have. */
export const importLimit = 2000

/** Spreadsheets write a byte order mark before the text. */
const withoutMark = (text: string) => text.replace(/^\ufeff/, '')

/** Characters of an import; the body of a request is bounded too. */
const csvLength = 900_000

export const importColumns = [
  'email',
  'name',
  'firstName',
  'lastName',
  'role',
  'phone',
  'alternativeEmail',
] as const
export type ImportColumn = (typeof importColumns)[number]

/**
 * `csv` begins with a line of column names, of which `email` must be there. `dryRun` judges every
 * row and makes nothing.
 */
export const StartImport = z.strictObject({
  slug,
  csv: z
    .string()
    .min(1, 'This must not be empty.')
    .max(csvLength, `At most ${csvLength} characters.`)
    // Cells drop them by the rules of their fields.
    .refine(
      (text) => !hasUnsafeCharacters(withoutInvisibleSeparators(text).replace(/[\r\n\t]/g, ' ')),
      'Control and invisible characters are not allowed.',
    )
    .meta({ openapi: { pattern: onSeveralLines(0) } }),
  dryRun: z.boolean(),
})
export type StartImport = z.infer<typeof StartImport>

export const importStates = ['checked', 'running', 'stopped', 'done'] as const
/**
 * `stopped`: nobody works on it although rows are left; resume it. The job engine does so by itself
 * as well.
 */
export const importState = z.enum(importStates)
export type ImportState = z.infer<typeof importState>

export const importRowStates = ['ready', 'running', 'created', 'incomplete', 'refused'] as const
/**
 * `incomplete`: the member is there and an upstream system has not done its part yet; it is tried
 * again.
 */
export const importRowState = z.enum(importRowStates)
export type ImportRowState = z.infer<typeof importRowState>

export const ImportRow = z.object({
  /** Line of the text, counted from 1; a row with line breaks in quotes counts from its first. */
  line: z.int().min(1),
  email: z.string(),
  name: z.string().nullable(),
  role: z.string().nullable(),
  state: importRowState,
  /**
   * Why a row was rejected: a code of `/docs/errors` and a sentence; `issues` for fields that
   * cannot be used.
   */
  code: z.string().nullable(),
  message: z.string().nullable(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })),
  userId: z.uuid().nullable(),
})
export type ImportRow = z.infer<typeof ImportRow>

/**
 * No passwords: an imported member's first one is made by resetting it (`needsPassword` of the
 * member).
 */
export const ImportView = z.object({
  /** Null for a dry run, which is not kept. */
  id: z.uuid().nullable(),
  dryRun: z.boolean(),
  state: importState,
  counts: z.object({
    total: z.int(),
    ready: z.int(),
    running: z.int(),
    created: z.int(),
    incomplete: z.int(),
    refused: z.int(),
  }),
  rows: z.array(ImportRow),
  createdAt: instant,
  finishedAt: instant.nullable(),
})
export type ImportView = z.infer<typeof ImportView>

export const ImportPath = z.strictObject({
  slug,
  importId: z.uuid('This is not the id of an import.'),
})
export type ImportPath = z.infer<typeof ImportPath>

export const GetImport = z.strictObject({
  ...ImportPath.shape,
  /** Which rows to show beside the counts. */
  rows: z.enum(['all', 'problems', 'none']).default('all'),
})
export type GetImport = z.infer<typeof GetImport>

/** One row as it stands in the text: the columns that are not empty. */
export interface CsvRow {
  line: number
  fields: Partial<Record<ImportColumn, string>>
}

/**
 * The rows of an import. The text is CSV as RFC 4180 has it, separated by commas or, when the first
 * line has them instead, semicolons; a byte order mark, LF alone and empty lines are taken. Column
 * names may be written in any case. Returns a sentence that names the line when the text cannot be
 * read: nothing of it is used then.
 */
export function readImport(csv: string): { rows: CsvRow[] } | { fault: string } {
  const text = withoutMark(csv)
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const separator = firstLine.includes(';') && !firstLine.includes(',') ? ';' : ','
  const records = readRecords(text, separator)
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
        fault: `Line ${line}: there are ${cells.length} values for ${columns.names.length} columns. A value with a separator in it stands in quotes.`,
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

function readRecords(
  text: string,
  separator: string,
): { records: CsvRecord[] } | { fault: string } {
  const records: CsvRecord[] = []
  let at = 0
  let line = 1
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] }
    for (;;) {
      const cell = text[at] === '"' ? quoted(text, at) : plain(text, at, separator)
      if ('fault' in cell) return { fault: `Line ${line}: ${cell.fault}` }
      record.cells.push(cell.value)
      line += cell.breaks
      at = cell.end
      if (text[at] !== separator) break
      at += 1
    }
    if (at < text.length && text[at] !== '\r' && text[at] !== '\n') {
      return {
        fault: `Line ${line}: there is something between a closing quote and the next separator.`,
      }
    }
    at += text.startsWith('\r\n', at) ? 2 : 1
    line += 1
    if (record.cells.some((cell) => cell.trim() !== '')) records.push(record)
  }
  return { records }
}

type Cell = { value: string; end: number; breaks: number } | { fault: string }

function plain(text: string, start: number, separator: string): Cell {
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\r' && text[end] !== '\n') {
    if (text[end] === '"')
      return {
        fault:
          'there is a quote in the middle of a value. A value with quotes stands in quotes, its own doubled.',
      }
    end += 1
  }
  return { value: text.slice(start, end), end, breaks: 0 }
}

function quoted(text: string, start: number): Cell {
  let end = start + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end < 0) return { fault: 'a quote is opened and never closed.' }
    if (text[end + 1] !== '"') break
    end += 2
  }
  const raw = text.slice(start + 1, end)
  return {
    value: raw.replaceAll('""', '"'),
    end: end + 1,
    breaks: raw.match(/\r\n|\r|\n/g)?.length ?? 0,
  }
}
