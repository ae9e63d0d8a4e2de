import { migrate } from '@atrium/db/schema/migrate'
import { type Distance, directories, measureDistance } from '@atrium/testing/postgres/distribution'
import pg from 'pg'

/** A foreign key to a table of tenants. */
export interface Reference {
  name: string
  table: string
  definition: string
  /** Both tables require the tenant. */
  among: boolean
}

export interface Attempted {
  done: string[]
  /** Each with the engine's reason. */
  failed: string[]
}

export interface DistributedSchema {
  distance: Distance
  asItIs: Attempted
  /** Keys and indexes that the tenant was added to, by name. */
  widened: string[]
  prepared: Attempted
  distributed: number
  references: Reference[]
  /** Foreign keys that the engine did not take back, each with its reason. */
  lost: string[]
}

/** A superuser's connection to a coordinator. */
export async function connectToCitus(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    // Triggers run on the node that has the rows of their tenant.
    options: '-c citus.enable_unsafe_triggers=on -c client_min_messages=warning',
  })
  await client.connect()
  return client
}

/**
 * Migrates the empty database of a coordinator and distributes its tables of tenants by
 * `tenant_id`. Throws for a database that has tables, and for a coordinator without workers.
 */
export async function distributeSchema(client: pg.Client, url: string): Promise<DistributedSchema> {
  await rejectUsed(client)
  await migrate(url)
  const distance = await measureDistance(client)
  await dropCrossingTriggers(client, distance)
  const references = await dropReferences(client)
  await createReferenceTables(client)
  const asItIs = await distribute(client)
  const widened = await widenKeys(client, distance)
  const prepared = await distribute(client)
  const distributed = await countDistributed(client)
  const lost = await restoreReferences(client, references)
  return { distance, asItIs, widened, prepared, distributed, references, lost }
}

/** Citus rejects triggers of reference tables, and each copy of such a table would run them. */
async function dropCrossingTriggers(client: pg.Client, distance: Distance): Promise<void> {
  for (const item of distance.crossingTriggers) {
    const [table = '', trigger = ''] = item.split('.')
    await client.query(
      `drop trigger ${pg.escapeIdentifier(trigger)} on ${pg.escapeIdentifier(table)}`,
    )
  }
  // It writes a directory for the version before.
  await client.query('drop trigger keep_proven_domain on domains')
  // They hand a row on to a function, and a row of a shard has another type.
  for (const trigger of ['keep_subscription_history', 'keep_subscription_history_of_new'])
    await client.query(`drop trigger ${trigger} on subscriptions`)
}

async function rejectUsed(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ nodes: number; tables: number }>(`
    select (select count(*)::int from citus_get_active_worker_nodes()) as nodes,
      (select count(*)::int from pg_tables where schemaname = 'public') as tables`)
  const [found] = rows
  if (!found || found.nodes === 0) throw new Error('CITUS_URL: the coordinator has no workers')
  if (found.tables > 0) throw new Error('CITUS_URL: the database has tables; it must be empty')
}

/**
 * Drops foreign keys to tables of tenants: Citus distributes neither end before the other. Returns
 * them.
 */
async function dropReferences(client: pg.Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(`
    select f.conname as name, f.conrelid::regclass::text as "table",
      pg_get_constraintdef(f.oid) as definition,
      exists (select from pg_attribute o where o.attrelid = f.conrelid and o.attname = 'tenant_id'
        and o.attnum = any(f.conkey)) and f.conrelid::regclass::text not in ('outbox', 'partner_ledger')
        as among
    from pg_constraint f
    join pg_attribute a on a.attrelid = f.confrelid and a.attname = 'tenant_id' and a.attnotnull
    where f.contype = 'f' order by 1`)
  for (const { table, name } of rows)
    await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`)
  return rows
}

/** Of people and prices: statements join them with tables of tenants. */
const joined = [
  'former_file_accounts',
  'identity_dues',
  'price_amounts',
  'temporary_passwords',
  'user_readings',
]

/**
 * Those that tables of tenants reference and that have no tenant, what these reference, what is
 * joined with them, and the directories.
 */
async function createReferenceTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    with recursive referenced as (
      select f.confrelid as oid from pg_constraint f
        join pg_attribute a on a.attrelid = f.conrelid and a.attname = 'tenant_id'
        where f.contype = 'f'
      union
      select f.confrelid from pg_constraint f join referenced r on r.oid = f.conrelid
        where f.contype = 'f')
    select oid::regclass::text as name from referenced order by 1`)
  const { failed } = await attempt(
    client,
    [...new Set([...rows.map(({ name }) => name), ...joined, ...directories])],
    (name) => `select create_reference_table(${pg.escapeLiteral(name)})`,
  )
  if (failed.length > 0) throw new Error(`no reference tables: ${failed.join(', ')}`)
}

/**
 * What stays on the coordinator though it has a tenant: mails and ledger entries may be the
 * platform's or a partner's, and the order of events is that of one server's transactions.
 */
const onCoordinator = ['events', 'outbox', 'partner_ledger']

/** Distributes the tables that require the tenant. */
async function distribute(client: pg.Client): Promise<Attempted> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnotnull
     where c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace and c.relname <> all($1)
       and not exists (select from pg_dist_partition d
         where d.logicalrelid = c.oid and d.partmethod = 'h') order by 1`,
    [[...onCoordinator, ...directories]],
  )
  return attempt(
    client,
    rows.map(({ name }) => name),
    (name) => `select create_distributed_table(${pg.escapeLiteral(name)}, 'tenant_id')`,
  )
}

/** In rounds, because a table may need another one first. */
async function attempt(
  client: pg.Client,
  names: readonly string[],
  statement: (name: string) => string,
): Promise<Attempted> {
  const done: string[] = []
  let left = names.map((name) => ({ name, reason: '' }))
  for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before; ) {
    before = left.length
    const again: typeof left = []
    for (const { name } of left) {
      const reason = await reasonOf(client, statement(name))
      if (reason === undefined) done.push(name)
      else again.push({ name, reason })
    }
    left = again
  }
  return { done, failed: left.map(({ name, reason }) => `${name} (${reason})`) }
}

/** The engine's reason for rejecting the statement; undefined when it does not. */
async function reasonOf(client: pg.Client, statement: string): Promise<string | undefined> {
  try {
    await client.query(statement)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Adds the tenant to the keys that the distance names. Returns their names. */
async function widenKeys(client: pg.Client, distance: Distance): Promise<string[]> {
  const tables = ['booking_hosts', 'invoice_reversals', 'mail_credentials']
  const { rows } = await client.query<{
    name: string
    table: string
    definition: string
    index: string
    constraint: boolean
  }>(
    `select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as "table",
       pg_get_indexdef(i.indexrelid) as index, pg_get_constraintdef(k.oid) as definition,
       k.oid is not null as constraint
     from pg_index i left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
     where i.indexrelid::regclass::text = any($1)
       or i.indrelid::regclass::text = any($2) and (i.indisunique or i.indisexclusion)`,
    [distance.uniqueIndexes, tables],
  )
  for (const { name, table, definition, index, constraint } of rows) {
    await client.query(
      constraint ? `alter table ${table} drop constraint ${name}` : `drop index ${name}`,
    )
    await client.query(
      constraint
        ? `alter table ${table} add constraint ${name} ${definition.replace('(', definition.startsWith('EXCLUDE') ? '(tenant_id with =, ' : '(tenant_id, ')}`
        : index.replace('(', '(tenant_id, '),
    )
  }
  return rows.map(({ name }) => name).sort()
}

async function countDistributed(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_dist_partition where partmethod = 'h'`,
  )
  return rows[0]?.count ?? 0
}

/**
 * Adds those among tables of tenants again. Returns those that the engine rejects, with its reason.
 */
async function restoreReferences(
  client: pg.Client,
  references: readonly Reference[],
): Promise<string[]> {
  const lost: string[] = []
  for (const { name, table, definition } of references.filter(({ among }) => among)) {
    const reason = await reasonOf(
      client,
      `alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`,
    )
    if (reason !== undefined) lost.push(`${name} (${reason})`)
  }
  return lost
}
