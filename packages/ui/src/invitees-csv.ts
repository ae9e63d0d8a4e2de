import './issue-messages.ts'
import { readImport } from '@atrium/core/members/import-csv'
import { decodeCsv } from './csv-text.ts'
import { lineOf } from './invitees.ts'

/**
 * The people of a CSV file with the column `email`, as lines for the field of addresses, or what is
 * wrong with the file. The messages `ui.issues` are loaded with it.
 */
export function linesOfCsv(file: Uint8Array): { text: string } | { fault: string } {
  const read = readImport(decodeCsv(file))
  if ('fault' in read) return read
  const lines = read.rows.map(({ fields: { email = '', name, firstName, lastName } }) =>
    lineOf({ email, name: name ?? [firstName, lastName].filter(Boolean).join(' ') }),
  )
  return { text: lines.join('\n') }
}
