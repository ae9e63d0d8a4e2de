import { randomBytes } from 'node:crypto'
import pg from 'pg'

const cancelReasons = ['too_expensive', 'switched_service', null]

/**
 * Customers of the partner north who paid for two years: some grew, some left, one pays in dollars.
 * Returns the name of the largest, whose revenue began eleven months ago.
 */
export async function sellForTwoYears(
  database: string,
  { customers = 9 } = {},
): Promise<{ largest: string; slug: string }> {
  const client = new pg.Client(database)
  await client.connect()
  try {
    const mark = randomBytes(3).toString('hex')
    const { rows } = await client.query<{ id: string }>(
      `select id from partners where slug = 'north'`,
    )
    for (let n = 0; n < customers; n++) await sell(client, { n, mark, partner: rows[0]?.id ?? '' })
    const largest = `Harbour ${mark} 1`
    return { largest, slug: `harbour-${mark}-1` }
  } finally {
    await client.end()
  }
}

async function sell(
  client: pg.Client,
  { n, mark, partner }: { n: number; mark: string; partner: string },
): Promise<void> {
  const slug = `harbour-${mark}-${n + 1}`
  const since = monthsAgo(n === 0 ? 11 : 2 + ((n * 7) % 22))
  await client.query('begin')
  const person = await client.query<{ id: string }>(
    'insert into users (idp_subject_id, email, name) values ($1, $2, $3) returning id',
    [`${slug}-owner`, `owner@${slug}.test`, `Owner of ${slug}`],
  )
  const tenant = await client.query<{ id: string }>(
    `insert into tenants (slug, name, plan, partner_id, seats, status) values ($1, $2, $3, $4, $5, 'active') returning id`,
    [slug, `Harbour ${mark} ${n + 1}`, n % 2 === 0 ? 'business' : 'starter', partner, 10],
  )
  const [owner, id] = [person.rows[0]?.id, tenant.rows[0]?.id]
  await client.query(
    `insert into memberships (tenant_id, user_id, role) values ($1, $2, 'owner')`,
    [id, owner],
  )
  await client.query(
    `insert into provisioning_steps (tenant_id, step, state, attempt, started_at, finished_at)
      select $1, step, 'skipped', 1, now(), now() from unnest(array['identity', 'mail', 'files']) as step on conflict do nothing`,
    [id],
  )
  const sold = await client.query<{ id: string }>(
    `insert into subscriptions (tenant_id, source, plan, cycle, currency, per_seat_amount, seats, status, state_since)
      values ($1, 'manual', $2, 'month', $3, $4, $5, 'active', $6) returning id`,
    [
      id,
      n % 2 === 0 ? 'business' : 'starter',
      n === 4 ? 'usd' : 'eur',
      n % 2 === 0 ? 1900 : 900,
      n === 0 ? 90 : 6 + n,
      since,
    ],
  )
  const change = (months: number, assignments: string) =>
    client.query(`update subscriptions set ${assignments}, state_since = $2 where id = $1`, [
      sold.rows[0]?.id,
      monthsAgo(months),
    ])
  if (n % 3 === 0) await change(1, 'seats = seats + 8')
  if (n % 4 === 3)
    await change(1, `status = 'canceled', cancel_reason = ${quoted(cancelReasons[n % 3])}`)
  if (n === 5) await change(0, `status = 'past_due'`)
  await client.query('commit')
}

function quoted(reason: string | null | undefined): string {
  return reason ? `'${reason}'` : 'null'
}

/** The third of a month, or, of this one, an hour ago. */
function monthsAgo(months: number): Date {
  const now = new Date()
  return months === 0
    ? new Date(now.getTime() - 3_600_000)
    : new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 3, 9))
}
