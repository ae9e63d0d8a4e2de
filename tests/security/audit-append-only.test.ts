import { recordMeasurement } from '@atrium/testing/measurements'
import { copyDatabase } from '@atrium/testing/postgres/database'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

let accounts: Awaited<ReturnType<typeof copyDatabase>>
let watcher: pg.Client
let partitions: string[]

/** One row each in every partition, written as the service writes them, some of them linked. */
beforeAll(async () => {
  accounts = await copyDatabase()
  watcher = new pg.Client({ connectionString: accounts.appUrl })
  await watcher.connect()
  const found = await watcher.query<{ name: string; bounds: string }>(`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit_events'::regclass order by 1`)
  partitions = found.rows.map(({ name }) => name)
  await watcher.query(`set atrium.audit_chain = 'on'`)
  for (const { bounds } of found.rows) {
    const at = /FROM \('([^']+)'\)/.exec(bounds)?.[1] ?? '2001-01-01'
    for (const name of ['one', 'two'])
      await watcher.query(
        `insert into audit_events (at, actor_type, action, outcome, resource_type, resource_name, source, tenant_slug)
         values ($1::timestamptz + interval '1 hour', 'user', 'tenant.updated', 'success', 'tenant', $2, 'api', 'acme')`,
        [at, name],
      )
  }
})
afterAll(async () => {
  await watcher.end()
  await accounts[Symbol.asyncDispose]()
})

/** Every row, and where it lies. */
async function rows(): Promise<string[]> {
  const { rows: found } = await watcher.query<{ row: string }>(
    `select tableoid::regclass || ' ' || e::text as row from audit_events e order by id, at`,
  )
  return found.map(({ row }) => row)
}

/**
 * Statements that would change, delete or move rows of a table, as an attacker would write them.
 */
const changes = (table: string): string[] => [
  `update ${table} set resource_name = 'forged'`,
  `update only ${table} set resource_name = 'forged'`,
  `update ${table} set at = at - interval '40 days'`,
  `update ${table} set id = gen_random_uuid()`,
  `update ${table} set hash = 'x', prev_hash = 'x'`,
  `update ${table} set resource_name = resource_name`,
  `update ${table} as e set resource_name = 'forged' from (values (1)) v`,
  `update ${table} set metadata = '{"forged":true}' where id = (select id from ${table} limit 1)`,
  `with changed as (update ${table} set resource_name = 'forged' returning 1) select count(*) from changed`,
  `delete from ${table}`,
  `delete from only ${table}`,
  `delete from ${table} using (values (1)) v`,
  `with gone as (delete from ${table} returning *) select count(*) from gone`,
  `truncate ${table}`,
  `truncate only ${table}`,
  `truncate ${table} cascade`,
  `truncate ${table} restart identity`,
  `truncate tenants, ${table} cascade`,
  `merge into ${table} e using (values (1)) v on true when matched then update set resource_name = 'forged'`,
  `merge into ${table} e using (values (1)) v on true when matched then delete`,
  `insert into ${table} select * from ${table} on conflict (id, at) do update set resource_name = 'forged'`,
  `do $$ begin update ${table} set resource_name = 'forged'; end $$`,
  `do $$ declare e record; begin for e in select ctid from ${table} loop delete from ${table} where ctid = e.ctid; end loop; end $$`,
]

/**
 * What allows forging entries, or removes the protection against changes. Only the owner of the
 * tables may, by changing the schema.
 */
const furtherOfApp = (table: string): string[] => [
  `insert into ${table} (id, at, actor_type, action, outcome, resource_type, source) select id, at, 'user', 'x', 'success', 'x', 'api' from ${table}`,
  `insert into ${table} (id, at, actor_type, action, outcome, resource_type, source) overriding system value select id, at, 'user', 'x', 'success', 'x', 'api' from ${table}`,
  `insert into ${table} (at, actor_type, action, outcome, resource_type, source, chain, chain_seq) values (now(), 'user', 'x', 'success', 'x', 'api', 'tenant:acme', 1)`,
  `insert into ${table} (at, actor_type, action, outcome, resource_type, source, hash, prev_hash) values (now(), 'user', 'x', 'success', 'x', 'api', 'x', 'x')`,
  `insert into ${table} select * from ${table}`,
  `insert into ${table} default values`,
  `copy ${table} from program 'echo'`,
  `copy ${table} from '/dev/null'`,
  `copy ${table} to '/dev/null'`,
  `alter table ${table} disable trigger all`,
  `alter table ${table} disable trigger audit_refuse`,
  `alter table ${table} disable trigger user`,
  `alter table ${table} add column forged text`,
  `alter table ${table} drop column hash`,
  `alter table ${table} alter column resource_name type text using 'forged'`,
  `alter table ${table} rename to somewhere_else`,
  `alter table ${table} owner to current_user`,
  `alter table ${table} disable row level security`,
  `alter table ${table} set unlogged`,
  `drop table ${table}`,
  `drop table ${table} cascade`,
  `drop trigger audit_refuse on ${table}`,
  `drop trigger audit_refuse_truncate on ${table}`,
  `create trigger audit_first before update on ${table} for each row execute function audit_refuse()`,
  `create rule audit_rule as on insert to ${table} do instead nothing`,
  `create table forged () inherits (${table})`,
  `grant update on ${table} to atrium_app`,
  `grant all on ${table} to current_user`,
  `select * from ${table} for update`,
  `lock table ${table} in access exclusive mode`,
]

/** About no one table. */
const aroundOfApp = [
  `alter table audit_events detach partition audit_events_default`,
  `create table audit_events_x partition of audit_events for values from ('1990-01-01') to ('1991-01-01')`,
  `set session_replication_role = replica`,
  `set local session_replication_role = replica`,
  `set role atrium_owner`,
  `set session authorization atrium_owner`,
  `alter role current_user superuser`,
  `grant atrium_owner to current_user`,
  `create or replace function audit_refuse() returns trigger language plpgsql as $$ begin return new; end $$`,
  `drop function audit_refuse() cascade`,
  `alter function audit_refuse() owner to current_user`,
  `create function forged() returns void language sql security definer as 'select 1'`,
  `delete from pg_trigger where tgname = 'audit_refuse'`,
  `update pg_trigger set tgenabled = 'D'`,
  `update pg_class set relhastriggers = false where relname like 'audit_events%'`,
  `drop schema public cascade`,
  `drop owned by atrium_owner`,
  `reassign owned by atrium_owner to current_user`,
  `update audit_chain_heads set seq = 0`,
  `delete from audit_chain_heads`,
  `truncate audit_chain_heads`,
  `select audit_chain_link()`,
  `create publication forged for table audit_events`,
]

/** What triggers cannot reject and rights must: the owner is not the superuser either. */
const aroundOfOwner = [
  `set session_replication_role = replica`,
  `set session authorization postgres`,
  `alter role current_user superuser`,
  `update pg_trigger set tgenabled = 'D'`,
  `delete from pg_trigger where tgname = 'audit_refuse'`,
  `copy audit_events from program 'echo'`,
  `copy audit_events to '/dev/null'`,
]

/** What protects the rows: owners, rights, triggers, functions, rules and partitions. */
async function protection(): Promise<string> {
  const { rows: found } = await watcher.query<{ line: string }>(`
    select 'table ' || concat_ws(' ', relname, relkind, relowner, relacl, relhastriggers, relpartbound::text) as line from pg_class where relname like 'audit%'
    union all select concat_ws(' ', 'column', attrelid::regclass, attname, atttypid, attacl) from pg_attribute where attrelid::regclass::text like 'audit%' and attnum > 0
    union all select concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled, tgfoid) from pg_trigger where tgrelid::regclass::text like 'audit%'
    union all select concat_ws(' ', 'function', proname, proowner, proacl, md5(prosrc)) from pg_proc where proname like 'audit%'
    union all select concat_ws(' ', 'rule', ev_class::regclass, rulename) from pg_rewrite where ev_class::regclass::text like 'audit%'
    union all select concat_ws(' ', 'role', rolname, rolsuper, rolcreaterole, (select array_agg(roleid) from pg_auth_members m where m.member = r.oid))
      from pg_roles r where rolname like 'atrium%' order by 1`)
  return found.map(({ line }) => line).join('\n')
}

/**
 * Statements that were carried out, or after which a row or what protects it is another one. Each
 * begins with a session as it was.
 */
async function attempt(url: string, statements: readonly string[]) {
  const taken: string[] = []
  const changed: string[] = []
  let before = await rows()
  const protectedBy = await protection()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) {
    try {
      await client.query(`set statement_timeout = '5s'; set lock_timeout = '1s'`)
      const local = statement.startsWith('set ')
        ? `begin; ${statement}; update audit_events set resource_name = 'forged'; commit`
        : statement
      await client.query(local)
      // A GRANT of what one does not have is a warning to PostgreSQL; that nothing was granted is
      // seen below.
      if (!statement.startsWith('grant ')) taken.push(statement)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
    } finally {
      await client.query('rollback')
      await client.query('discard all')
    }
    const after = await rows()
    if (after.join('\n') !== before.join('\n')) changed.push(statement)
    before = after
  }
  await client.end()
  if ((await protection()) !== protectedBy) changed.push('what protects the rows')
  return { taken, changed }
}

it('has partitions with rows to attack', async () => {
  expect(partitions.length).toBeGreaterThanOrEqual(4)
  expect(partitions).toContain('audit_events_default')
  expect((await rows()).length).toBe(partitions.length * 2)
})

it('rejects the account of the service every change, at the table and at each partition', async () => {
  const tables = ['audit_events', ...partitions]
  const statements = [
    ...tables.flatMap((table) => [...changes(table), ...furtherOfApp(table)]),
    ...aroundOfApp,
  ]
  const { taken, changed } = await attempt(accounts.appUrl, statements)
  await recordMeasurement({
    target: 'S14',
    what: "as the service's account",
    measured: `${statements.length} statements (${changes('x').length + furtherOfApp('x').length} on each of ${tables.length} tables, ${aroundOfApp.length} around), ${taken.length} carried out, ${changed.length} changed a row`,
    reached: taken.length === 0 && changed.length === 0,
  })
  expect([taken, changed]).toEqual([[], []])
})

it("lets the service's account add entries, and nothing besides", async () => {
  const before = await rows()
  // The history of a flag names its entry, so ids may be named; moments come from the clock of the
  // service.
  await watcher.query(
    `insert into audit_events (id, at, actor_type, action, outcome, resource_type, source) values (gen_random_uuid(), now(), 'user', 'x', 'success', 'x', 'api')`,
  )
  const after = await rows()
  const gone = before.filter((row) => !after.includes(row)).length
  await recordMeasurement({
    target: 'S14',
    what: 'what the service may do: add an entry, with an id and a moment of its own',
    measured: `${after.length - before.length} row more, ${gone} changed`,
    reached: after.length === before.length + 1 && gone === 0,
  })
  expect([after.length - before.length, gone]).toEqual([1, 0])
})

it("refuses the owner's account every change of rows, at the table and at each partition", async () => {
  const tables = ['audit_events', ...partitions]
  // A partition whose rows a statement does not reach has nothing to reject.
  const harmless = (statement: string) =>
    /(update|delete from) only audit_events( |$)|truncate only audit_events$/.test(statement)
  const statements = [...tables.flatMap(changes), ...aroundOfOwner]
  const { taken, changed } = await attempt(accounts.ownerUrl, statements)
  const carriedOut = taken.filter((statement) => !harmless(statement))
  await recordMeasurement({
    target: 'S14',
    what: "as the owner's account",
    measured: `${statements.length} statements, ${carriedOut.length} carried out, ${changed.length} changed a row`,
    reached: carriedOut.length === 0 && changed.length === 0,
  })
  expect([carriedOut, changed]).toEqual([[], []])
})

it('protects a partition from the moment it is made', async () => {
  await watcher.query(`select audit_ensure_partitions((now() + interval '9 months')::date)`)
  const { rows: made } = await watcher.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_events'::regclass order by 1`,
  )
  const fresh = made.map(({ name }) => name).filter((name) => !partitions.includes(name))
  expect(fresh.length).toBeGreaterThan(0)
  const name = fresh[0] ?? ''
  const month = name.replace('audit_events_', '')
  await watcher.query(
    `insert into audit_events (at, actor_type, action, outcome, resource_type, source) values ($1, 'user', 'x', 'success', 'x', 'api')`,
    [`${month.slice(0, 4)}-${month.slice(4)}-02`],
  )
  const asApp = await attempt(accounts.appUrl, [...changes(name), ...furtherOfApp(name)])
  const asOwner = await attempt(accounts.ownerUrl, changes(name))
  const count = changes(name).length * 2 + furtherOfApp(name).length
  const outcome = [...asApp.taken, ...asApp.changed, ...asOwner.taken, ...asOwner.changed]
  await recordMeasurement({
    target: 'S14',
    what: 'at a partition that was made a moment ago',
    measured: `${count} statements as both accounts, ${outcome.length} carried out or changed a row`,
    reached: outcome.length === 0,
  })
  expect(outcome).toEqual([])
})

/**
 * What would hide entries from a search by text: values that are gone, changed or not kept, and a
 * fill that says it is done.
 */
const hidingOfApp = [
  ...[
    'insert into audit_values values ($$name$$, $$forged$$)',
    `update audit_values set value = 'forged'`,
    'delete from audit_values',
  ],
  ...[
    'truncate audit_values',
    'lock table audit_values in access exclusive mode',
    'select * from audit_values for update',
  ],
  `merge into audit_values v using (values (1)) x on true when matched then delete`,
  `update audit_values_fill set done = true`,
  ...[
    'delete from audit_values_fill',
    'truncate audit_values_fill',
    'insert into audit_values_fill values (true, now(), null, true)',
  ],
  ...[
    'select audit_note_values()',
    'select audit_values_emptied()',
    'drop trigger audit_note_values on audit_events',
  ],
  'alter table audit_events disable trigger audit_note_values',
  ...[
    'drop index audit_values_text',
    'drop index audit_events_name',
    'drop table audit_values',
    'alter table audit_values disable trigger all',
  ],
  `create or replace function audit_note_values() returns trigger language plpgsql as $$ begin return new; end $$`,
  `set session_replication_role = replica`,
]
const hidingOfOwner = [
  ...[
    `update audit_values set value = 'forged'`,
    'delete from audit_values',
    'delete from only audit_values using (values (1)) v',
  ],
  `update audit_values set spelled = 'forged' where field = 'tenant'`,
  `merge into audit_values v using (values (1)) x on true when matched then update set value = 'forged'`,
  `insert into audit_values select * from audit_values on conflict do nothing; delete from audit_values`,
]

async function values(): Promise<string[]> {
  const { rows: found } = await watcher.query<{
    row: string
  }>(`select v::text as row from audit_values v union all
    select f::text from audit_values_fill f order by 1`)
  return found.map(({ row }) => row)
}

it('allows no one to hide entries from text search', async () => {
  const before = await values()
  expect(before.length).toBeGreaterThan(3)
  const asApp = await attempt(accounts.appUrl, hidingOfApp)
  const asOwner = await attempt(accounts.ownerUrl, hidingOfOwner)
  const outcome = [...asApp.taken, ...asApp.changed, ...asOwner.taken, ...asOwner.changed]
  const same = (await values()).join('\n') === before.join('\n')
  // The owner may empty the values, for people who want to be forgotten: then they count as
  // incomplete until they are filled in again.
  const client = new pg.Client({ connectionString: accounts.ownerUrl })
  await client.connect()
  await client.query('truncate audit_values')
  await client.end()
  const { rows: emptied } = await watcher.query<{ ready: boolean }>(
    `select ready from audit_look_up('%one%', '%one%', '%one%', 9)`,
  )
  await watcher.query('select audit_fill_values(100000)')
  const { rows: filled } = await watcher.query<{ ready: boolean; value: string[] }>(
    `select ready, value from audit_look_up('one', 'one', 'one', 9)`,
  )
  await recordMeasurement({
    target: 'S14',
    what: 'the values that a search by text goes by',
    measured: `${hidingOfApp.length} statements as the service, ${hidingOfOwner.length} as the owner, ${outcome.length} carried out, ${same ? 'no value' : 'values'} changed; emptied by the owner: ${emptied[0]?.ready ? 'still used' : 'not used until filled in'}`,
    reached:
      outcome.length === 0 && same && emptied[0]?.ready === false && filled[0]?.ready === true,
  })
  expect(outcome).toEqual([])
  expect(same).toBe(true)
  expect(emptied).toEqual([{ ready: false }])
  expect(filled).toEqual([{ ready: true, value: ['one'] }])
})
