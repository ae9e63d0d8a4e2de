import { csvLine } from './audit.ts'

/**
 * The last line of an export, which shows that it is complete and how many entries it has. CSV: a
 * row with `# complete`, the count, and empty cells up to `columns`. NDJSON:
 * `{"complete":true,"count":<entries>}`. An export without it was interrupted.
 */
export function exportTrailer(format: 'csv' | 'ndjson', count: number, columns: number): string {
  if (format === 'ndjson') return `${JSON.stringify({ complete: true, count })}\n`
  return csvLine(['# complete', count, ...Array.from({ length: columns - 2 }, () => '')])
}
