import { createMigratedDatabase } from '@atrium/db/provision-database'
import pg from 'pg'
import { type AuditRows, loadAuditRows } from './audit-data.ts'
import { loadPopulation, slugOf } from './data.ts'
import { loadSubscriptions, type Subscriptions } from './subscription-data.ts'

/** A house with one number of rows in every table that a list or a read goes to. */
export interface GrownHouse {
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
 * Two databases for one size: people, tenants, memberships of one tenant, audit entries, bookings and payment events, each as many as asked;
 * and a subscription history of about as many states, which brings tenants of its own.
 */
export async function growHouse(adminUrl: string, rows: number): Promise<GrownHouse> {
  const names = [`atrium_growth_${rows}`, `atrium_growth_${rows}_reports`] as const
  const accounts = await createMigratedDatabase(adminUrl, names[0])
  const url = adminUrl.replace(/postgres$/, names[0])
  await loadPopulation(url, { users: rows, tenants: rows })
  const audit = await loadAuditRows(url, rows)
  const made = await loadRest(url, rows)
  await createMigratedDatabase(adminUrl, names[1])
  const subscriptions = await loadSubscriptions(adminUrl.replace(/postgres$/, names[1]), {
    tenants: Math.ceil(rows / statesEach),
    partners: 50,
  })
  return { rows, appUrl: accounts.appUrl, audit, subscriptions, ...made, names }
}

async function loadRest(url: string, rows: number): Promise<Pick<GrownHouse, 'crowdedId' | 'hostId' | 'month'>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // The rows are right by construction, and nothing here needs what they point at.
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = on')
    await client.query(
      `insert into memberships (tenant_id, user_id, role) select t.id, u.id, 'member' from tenants t cross join users u where t.slug = $1
        on conflict do nothing`,
      [slugOf(1)],
    )
    await client.query(
      `insert into webhook_inbox (id, type, object_id, api_version, created, livemode, payload, state, received_at, finished_at)
        select 'evt_' || md5(n::text), 'invoice.paid', 'in_' || n, '2026-10-28.dahlia', now(), false, '{"data": {"object": {"id": "in"}}}', 'applied',
          now() - n * interval '1 second', now() from generate_series(1, $1::int) as n`,
      [rows],
    )
    const { month, hosts } = await loadBookings(client, rows)
    for (const table of ['memberships', 'webhook_inbox', 'bookings', 'booking_hosts']) await client.query(`vacuum analyze ${table}`)
    const { rows: found } = await client.query<{ id: string }>('select id from tenants where slug = $1', [slugOf(1)])
    return { crowdedId: found[0]?.id ?? '', hostId: hosts[0] ?? '', month }
  } finally {
    await client.end()
  }
}

/** One booking a day for each of as many hosts as have a hundred each; the first host has one in a hundred of all. */
async function loadBookings(client: pg.Client, rows: number): Promise<{ month: GrownHouse['month']; hosts: string[] }> {
  const first = Math.floor(Date.now() / day) * day
  const { rows: made } = await client.query<{ id: string }>(`select md5('host' || n)::uuid as id from generate_series(0, 99) as n`)
  await client.query(
    `with days as (
      select n, md5('host' || n % 100)::uuid as host, md5('booking' || n)::uuid as id,
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
  return { month: { start: first, end: first + 30 * day }, hosts: made.map(({ id }) => id) }
}
