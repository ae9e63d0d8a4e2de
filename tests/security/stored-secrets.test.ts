import { createHash, randomUUID } from 'node:crypto'
import { endpointSecretContext } from '@atrium/api/platform/endpoint-secret-context'
import { secretContext, storedCredential } from '@atrium/api/scheduling/calendars/access'
import { rotateKeys } from '@atrium/api/scheduling/calendars/rotate-keys'
import { manageContext, readManageToken } from '@atrium/api/scheduling/public/manage-token'
import { createKeyring, DecryptionError, type Keyring } from '@atrium/db/platform/encryption'
import { findBooking } from '@atrium/db/scheduling/bookings'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { testKey } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'

const key = testKey
const before = createKeyring(`before:${key(1)}`)
const during = createKeyring(`next:${key(2)},before:${key(1)}`)
const after = createKeyring(`next:${key(2)}`)
const canary = 'canary-secret-'
/** As long as a manage token is, and known to this test alone. */
const tokenOf = (id: string) => createHash('sha256').update(`${canary}${id}`).digest('base64url')
const secretOf = (id: string) => `${canary}${id}`

let testApp: BookingsTestApp
let host: TestHost
let hostIds: string[]
let bookingIds: string[]
const perColumn = rounds(300, 50_000)
/** Credentials, links, and the two secrets of an endpoint. */
const stored = perColumn * 2 + 2

beforeAll(async () => {
  testApp = await startBookingsTestApp({ manyChanges: true })
  host = await testApp.newHost()
  const eventTypeId = await testApp.newEventType(host)
  const { db } = testApp.database
  // Hosts who were removed keep their row; so one person can have as many as this asks for.
  const hosts = await sql<{ id: string }>`
    insert into hosts (tenant_id, user_id, slug, name, zone, mail_address, removed_at)
    select ${host.tenantId}, ${host.userId}, 'removed-' || n, 'Removed', 'UTC', 'removed@example.test', now() from generate_series(1, ${perColumn}::int) n
    returning id`.execute(db)
  hostIds = hosts.rows.map(({ id }) => id)
  bookingIds = Array.from({ length: perColumn }, () => randomUUID())
  for (let start = 0; start < perColumn; start += 1_000) {
    const someHosts = hostIds.slice(start, start + 1_000)
    const someBookings = bookingIds.slice(start, start + 1_000)
    await sql`
      insert into mail_credentials (host_id, source, username, secret)
      select * from unnest(${someHosts}::uuid[], ${someHosts.map(() => 'entered')}::text[], ${someHosts.map(() => 'removed@example.test')}::text[],
        ${someHosts.map((id) => before.encrypt(secretOf(id), secretContext(id)))}::bytea[])`.execute(
      db,
    )
    await sql`
      insert into bookings (id, tenant_id, event_type_id, host_id, status, source, uid, title, location_kind, start_at, end_at, host_zone, host_wall,
        visitor_name, visitor_email, visitor_zone, visitor_locale, manage_hash, manage_sealed)
      select b.id, ${host.tenantId}, ${eventTypeId}, ${host.id}, 'confirmed', 'public', b.id || '@acme.test', 'Talk', 'in_person', now(), now() + interval '1 hour',
        'UTC', '2027-01-01T10:00', 'Vera', 'vera@example.org', 'UTC', 'en', sha256(b.sealed), b.sealed
      from unnest(${someBookings}::uuid[], ${someBookings.map((id) => before.encrypt(tokenOf(id), manageContext(id)))}::bytea[]) b(id, sealed)`.execute(
      db,
    )
  }
  await insertEndpoint()
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** An endpoint during the overlap of a rotation has two secrets. */
async function insertEndpoint(): Promise<void> {
  const id = randomUUID()
  const sealed = () => before.encrypt(secretOf(id), endpointSecretContext(id))
  await testApp.database.db
    .insertInto('webhook_endpoints')
    .values({
      id,
      kind: 'tenant',
      tenant_id: host.tenantId,
      url: 'https://hooks.example.com',
      description: '',
      types: [],
      secret: sealed(),
      previous_secret: sealed(),
      previous_ends_at: new Date(Date.now() + 86_400_000),
      created_at: new Date(),
      cursor: '0-0',
    })
    .execute()
}

/** A place where a secret lies, and what opens it. */
interface Place {
  context: string
  sealed: Buffer
}

async function someSealed(count: number): Promise<Place[]> {
  const { db } = testApp.database
  const credentials = await db
    .selectFrom('mail_credentials')
    .select(['host_id', 'secret'])
    .orderBy('host_id')
    .limit(count)
    .execute()
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'secret', 'previous_secret'])
    .execute()
  const links = await db
    .selectFrom('bookings')
    .select(['id', 'manage_sealed'])
    .where('manage_sealed', 'is not', null)
    .orderBy('id')
    .limit(count)
    .execute()
  return [
    ...credentials.map(({ host_id: id, secret }) => ({
      context: secretContext(id),
      sealed: secret,
    })),
    ...endpoints.flatMap(({ id, secret, previous_secret: previous }) =>
      [secret, previous ?? Buffer.of()].map((sealed) => ({
        context: endpointSecretContext(id),
        sealed,
      })),
    ),
    ...links.map(({ id, manage_sealed: sealed }) => ({
      context: manageContext(id),
      sealed: sealed ?? Buffer.of(),
    })),
  ]
}

function opens(keyring: Keyring, sealed: Uint8Array, context: string): boolean {
  try {
    keyring.decrypt(sealed, context)
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

it('knows every column that holds bytes', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' order by 1`.execute(testApp.database.db)
  const hashes = [
    'access_links.token_hash',
    'address_claims.link_hash',
    'address_claims.new_hash',
    'bookings.manage_hash',
    'bookings.request_hash',
    'invitations.token_hash',
    'mail_profile_links.token_hash',
    'partner_transfers.code_hash',
    'service_tokens.previous_hash',
    'service_tokens.secret_hash',
    'slot_locks.holder_hash',
    'web_sessions.token_hash',
  ]
  const sealed = [
    'bookings.manage_sealed',
    'idempotency_keys.sealed',
    'mail_credentials.secret',
    'web_sessions.tokens',
    'webhook_endpoints.previous_secret',
    'webhook_endpoints.secret',
  ]
  expect(rows.map(({ name }) => name)).toEqual([...hashes, ...sealed].sort())
})

it('writes all secrets again under the first key while they are read', async () => {
  const app = testApp.app.services
  const kept = app.config
  app.config = { ...kept, keyring: during }
  const pick = (ids: readonly string[]) => ids[Math.floor(Math.random() * ids.length)] ?? ''
  const failures: string[] = []
  let reads = 0
  let rotating = true
  async function read(): Promise<void> {
    while (rotating) {
      const [hostId, bookingId] = [pick(hostIds), pick(bookingIds)]
      try {
        const { credential } = await storedCredential(app, hostId)
        const booking = await findBooking(testApp.database.db, bookingId)
        const token = booking && readManageToken(during, booking)
        if (credential.secret !== secretOf(hostId) || token !== tokenOf(bookingId))
          failures.push(`${hostId} or ${bookingId} read something else`)
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
      }
      reads += 2
      // As requests come, not as fast as one process can ask.
      await new Promise((done) => setTimeout(done, 2))
    }
  }
  const readers = Array.from({ length: 4 }, read)
  const began = performance.now()
  const counts = await rotateKeys(app)
  const seconds = (performance.now() - began) / 1000
  rotating = false
  await Promise.all(readers)
  app.config = { ...kept, keyring: after }
  const again = await rotateKeys(app)
  const left = (await someSealed(perColumn + 2)).filter(
    ({ sealed, context }) => !opens(after, sealed, context),
  ).length
  app.config = kept
  await recordMeasurement({
    target: 'S15',
    what: 'rows rotated while they were read',
    measured: `${counts.renewed} rows in ${seconds.toFixed(1)} s, ${reads} reads meanwhile, ${failures.length} failed; ${left} that the new key alone does not open`,
    // The host of the workplace and its credential have another key: they are the ones that cannot
    // be decrypted.
    reached: failures.length === 0 && counts.renewed === stored && left === 1 && reads > 0,
  })
  expect(failures.slice(0, 3)).toEqual([])
  expect(reads).toBeGreaterThan(0)
  expect(counts).toEqual({ renewed: stored, unreadable: 1 })
  expect(again).toEqual({ renewed: 0, unreadable: 1 })
  expect(left).toBe(1)
})

it('opens no secret in another place, and none that was changed', async () => {
  const keyring = createKeyring(`next:${key(2)},before:${key(1)},test:${key(7)}`)
  const places = await someSealed(rounds(40, 300))
  const contexts = [
    ...places.map(({ context }) => context),
    'web_sessions.tokens:1',
    'mail_credentials.secret:',
    '',
    ...places.map(({ context }) => context.toUpperCase()),
  ]
  let [tried, opened] = [0, 0]
  for (const { sealed, context: own } of places) {
    expect(opens(keyring, sealed, own)).toBe(true)
    for (const context of contexts) {
      if (context === own) continue
      tried += 1
      if (opens(keyring, sealed, context)) opened += 1
    }
  }
  let [changed, stillOpen] = [0, 0]
  for (const { sealed, context } of places.slice(0, rounds(6, 60))) {
    for (let at = 0; at < sealed.length; at++) {
      for (const bit of [1, 128]) {
        const bytes = Buffer.from(sealed)
        bytes[at] = (bytes[at] ?? 0) ^ bit
        changed += 1
        if (opens(keyring, bytes, context)) stillOpen += 1
      }
      changed += 1
      if (opens(keyring, sealed.subarray(0, at), context)) stillOpen += 1
    }
    // The header of one, the rest of another: the key's id is bound as well.
    const relabelled = Buffer.concat([
      Buffer.from([1, 6]),
      Buffer.from('before'),
      sealed.subarray(2 + (sealed[1] ?? 0)),
    ])
    changed += 1
    if (opens(keyring, relabelled, context)) stillOpen += 1
  }
  await recordMeasurement({
    target: 'S15',
    what: 'secrets moved to other rows, columns and tenants, or changed',
    measured: `${tried} moved, ${opened} opened; ${changed} changed, cut or relabelled, ${stillOpen} opened`,
    reached: opened === 0 && stillOpen === 0 && tried > 1_000,
  })
  expect([opened, stillOpen]).toEqual([0, 0])
  expect(tried).toBeGreaterThan(1_000)
})

it('rejects a secret that was put into the row of another tenant', async () => {
  const { db } = testApp.database
  const globex = await db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', 'globex')
    .executeTakeFirstOrThrow()
  const foreign = await sql<{ id: string }>`
    insert into hosts (tenant_id, user_id, slug, name, zone, mail_address, removed_at)
    values (${globex.id}, ${host.userId}, 'thief', 'Thief', 'UTC', 'thief@example.test', now()) returning id`.execute(
    db,
  )
  const [{ id } = { id: '' }] = foreign.rows
  const { secret } = await db
    .selectFrom('mail_credentials')
    .select('secret')
    .where('host_id', '=', hostIds[0] ?? '')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('mail_credentials')
    .values({ host_id: id, source: 'entered', username: 'thief@example.test', secret })
    .execute()
  const app = testApp.app.services
  const kept = app.config
  app.config = { ...kept, keyring: during }
  const outcome = await storedCredential(app, id).then(
    () => 'opened',
    (error: { code?: string }) => error.code,
  )
  app.config = kept
  await recordMeasurement({
    target: 'S15',
    what: "another tenant's row",
    measured: `a copied credential: ${outcome}`,
    reached: outcome === 'calendar_unavailable',
  })
  expect(outcome).toBe('calendar_unavailable')
})

it('shows no secret in logs, nor in any column of the database', async () => {
  const { db } = testApp.database
  const tables = await sql<{ name: string }>`
    select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition`.execute(
    db,
  )
  const tokens = bookingIds.slice(0, rounds(100, 2_000)).map(tokenOf)
  const secrets = [canary, ...tokens]
  const places: string[] = []
  for (const { name } of tables.rows) {
    if (name.startsWith('kysely_')) continue
    // Not all at once: a statement ends after 15 s.
    for (let start = 0; start < secrets.length; start += 100) {
      const patterns = secrets.slice(start, start + 100).map((secret) => `%${secret}%`)
      const { rows } = await sql<{ found: number }>`
        select count(*)::int as found from ${sql.table(name)} t where t::text like any(${patterns})`.execute(
        db,
      )
      if (rows[0]?.found !== 0) places.push(name)
    }
  }
  const log = testApp.logLines.join('')
  const logged = [key(1), key(2), ...secrets].filter((text) => log.includes(text))
  await recordMeasurement({
    target: 'S15',
    what: 'secrets in the clear',
    measured: `${tokens.length + perColumn} secrets looked for in ${tables.rows.length} tables and ${testApp.logLines.length} log lines: ${places.length + logged.length} found`,
    reached: places.length === 0 && logged.length === 0 && testApp.logLines.length > 0,
  })
  expect([places, logged]).toEqual([[], []])
  expect(testApp.logLines.length).toBeGreaterThan(0)
})
