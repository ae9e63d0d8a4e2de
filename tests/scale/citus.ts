import { setTimeout as delay } from 'node:timers/promises'
import { migrate } from '@atrium/db/schema/migrate'
import { type Distance, distanceOf, measureDistance } from '@atrium/testing/postgres/distribution'
import pg from 'pg'
import type { Check } from './shared-state.ts'

/**
 * Distributes the schema by tenant on a Citus, fills it and asks it. `url`: of a superuser, to an
 * empty database of the coordinator that has the extension and its workers. Throws for a database
 * that has tables.
 */
export async function checkCitus(url: string): Promise<Check[]> {
  const client = new pg.Client({
    connectionString: url,
    // Triggers run on the node that has the rows of their tenant.
    options: '-c citus.enable_unsafe_triggers=on -c client_min_messages=warning',
  })
  await client.connect()
  try {
    await rejectUsed(client)
    await migrate(url)
    const distance = await measureDistance(client)
    const references = await dropReferences(client)
    await createReferenceTables(client)
    const asItIs = await distribute(client)
    const removed = await removeObstacles(client, distance)
    const prepared = await distribute(client)
    const distributed = await countDistributed(client)
    return [
      {
        what: 'tables of tenants, distributed by tenant_id as they are',
        measured: `distance ${distanceOf(distance)}: ${asItIs.done.length} of ${asItIs.done.length + asItIs.failed.length}; not: ${listed(asItIs.failed)}`,
        holds: asItIs.done.length > 0,
      },
      {
        what: 'the same with the tenant added to what the distance names',
        measured: `${distributed} distributed, ${prepared.failed.length} not (${listed(prepared.failed)}), after: ${listed(removed)}`,
        holds: prepared.failed.length === 0,
      },
      await restoreReferences(client, references),
      await checkRouting(client),
      await checkNotify(client, url),
    ]
  } finally {
    await client.end()
  }
}

const listed = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '))

async function rejectUsed(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ nodes: number; tables: number }>(`
    select (select count(*)::int from citus_get_active_worker_nodes()) as nodes,
      (select count(*)::int from pg_tables where schemaname = 'public') as tables`)
  const [found] = rows
  if (!found || found.nodes === 0) throw new Error('CITUS_URL: the coordinator has no workers')
  if (found.tables > 0) throw new Error('CITUS_URL: the database has tables; it must be empty')
}

interface Reference {
  name: string
  table: string
  definition: string
  /** Both tables require the tenant. */
  among: boolean
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

/** Those that tables of tenants reference and that have no tenant, and what these reference. */
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
    rows.map(({ name }) => name),
    (name) => `select create_reference_table(${pg.escapeLiteral(name)})`,
  )
  if (failed.length > 0) throw new Error(`no reference tables: ${listed(failed)}`)
}

interface Attempted {
  done: string[]
  /** Each with the engine's reason. */
  failed: string[]
}

async function distribute(client: pg.Client): Promise<Attempted> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and c.relname not in ('invitations', 'outbox', 'partner_ledger')
      and not exists (select from pg_dist_partition d
        where d.logicalrelid = c.oid and d.partmethod = 'h') order by 1`)
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
async function removeObstacles(client: pg.Client, distance: Distance): Promise<string[]> {
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

async function restoreReferences(
  client: pg.Client,
  references: readonly Reference[],
): Promise<Check> {
  const among = references.filter((reference) => reference.among)
  const lost: string[] = []
  for (const { name, table, definition } of among) {
    const reason = await reasonOf(
      client,
      `alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`,
    )
    if (reason !== undefined) lost.push(`${name} (${reason})`)
  }
  const dropped = references.filter((reference) => !reference.among).map(({ name }) => name)
  return {
    what: 'foreign keys among tables of tenants are there again',
    measured: `${among.length - lost.length} of ${among.length}; not: ${listed(lost)}; dropped because one end is not distributed: ${listed(dropped)}`,
    holds: lost.length === 0,
  }
}

const tenants = 200

/** What is asked by tenant is answered by one shard of one node. */
async function checkRouting(client: pg.Client): Promise<Check> {
  // They check and change tables of tenants, which every copy of a reference table would do.
  await client.query('alter table tenants disable trigger user')
  await client.query(`
    insert into tenants (id, slug, name) select new_id(), 'tenant-' || n, 'Tenant ' || n
      from generate_series(1, ${tenants}) n`)
  const { rows: made } = await client.query<{ id: string }>('select id from tenants order by id')
  let slowest = 0
  const one: string[] = []
  for (const { id } of made) {
    const began = performance.now()
    await client.query('insert into mail_lists (tenant_id, address, name) values ($1, $2, $3)', [
      id,
      `all@${id}.test`,
      'All',
    ])
    await client.query(
      `insert into mail_list_recipients (tenant_id, list_id, address)
       select tenant_id, id, 'one@x.test' from mail_lists where tenant_id = $1`,
      [id],
    )
    slowest = Math.max(slowest, performance.now() - began)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select l.name, r.address from mail_lists l join mail_list_recipients r
       on r.tenant_id = l.tenant_id and r.list_id = l.id where l.tenant_id = '${id}'`,
    )
    if (rows.some((row) => row['QUERY PLAN'].includes('Task Count: 1'))) one.push(id)
  }
  const { rows: spread } = await client.query<{ nodes: number; lists: number }>(`
    select (select count(distinct nodename || nodeport)::int from citus_shards
      where table_name = 'mail_lists'::regclass) as nodes, (select count(*)::int from mail_lists) as lists`)
  const { nodes, lists } = spread[0] ?? { nodes: 0, lists: 0 }
  return {
    what: `lists of ${tenants} tenants are written and joined on one node each`,
    measured: `without the triggers of tenants: ${lists} lists on ${nodes} nodes, ${one.length} joins answered by one task, slowest write of a list ${slowest.toFixed(0)} ms`,
    holds: lists === tenants && one.length === tenants && nodes > 1,
  }
}

/** The statement that the service announces a change with, after a change on a worker. */
async function checkNotify(client: pg.Client, url: string): Promise<Check> {
  const listener = new pg.Client({ connectionString: url })
  await listener.connect()
  const heard: (string | undefined)[] = []
  listener.on('notification', ({ payload }) => heard.push(payload))
  try {
    await listener.query('listen tenant_changed')
    await client.query('begin')
    const { rows } = await client.query<{ id: string }>(`
      update mail_lists set name = 'Everybody'
      where tenant_id = (select id from tenants order by id limit 1) returning tenant_id as id`)
    const id = rows[0]?.id
    await client.query(`select pg_notify('tenant_changed', $1)`, [id])
    await client.query('commit')
    for (let waited = 0; heard.length === 0 && waited < 5000; waited += 50) await delay(50)
    return {
      what: 'a change of a tenant is announced to listeners at the coordinator',
      measured: `${heard.length} of 1 heard`,
      holds: id !== undefined && heard.includes(id),
    }
  } finally {
    await listener.end()
  }
}
