import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Limit, limitNames, limits } from '@atrium/core/limits'
import { expect, it } from 'vitest'
import { proceduresOf } from '../src/procedure.ts'
import { appRouter } from '../src/router.ts'

const page = await readFile(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')

/** The cells of a table's rows, by the heading of its section. */
function rowsBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const table = section.split('\n## ')[0] ?? ''
  const lines = table.split('\n').filter((line) => line.startsWith('| `') || /^\| [a-zP]/.test(line))
  return lines.map((line) => line.slice(2, -2).split(' | '))
}

const spans: Readonly<Record<string, string>> = { 60: 'minute', 600: '10 minutes', 3600: 'hour', 86400: 'day', null: 'at one time' }

it('docs/security.md lists every limit with its number', () => {
  const declared = limitNames.map((name) => {
    const { counts, per, most, seconds, kept, against }: Limit = limits[name]
    return [`\`${name}\``, `${most.toLocaleString('en-US')} ${counts}`, per, spans[String(seconds)], kept, against]
  })
  expect(rowsBelow('All limits')).toEqual(declared)
})

it('docs/security.md lists every call that needs no session, with limits that there are', () => {
  const entries = rowsBelow('Without a session')
  const listed = entries.flatMap(([entry = '']) =>
    [...entry.matchAll(/`([A-Z]+ \/(?:api\/v1|invitations)\/[^`]+)`/g)].map(([, call]) => call),
  )
  const open = Object.values(proceduresOf(appRouter))
    .filter(({ _def }) => !_def.needsToken)
    .map(({ _def }) => `${_def.meta?.openapi?.method} ${_def.meta?.openapi?.path}`)
  expect(open.length).toBeGreaterThan(10)
  expect(listed.sort()).toEqual(open.sort())
  for (const [entry, , , , , named = ''] of entries.filter(([entry = '']) => entry.includes('/api/v1/'))) {
    const names = [...named.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(names.length, entry).toBeGreaterThan(0)
    expect(limitNames, entry).toEqual(expect.arrayContaining(names))
  }
})
