import { randomBytes } from 'node:crypto'
import { newManageToken } from '@atrium/api/scheduling/public/manage-token'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestBooking,
} from '@atrium/testing/bookings-test-app'
import { overRest, overTrpc, procedureNames } from '@atrium/testing/calls'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it } from 'vitest'

const testApp: BookingsTestApp = await startBookingsTestApp({ manyChanges: true })
afterAll(() => testApp[Symbol.asyncDispose]())
const { db } = testApp.database
const host = await testApp.newHost()
let day = 0
let eventTypeId = ''
beforeEach(async () => {
  day += 48
  testApp.time.now = testApp.at(day)
  eventTypeId = await testApp.newEventType(host)
})
const book = (hours = 10) => testApp.book({ host, eventTypeId, start: testApp.at(day + hours) })
const forged = () => randomBytes(32).toString('base64url')

it('tokens are 256 bits of chance: none twice, every bit as often set as not', async () => {
  const { keyring } = testApp.config
  if (!keyring) throw new Error('the test app has no keyring')
  const count = rounds(5_000, 200_000)
  const set = new Uint32Array(256)
  const seen = new Set<string>()
  for (let n = 0; n < count; n++) {
    const { token } = newManageToken(keyring, 'a-booking')
    seen.add(token)
    Buffer.from(token, 'base64url').forEach((byte, at) => {
      for (let bit = 0; bit < 8; bit++)
        set[at * 8 + bit] = (set[at * 8 + bit] ?? 0) + ((byte >> bit) & 1)
    })
  }
  // Six standard deviations of a fair coin, over 256 of them: one false alarm in a million runs.
  const farthest = Math.max(
    ...[...set].map((ones) => Math.abs(ones - count / 2) / (Math.sqrt(count) / 2)),
  )
  await recordMeasurement({
    target: 'S20',
    what: 'strength',
    measured: `${count} tokens of 256 bits, ${count - seen.size} twice, farthest bit ${farthest.toFixed(1)} standard deviations from even`,
    reached: seen.size === count && farthest < 6,
  })
  expect(seen.size).toBe(count)
  expect(farthest).toBeLessThan(6)
})

/** Every column of every table that could contain the bytes or the text of a secret. */
async function placesWith(secret: string): Promise<{ columns: number; found: string[] }> {
  const { rows } = await sql<{ schema: string; table: string; column: string; type: string }>`
    select c.table_schema as schema, c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')
      and c.data_type in ('text', 'character varying', 'jsonb', 'json', 'bytea', 'ARRAY')
      and has_column_privilege(format('%I.%I', c.table_schema, c.table_name), c.column_name, 'select')`.execute(
    db,
  )
  const found: string[] = []
  for (const { schema, table, column, type } of rows) {
    const field = sql.ref(column)
    const holds =
      type === 'bytea'
        ? sql<boolean>`position(${Buffer.from(secret, 'base64url')}::bytea in ${field}) > 0 or position(${Buffer.from(secret)}::bytea in ${field}) > 0`
        : sql<boolean>`position(${secret} in ${field}::text) > 0`
    const hit =
      await sql`select 1 from ${sql.table(`${schema}.${table}`)} where ${holds} limit 1`.execute(db)
    if (hit.rows.length > 0) found.push(`${schema}.${table}.${column}`)
  }
  return { columns: rows.length, found }
}

it('neither database nor log contain a token, only its hash', async () => {
  const booking = await book()
  await testApp.visit('GET', '', booking.token)
  await testApp.visit('POST', '/reschedule', booking.token, {
    start: testApp.at(day + 12).toISOString(),
  })
  const { body } = await testApp.act(await testApp.admin(), 'POST', `/${booking.id}/new-link`)
  const places: string[] = []
  let columns = 0
  for (const token of [booking.token, String(body.manageToken)]) {
    expect(token).toMatch(/^[\w-]{43}$/)
    const searched = await placesWith(token)
    columns = searched.columns
    places.push(
      ...searched.found,
      ...testApp.logLines.filter((line) => line.includes(token)).map(() => 'the log'),
    )
  }
  const { manage_hash } = await db
    .selectFrom('bookings')
    .select('manage_hash')
    .where('id', '=', booking.id)
    .executeTakeFirstOrThrow()
  // Shows that the search finds what is there.
  const { found } = await placesWith(manage_hash.toString('base64url'))
  await recordMeasurement({
    target: 'S20',
    what: 'stored as a hash and sealed',
    measured: `${columns} columns of the whole database and ${testApp.logLines.length} log lines searched: ${places.length} places`,
    reached: places.length === 0 && found.includes('public.bookings.manage_hash'),
  })
  expect(places).toEqual([])
  expect(found).toEqual(['public.bookings.manage_hash'])
})

it('a token is worth nothing at any other call, nor an access token at a manage link', async () => {
  const booking = await book()
  const slug = 'acme'
  const input = {
    slug,
    tenantSlug: slug,
    id: booking.id,
    bookingId: booking.id,
    eventTypeId,
    hostId: host.id,
    userId: host.userId,
  }
  const elsewhere = procedureNames.filter((name) => !name.startsWith('scheduling.manage.'))
  const worth: string[] = []
  for (const name of elsewhere) {
    for (const call of [overRest, overTrpc]) {
      await db.deleteFrom('rate_limits').execute()
      const [real, made] = [
        await call(testApp, name, input, booking.token),
        await call(testApp, name, input, forged()),
      ]
      const shown = ({ status, outcome }: typeof real) => `${status} ${outcome}`
      if (shown(real) !== shown(made))
        worth.push(`${name}: ${shown(real)} instead of ${shown(made)}`)
    }
  }
  const others = [
    await testApp.admin(),
    await testApp.member(),
    await testApp.operator(),
    booking.id,
    eventTypeId,
  ]
  for (const token of others) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/calendar.ics', undefined],
      ['POST', '/cancel', {}],
      ['POST', '/guests', { proof: 'x' }],
      ['POST', '/reschedule', { start: testApp.at(day + 14).toISOString() }],
    ] as const) {
      const { status } = await testApp.visit(method, path, token, body)
      if (status !== 404) worth.push(`${method} ${path} with another token: ${status}`)
    }
  }
  await recordMeasurement({
    target: 'S20',
    what: 'useless elsewhere',
    measured: `${elsewhere.length} other procedures over REST and tRPC, ${others.length} other tokens at 5 manage calls: ${worth.length} times worth something`,
    reached: elsewhere.length > 200 && worth.length === 0,
  })
  expect(worth).toEqual([])
  expect(elsewhere.length).toBeGreaterThan(200)
  expect((await testApp.visit('GET', '', booking.token)).status).toBe(200)
})

const opens = async ({ token }: TestBooking) =>
  (await testApp.visit('GET', '', token)).status === 200
const dayAfter = (booking: TestBooking, hours: number) => ({
  booking,
  end: testApp.at(day + hours).getTime() + 30 * 60_000 + 24 * 3_600_000,
})

/** What ends a link, or its power; returns whether something still goes that must not. */
const endings: Record<string, () => Promise<boolean>> = {
  'a day after the end, to the millisecond': async () => {
    const { booking, end } = dayAfter(await book(), 10)
    testApp.time.now = new Date(end - 1)
    const before = await opens(booking)
    testApp.time.now = new Date(end)
    return !before || (await opens(booking))
  },
  'a new link': async () => {
    const booking = await book()
    await testApp.act(await testApp.admin(), 'POST', `/${booking.id}/new-link`)
    return opens(booking)
  },
  'the tenant suspended': async () => {
    const booking = await book()
    await db
      .updateTable('tenants')
      .set({ status: 'suspended' })
      .where('slug', '=', 'acme')
      .execute()
    const open = await opens(booking)
    await db.updateTable('tenants').set({ status: 'active' }).where('slug', '=', 'acme').execute()
    return open
  },
  'the power to change, once it is cancelled': async () => {
    const booking = await book()
    await testApp.visit('POST', '/cancel', booking.token, {})
    const { status } = await testApp.visit('POST', '/reschedule', booking.token, {
      start: testApp.at(day + 16).toISOString(),
    })
    return status < 400
  },
  'the power to change, once it has begun': async () => {
    const booking = await book()
    testApp.time.now = testApp.at(day + 10.2)
    const moved = await testApp.visit('POST', '/reschedule', booking.token, {
      start: testApp.at(day + 16).toISOString(),
    })
    const canceled = await testApp.visit('POST', '/cancel', booking.token, {})
    return moved.status < 400 || canceled.status < 400
  },
}

it('links end, and forged ones never begin', async () => {
  const open: string[] = []
  for (const [what, stillGoes] of Object.entries(endings)) {
    testApp.time.now = testApp.at(day)
    if (await stillGoes()) open.push(what)
    day += 48
    testApp.time.now = testApp.at(day)
    eventTypeId = await testApp.newEventType(host)
  }
  const booking = await book()
  const almost = [...booking.token].map((_, at) => {
    const changed = Buffer.from(booking.token, 'base64url')
    changed[at % 32] = (changed[at % 32] ?? 0) ^ (1 << (at % 8))
    return changed.toString('base64url')
  })
  const guesses = [
    ...almost,
    ...Array.from({ length: rounds(100, 5_000) }, forged),
    booking.token.toLowerCase(),
    `${booking.token}=`,
    ` ${booking.token}`,
  ]
  let guessed = 0
  for (const token of guesses) if ((await testApp.visit('GET', '', token)).status !== 404) guessed++
  await recordMeasurement({
    target: 'S20',
    what: 'they end, and cannot be guessed',
    measured: `${Object.keys(endings).length} endings, ${open.length} still open; ${guesses.length} forged, ${guessed} opened`,
    reached: open.length === 0 && guessed === 0,
  })
  expect(open).toEqual([])
  expect(guessed).toBe(0)
  expect(await opens(booking)).toBe(true)
})
