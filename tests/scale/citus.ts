import { setTimeout as delay } from 'node:timers/promises'
import { distanceOf } from '@atrium/testing/postgres/distribution'
import pg from 'pg'
import { carryOutOnCitus } from './citus-calls.ts'
import { connectToCitus, type DistributedSchema, distributeSchema } from './citus-schema.ts'
import { planStatements } from './citus-statements.ts'
import type { Check } from './shared-state.ts'

/**
 * Distributes the schema by tenant on a Citus, fills it and asks it. `url`: of a superuser, to an
 * empty database of the coordinator that has the extension and its workers. Throws for a database
 * that has tables.
 */
export async function checkCitus(url: string): Promise<Check[]> {
  const client = await connectToCitus(url)
  try {
    const schema = await distributeSchema(client, url)
    return [
      ...ofSchema(schema),
      await checkCalls(url),
      await checkRouting(client),
      await checkNotify(client, url),
      await checkStatements(client),
    ]
  } finally {
    await client.end()
  }
}

const listed = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '))

function ofSchema(schema: DistributedSchema): Check[] {
  const { distance, asItIs, widened, prepared, distributed, references, lost } = schema
  const among = references.filter((reference) => reference.among)
  const dropped = references.filter((reference) => !reference.among).map(({ name }) => name)
  return [
    {
      what: 'tables of tenants, distributed by tenant_id as they are',
      measured: `distance ${distanceOf(distance)}: ${asItIs.done.length} of ${asItIs.done.length + asItIs.failed.length}; not: ${listed(asItIs.failed)}`,
      holds: asItIs.done.length > 0,
    },
    {
      what: 'the same with the tenant added to what the distance names',
      measured: `${distributed} distributed, ${prepared.failed.length} not (${listed(prepared.failed)}), after: ${listed(widened)}`,
      holds: prepared.failed.length === 0,
    },
    {
      what: 'foreign keys among tables of tenants are there again',
      measured: `${among.length - lost.length} of ${among.length}; not: ${listed(lost)}; dropped because one end is not distributed: ${listed(dropped)}`,
      holds: lost.length === 0,
    },
  ]
}

const tenants = 200

/** What is asked by tenant is answered by one shard of one node. */
async function checkRouting(client: pg.Client): Promise<Check> {
  // They check and change tables of tenants, which every copy of a reference table would do.
  await client.query('alter table tenants disable trigger user')
  await client.query(`
    insert into tenants (id, slug, name) select new_id(), 'routed-' || n, 'Tenant ' || n
      from generate_series(1, ${tenants}) n`)
  const { rows: made } = await client.query<{ id: string }>(
    `select id from tenants where slug like 'routed-%' order by id`,
  )
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
      where table_name = 'mail_lists'::regclass) as nodes, (select count(*)::int from mail_lists where address like 'all@%') as lists`)
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
      where tenant_id = (select id from tenants where slug like 'routed-%' limit 1) returning tenant_id as id`)
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

/** The answers are not compared: without its triggers the database writes no history. */
async function checkCalls(url: string): Promise<Check> {
  const { procedures, succeeded, failed } = await carryOutOnCitus(url)
  const byReason = Map.groupBy(failed, ({ reason }) => reason)
  const reasons = [...byReason]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(
      ([reason, of]) => `${of.length} × ${reason} (${of.map((one) => one.procedure).join(', ')})`,
    )
  return {
    what: 'calls of every procedure, carried out on it',
    measured: `those of ${succeeded} of ${procedures} procedures; not: ${listed(reasons)}`,
    holds: failed.length === 0,
  }
}

async function checkStatements(client: pg.Client): Promise<Check> {
  const { procedures, whole, statements, planned, rejected } = await planStatements(client)
  const reasons = rejected.map(([reason, count]) => `${count} × ${reason}`)
  return {
    what: 'statements of every procedure that the engine plans',
    measured: `${planned} of ${statements}; all of ${whole} of ${procedures} procedures; not: ${listed(reasons)}`,
    holds: planned === statements,
  }
}
