import pg from 'pg'

interface OnlineIndex {
  name: string
  on: string
  /** Dropped when this one is there. */
  replaces?: string
}

// Everything that the largest amounts of a moment are chosen by and shown with: most rows of the history are passed over, and none of those
// is fetched.
const ranked = 'include (valid_from, valid_to, tenant_id, partner_id, plan, cycle, seats)'

/** Indexes of tables that are in use while they are built: outside of any transaction, so that nobody who writes waits. */
const indexes: readonly OnlineIndex[] = [
  {
    name: 'subscription_history_ranked',
    on: `subscription_history (currency, arr desc) ${ranked} where arr > 0`,
    replaces: 'subscription_history_top',
  },
  {
    name: 'subscription_history_partner_ranked',
    on: `subscription_history (partner_id, currency, arr desc) ${ranked.replace('partner_id, ', '')} where arr > 0 and partner_id is not null`,
    replaces: 'subscription_history_partner_top',
  },
  // Which of a calendar's events are our own, however many bookings a host ever had.
  {
    name: 'booking_hosts_event',
    on: 'booking_hosts (host_id, calendar_event_id) where calendar_event_id is not null',
  },
]

/**
 * Builds the indexes that are missing, and those anew that an earlier try left half-built; one process at a time. Nothing that is read
 * or written needs them but its speed. Answers the names of those it built.
 */
export async function buildOnlineIndexes(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, options: '-c client_min_messages=warning' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('online_indexes'))`)
    const built: string[] = []
    for (const { name, on, replaces } of indexes) {
      const { rows } = await client.query<{ valid: boolean }>(
        'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
        [name],
      )
      if (!rows[0]?.valid) {
        await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`)
        await client.query(`create index concurrently ${pg.escapeIdentifier(name)} on ${on}`)
        built.push(name)
      }
      if (replaces !== undefined) await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(replaces)}`)
    }
    return built
  } finally {
    await client.end()
  }
}
