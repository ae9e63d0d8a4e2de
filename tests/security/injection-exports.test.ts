import { statementCsv } from '@atrium/core/billing/statements'
import { mailProfile } from '@atrium/core/mail/mail-profile'
import { topTenantsCsv } from '@atrium/core/reports/report-csv'
import { parseCsv } from '@atrium/testing/csv'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyText, sample } from './hostile-texts.ts'
import { readPropertyList } from './property-list.ts'

let testApp: TestApp
let operator: string
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    ownEvents: true,
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** PostgreSQL holds neither of the two. */
const storable = (text: string) => text.toWellFormed().replaceAll('\u0000', '')
/** The apostrophe before anything that a sheet would calculate. */
const guard =
  /^'(?=[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n])|(?<=[;\t\r\n])'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const formula = /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]|[;\t\r\n][=+\-@\uff1d\uff0b\uff0d\uff20]/
const unguarded = (text: string) => text.replace(guard, '')

it('exports the audit log so that every text comes back and none is a formula', async () => {
  const count = rounds(500, 10_000)
  const names = sample(anyText, count, 21).map(storable)
  for (let start = 0; start < count; start += 500) {
    await testApp.database.db
      .insertInto('audit_events')
      .values(
        names.slice(start, start + 500).map((name, index) => ({
          at: new Date(Date.UTC(2026, 0, 1) + start + index),
          actor_type: 'user' as const,
          action: 'tenant.updated',
          outcome: 'success' as const,
          actor_email: name,
          resource_type: 'tenant',
          resource_id: String(start + index),
          resource_name: name,
          source: 'api' as const,
          tenant_slug: 'exported',
          metadata: JSON.stringify({ note: name, [name]: 1 }),
        })),
      )
      .execute()
  }
  const exported = (format: string) =>
    testApp.request(
      'GET',
      `/audit/export?tenantSlug=exported&action=tenant.updated&format=${format}`,
      { token: operator },
    )
  const [header = [], ...rows] = parseCsv(String((await exported('csv')).body))
  const at = (name: string) => header.indexOf(name)
  rows.pop()
  const wrong: string[] = []
  let formulas = 0
  for (const row of rows) {
    const name = names[Number(row[at('resourceId')])] ?? 'absent'
    if (row.length !== header.length) wrong.push(`${row.length} cells for ${JSON.stringify(name)}`)
    if (
      unguarded(row[at('resourceName')] ?? '') !== unguarded(name) ||
      unguarded(row[at('actorEmail')] ?? '') !== unguarded(name)
    )
      wrong.push(JSON.stringify([name, row[at('resourceName')]]))
    formulas += row.filter((cell) => formula.test(cell)).length
  }
  const lines = String((await exported('ndjson')).body)
    .trimEnd()
    .split('\n')
    .slice(0, -1)
  for (const line of lines) {
    const event: { resourceId: string; resourceName: string; metadata: { note: string } } =
      JSON.parse(line)
    const name = names[Number(event.resourceId)]
    if (event.resourceName !== name || event.metadata.note !== name)
      wrong.push(JSON.stringify([name, event]))
  }
  await recordMeasurement({
    target: 'S8',
    what: 'audit exports: CSV and NDJSON',
    measured: `${count} values, ${rows.length} rows and ${lines.length} lines, ${wrong.length} read back otherwise, ${formulas} formulas`,
    reached:
      rows.length === count && lines.length === count && wrong.length === 0 && formulas === 0,
  })
  expect([wrong.slice(0, 3), formulas]).toEqual([[], 0])
  expect([rows.length, lines.length]).toEqual([count, count])
})

it('writes reports and statements so that every text comes back and none is a formula', async () => {
  const count = rounds(400, 10_000)
  const names = sample(anyText, count, 22)
  const row = {
    currency: 'eur',
    rank: 1,
    plan: 'team' as const,
    cycle: 'monthly' as const,
    seats: 1,
    mrrMinor: 1,
    arrMinor: 12,
    share: 1,
  }
  const rest = { partnerSlug: null, healthBand: null, since: '2026-01-01' }
  const reports = parseCsv(
    // The writer reads these fields alone; the rest of a report is no text.
    topTenantsCsv({
      asOf: '2026-11-22',
      rows: names.map((name) => ({ ...row, ...rest, slug: 'acme', name })),
    } as unknown as Parameters<typeof topTenantsCsv>[0]),
  )
  const line = {
    createdAt: '2026-11-22T00:00:00Z',
    type: 'adjustment',
    baseMinor: -5,
    marginPct: 1,
    amountMinor: -583,
  }
  const statement = parseCsv(
    statementCsv({
      number: null,
      partner: { slug: 'north', name: 'North', company: null, vatNumber: null, country: null },
      currency: 'eur',
      periodFrom: null,
      periodTo: '2026-11-22',
      paidAt: null,
      reference: null,
      amountMinor: 0,
      status: 'draft',
      canceledAt: null,
      cancellationNumber: null,
      lines: names.map((name) => ({
        ...line,
        tenantName: name,
        invoiceNumber: 'IN-1',
        reason: name,
      })),
    }),
  )
  const columns: readonly [string, string[][], string, readonly string[]][] = [
    ['report', reports, 'name', []],
    ['statement', statement, 'customer', ['base', 'amount']],
    ['statement', statement, 'reason', ['base', 'amount']],
  ]
  const wrong: string[] = []
  for (const [what, [header = [], ...rows], column, numbers] of columns) {
    expect(rows.length, what).toBe(count)
    for (const [index, cells] of rows.entries()) {
      const name = names[index] ?? ''
      if (
        cells.length !== header.length ||
        unguarded(cells[header.indexOf(column)] ?? '') !== unguarded(name)
      )
        wrong.push(`${what}: ${JSON.stringify([name, cells])}`)
      const texts = cells.filter((_, at) => !numbers.includes(header[at] ?? ''))
      if (texts.some((cell) => formula.test(cell)))
        wrong.push(`${what}: a formula of ${JSON.stringify(name)}`)
    }
  }
  await recordMeasurement({
    target: 'S8',
    what: 'reports and statements as CSV',
    measured: `${count * 3} values, ${wrong.length} read back otherwise or formulas`,
    reached: wrong.length === 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
})

it('makes mail profiles that hold any name as text', async () => {
  const count = rounds(400, 10_000)
  const wrong: string[] = []
  const kept = (text: string) =>
    text
      .replace(/\p{Surrogate}/gu, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML 1.0 cannot hold
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
  const keys = JSON.stringify(
    shapeOf(
      readPropertyList(
        mailProfile({
          address: 'a@b.test',
          name: 'A',
          organisation: 'B',
          mailHost: 'm.test',
          uuid: () => 'u',
        }),
      ),
    ),
  )
  const values = sample(anyText, count * 2, 23)
  for (let n = 0; n < count; n++) {
    const [name = '', organisation = ''] = [values[n * 2], values[n * 2 + 1]]
    try {
      const profile = readPropertyList(
        mailProfile({
          address: 'a@b.test',
          name,
          organisation,
          mailHost: 'm.test',
          uuid: () => 'u',
        }),
      )
      const { PayloadOrganization, PayloadContent } = profile as {
        PayloadOrganization: string
        PayloadContent: Record<string, string>[]
      }
      if (JSON.stringify(shapeOf(profile)) !== keys)
        wrong.push(`other keys: ${JSON.stringify([name, organisation])}`)
      if (
        PayloadOrganization !== kept(organisation) ||
        PayloadContent[0]?.EmailAccountName !== kept(name)
      )
        wrong.push(JSON.stringify([name, organisation]))
    } catch (error) {
      wrong.push(
        `${JSON.stringify([name, organisation])}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  await recordMeasurement({
    target: 'S8',
    what: 'mail profiles',
    measured: `${count * 2} values, ${wrong.length} read back otherwise`,
    reached: wrong.length === 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
})

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)])
    : typeof value
}
