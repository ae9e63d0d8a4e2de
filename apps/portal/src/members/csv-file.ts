import { importColumns } from '@atrium/core/members/member-import'

/** Characters that an import may have; the API rejects more. */
export const longestCsv = 900_000

/** A list to start from: every column, and two people as examples. CRLF, as RFC 4180 has it. */
export function templateCsv(domain: string): string {
  const examples: Record<(typeof importColumns)[number], string>[] = [
    {
      email: `ada@${domain}`,
      name: 'Ada Lovelace',
      firstName: 'Ada',
      lastName: 'Lovelace',
      role: 'member',
      phone: '+49 30 1234567',
      alternativeEmail: '',
    },
    {
      email: 'grace',
      name: 'Grace Hopper',
      firstName: 'Grace',
      lastName: 'Hopper',
      role: 'admin',
      phone: '',
      alternativeEmail: 'grace@example.com',
    },
  ]
  return toCsv(
    importColumns,
    examples.map((example) => importColumns.map((column) => example[column])),
  )
}

/** Rows as CSV, with quotes where they are needed (RFC 4180). */
export function toCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Hands a text to the browser as a file to save. */
export function saveText(name: string, type: 'text/csv' | 'text/plain', text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken what it needs when the click returns to the event loop.
  setTimeout(() => URL.revokeObjectURL(address))
}
