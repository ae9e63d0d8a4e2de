import { createMigratedDatabase } from '@atrium/db/server/provision-database'
import pg from 'pg'
import { type AuditRows, loadAuditRows } from './audit-data.ts'
import { loadWithoutIndexes, makeId } from './bulk-load.ts'
import { loadPopulation, slugOf } from './data.ts'
import { loadSubscriptions, type Subscriptions } from './subscription-data.ts'

/** A test app with one number of rows in every table that a list or a read goes to. */
export interface GrownWorkplace {
  rows: number
  appUrl: string
  audit: AuditRows
  subscriptions: Subscriptions
  /** The tenant whose members are all people. */
  crowdedId: string
  /** The host of every hundredth booking. */
  hostId: string
  /** A month in which that host has at most as many bookings as there are days. */
  month: { start: number; end: number }
  names: readonly string[]
}

const day = 86_400_000
/** States of a subscription that a tenant has in the middle. */
const statesEach = 7.5

/**
 * Two databases for one size: people, tenants, memberships of one tenant, audit entries, bookings
 * and payment events, each as many as asked; and a subscription history of about as many states,
 * which brings tenants of its own.
 */
export async function growWorkplace(adminUrl: string, rows: number): Promise<GrownWorkplace> {
  const names = [`atrium_growth_${rows}`, `atrium_growth_${rows}_reports`] as const
  const accounts = await createMigratedDatabase(adminUrl, names[0])
  await createMigratedDatabase(adminUrl, names[1])
  const [url, reports] = names.map((name) => adminUrl.replace(/postgres$/, name)) as [
    string,
    string,
  ]
  // What none of the others reads is loaded beside them.
  const [crowdedId, [audit, booked], subscriptions] = await Promise.all([
    loadPeople(url, rows),
    loadAuditRows(url, rows).then(async (loaded) => [loaded, await loadEvents(url, rows)] as const),
    loadSubscriptions(reports, {
      tenants: Math.ceil(rows / statesEach),
      partners: 50,
      withoutHealth: true,
    }),
  ])
  // Else what is measured first writes down pages that the load has left, before it finds room for
  // its own.
  await withClient(adminUrl, (client) => client.query('checkpoint'))
  return { rows, appUrl: accounts.appUrl, audit, subscriptions, crowdedId, ...booked, names }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** People and tenants, and one tenant that all people are members of: its id. */
async function loadPeople(url: string, rows: number): Promise<string> {
  await loadPopulation(url, { users: rows, tenants: rows, crowded: 1 })
  return withClient(url, async (client) => {
    const { rows: found } = await client.query<{ id: string }>(
      'select id from tenants where slug = $1',
      [slugOf(1)],
    )
    return found[0]?.id ?? ''
  })
}

function loadEvents(url: string, rows: number): Promise<Pick<GrownWorkplace, 'hostId' | 'month'>> {
  const tables = ['webhook_inbox', 'bookings', 'booking_hosts']
  return withClient(url, async (client) => {
    // The rows are right by construction, and nothing here needs what they point at.
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = on')
    const booked = await loadWithoutIndexes(client, tables, async () => {
      await client.query(
        `insert into webhook_inbox (id, type, object_id, api_version, created, livemode, payload, state, received_at, finished_at)
          select 'evt_' || md5(n::text), 'invoice.paid', 'in_' || n, '2026-10-28.dahlia', now(), false, '{"data": {"object": {"id": "in"}}}', 'applied',
            now() - n * interval '1 second', now() from generate_series(1, $1::int) as n`,
        [rows],
      )
      return loadBookings(client, rows)
    })
    for (const table of tables) await client.query(`vacuum analyze ${table}`)
    return booked
  })
}

/** One booking a day for each of a hundred hosts, from a month ahead backwards. */
async function loadBookings(
  client: pg.Client,
  rows: number,
): Promise<Pick<GrownWorkplace, 'hostId' | 'month'>> {
  await client.query(makeId)
  const first = Math.floor(Date.now() / day) * day
  const { rows: hosts } = await client.query<{ id: string }>(`select md5('host0')::uuid as id`)
  await client.query(
    `with days as (
      select n, md5('host' || n % 100)::uuid as host, pg_temp.bench_id('booking', n) as id,
        to_timestamp($2::float8 / 1000) + (30 - n / 100) * interval '1 day' + interval '9 hours' as at
      from generate_series(0, $1::int - 1) as n),
    kept as (
      insert into bookings (id, tenant_id, event_type_id, host_id, status, source, uid, title, location_kind, location, start_at, end_at, host_zone,
        host_wall, visitor_name, visitor_email, visitor_zone, visitor_locale, manage_hash)
      select id, host, host, host, 'confirmed', 'public', id::text, 'Introduction', 'video', 'https://meet.example/acme', at, at + interval '30 minutes',
        'UTC', to_char(at, 'YYYY-MM-DD"T"HH24:MI'), 'Vera Visitor', 'vera' || n || '@example.org', 'UTC', 'en', sha256(id::text::bytea) from days)
    insert into booking_hosts (booking_id, host_id, claim_start, claim_end, active, seat_group, calendar_state, calendar_event_id)
    select id, host, at, at + interval '30 minutes', true, id, 'synced', 'event-' || n from days`,
    [rows, first],
  )
  return { hostId: hosts[0]?.id ?? '', month: { start: first, end: first + 30 * day } }
}
