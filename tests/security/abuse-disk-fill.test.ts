import { randomUUID } from 'node:crypto'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { recordMeasurement } from '@atrium/testing/measurements'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import type { TestApp } from '@atrium/testing/test-app'
import { visit, wish } from '@atrium/testing/visitors'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attack, botAddress, createTally, unique } from './abuse.ts'

let bookings: BookingsTestApp
let members: MembersTestApp
beforeAll(async () => {
  bookings = await startBookingsTestApp()
  members = await startMembersTestApp({ sandbox: { identity: { accessTokenSeconds: 3_600 } } })
}, 120_000)
afterAll(async () => {
  await members[Symbol.asyncDispose]()
  await bookings[Symbol.asyncDispose]()
})

/**
 * Rows and bytes of all tables, counted by content: files grow and shrink by rules of their own.
 */
async function stored({ database: { db } }: TestApp): Promise<{ rows: number; bytes: number }> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables t
    where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'
      and not exists (select from pg_inherits i where i.inhrelid = (quote_ident(table_schema) || '.' || quote_ident(table_name))::regclass)`.execute(
    db,
  )
  const sum = { rows: 0, bytes: 0 }
  for (const { name } of tables) {
    const { rows } = await sql<{ rows: number; bytes: number }>`
      select count(*)::int as rows, coalesce(sum(pg_column_size(t.*)), 0)::int as bytes from ${sql.raw(name)} t`.execute(
      db,
    )
    sum.rows += rows[0]?.rows ?? 0
    sum.bytes += rows[0]?.bytes ?? 0
  }
  return sum
}

it('a stranger from ever new networks stores little per request, however large the request', async () => {
  const host = await bookings.newHost()
  const type = await bookings.newEventType(host)
  const before = await stored(bookings)
  const large = 'x'.repeat(900_000)
  const tally = createTally()
  const tried = await attack(80, async (n) => {
    const address = botAddress()
    const headers = { 'idempotency-key': randomUUID() }
    const wished = wish(type, bookings.at(24 + n))
    const bodies: [string, unknown][] = [
      ['/bookings', { [large]: 1 }],
      ['/bookings', { ...wished, note: large }],
      [
        '/bookings',
        {
          ...wished,
          answers: Object.fromEntries(
            Array.from({ length: 5_000 }, (_, one) => [`q${one}`, 'x'.repeat(100)]),
          ),
        },
      ],
      [
        '/bookings',
        {
          ...wished,
          guests: Array.from({ length: 20_000 }, (_, one) => `g${one}@elsewhere.example`),
        },
      ],
      ['/bookings', { ...wished, start: bookings.at(-5).toISOString() }],
      ['/slot-locks', { eventTypeId: type, start: large }],
      [
        '/slot-locks',
        { eventTypeId: randomUUID(), start: bookings.at(30).toISOString(), [unique()]: large },
      ],
      ['/manage-links', { bookingId: randomUUID(), email: `${'x'.repeat(200)}@elsewhere.example` }],
    ]
    const [path, body] = bodies[n % bodies.length] ?? ['/bookings', {}]
    tally.add(await visit(bookings, 'POST', path, { address, body, headers }))
  })
  const after = await stored(bookings)
  const [rows, bytes] = [(after.rows - before.rows) / tried, (after.bytes - before.bytes) / tried]
  // Counts of address and network in their windows, and nothing of what was sent.
  const most = { rows: 8, bytes: 1_500 }
  await recordMeasurement({
    target: 'S23',
    what: 'disk fill without an account: bodies of up to 900 kB, each from another network with a fresh Idempotency-Key',
    measured: `${tried} requests (${tally.text()}), ${rows.toFixed(1)} rows and ${Math.round(bytes)} bytes each, at most ${most.rows} and ${most.bytes}`,
    reached: rows <= most.rows && bytes <= most.bytes && tally.failed().length === 0,
  })
  expect(rows).toBeLessThanOrEqual(most.rows)
  expect(bytes).toBeLessThanOrEqual(most.bytes)
  expect(tally.failed()).toEqual([])
}, 180_000)

it('an account that anybody can have fills neither the audit log nor the tables with what is rejected', async () => {
  const token = await members.token('newcomer@example.test')
  const before = await stored(members)
  const tally = createTally()
  const tried = await attack(300, async (n) => {
    const large = 'x'.repeat(50_000)
    const calls: [string, string, unknown][] = [
      ['POST', '/tenants/acme/suspend', { reason: 'x'.repeat(400) }],
      ['POST', '/tenants/acme/users', { email: `${unique()}@acme.example`, name: large }],
      ['PATCH', '/tenants/acme', { name: large }],
      ['POST', '/tenants/acme/user-imports', { csv: `email\n${large}`, dryRun: false }],
      [
        'PUT',
        '/tenants/acme/branding',
        { emailTemplates: { 'member.welcome': { subject: 'x', text: large } } },
      ],
      ['POST', '/tenants', { name: '', [unique()]: large }],
    ]
    const [method, path, body] = calls[n % calls.length] ?? ['GET', '/me', undefined]
    tally.add(
      await members.request(method, path, {
        token,
        body,
        headers: { 'idempotency-key': randomUUID() },
      }),
    )
  })
  const after = await stored(members)
  const [rows, bytes] = [after.rows - before.rows, after.bytes - before.bytes]
  // One entry per action and minute, a count of the person and of the token per minute; never more
  // with more requests.
  const minutes = Math.ceil(tried / 300) + 1
  const most = { rows: 40 * minutes, bytes: 20_000 * minutes }
  await recordMeasurement({
    target: 'S23',
    what: 'disk fill with an account: calls that are rejected, with bodies of 50 kB and fresh Idempotency-Keys',
    measured: `${tried} requests (${tally.text()}), ${rows} rows and ${bytes} bytes in all, at most ${most.rows} and ${most.bytes}`,
    reached: rows <= most.rows && bytes <= most.bytes && tally.failed().length === 0,
  })
  expect(rows).toBeLessThanOrEqual(most.rows)
  expect(bytes).toBeLessThanOrEqual(most.bytes)
  expect(tally.failed()).toEqual([])
}, 180_000)
