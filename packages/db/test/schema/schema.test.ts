import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/platform/connect.ts'
import { migrate } from '../../src/schema/migrate.ts'
import { newestMigration } from '../../src/schema/newest-migration.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const entry = {
  at: '2026-11-21T10:00:00Z',
  actor_type: 'system',
  action: 'tenant.created',
  outcome: 'success',
  resource_type: 'tenant',
  source: 'job',
  metadata: '{}',
} as const

async function asOwner(statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('migrations', () => {
  it('are all applied, and a second run changes nothing', async () => {
    expect(await migrate(database.ownerUrl)).toEqual([])
    const { rows } = await asOwner('select name from kysely_migration order by name desc limit 1')
    expect(rows[0].name).toBe(newestMigration)
  })

  it('may run in several processes at once', async () => {
    await expect(Promise.all([1, 2, 3].map(() => migrate(database.ownerUrl)))).resolves.toEqual([
      [],
      [],
      [],
    ])
  })
})

describe('foreign keys', () => {
  it('to people, and those of the mails, have an index by which rows are found when somebody is erased', async () => {
    // Conditions of an index that leave out nothing but null do no harm: a key that is looked for
    // is not null.
    const { rows } = await asOwner(`
      select c.conrelid::regclass || ' (' || string_agg(a.attname, ', ' order by k.n) || ')' as missing
      from pg_constraint c
      cross join lateral unnest(c.conkey) with ordinality k(attnum, n)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
      where c.contype = 'f' and (c.confrelid = 'users'::regclass or c.conrelid = 'outbox'::regclass)
        and not exists (
          select from pg_index i where i.indrelid = c.conrelid and i.indisvalid and i.indkey[0] = any(c.conkey)
            and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = '(' || (
              select attname from pg_attribute where attrelid = c.conrelid and attnum = i.indkey[0]) || ' IS NOT NULL)'))
      group by c.oid, c.conrelid order by 1`)
    expect(rows.map(({ missing }) => missing)).toEqual([])
  })
})

describe('audit log', () => {
  it('takes entries of the API into the partition of their month', async () => {
    await database.db
      .insertInto('audit_events')
      .values({ ...entry, at: new Date() })
      .execute()
    const { rows } = await asOwner(
      'select tableoid::regclass::text as partition from audit_events limit 1',
    )
    expect(rows[0].partition).toMatch(/^audit_events_\d{6}$/)
  })

  const changes = [
    `update audit_events set action = 'x'`,
    'delete from audit_events',
    'truncate audit_events',
    `update audit_events_default set action = 'x'`,
    'truncate audit_events_default',
    `truncate audit_events_${new Date().toISOString().slice(0, 7).replace('-', '')}`,
    'drop table audit_events',
  ]
  it.each(changes.slice(0, 6))('rejects the owner: %s', async (statement) => {
    await database.db
      .insertInto('audit_events')
      .values([
        { ...entry, at: new Date() },
        { ...entry, at: '1999-01-01T00:00:00Z' },
      ])
      .execute()
    await expect(asOwner(statement)).rejects.toThrow(/append-only/)
  })
  it.each(changes)('rejects the API: %s', async (statement) => {
    await expect(sql.raw(statement).execute(database.db)).rejects.toThrow(
      /permission denied|must be owner/,
    )
  })

  it('lets the API set no id and no hash', async () => {
    await expect(
      sql`insert into audit_events (at, actor_type, action, outcome, resource_type, source, hash) values (now(), 'system', 'a', 'success', 't', 'job', 'x')`.execute(
        database.db,
      ),
    ).rejects.toThrow(/permission denied/)
  })

  it('makes partitions ahead of time, once', async () => {
    const ensure = () =>
      sql<{
        made: number
      }>`select audit_ensure_partitions((now() + interval '6 months')::date) as made`.execute(
        database.db,
      )
    expect((await ensure()).rows[0]?.made).toBe(3)
    expect((await ensure()).rows[0]?.made).toBe(0)
  })
})

describe('least privilege', () => {
  it.each([
    'create table x (a int)',
    'drop table tenants',
    'alter table tenants add column x int',
    'delete from tenants',
  ])('refuses the API: %s', async (statement) => {
    await expect(sql.raw(statement).execute(database.db)).rejects.toThrow(
      /permission denied|must be owner/,
    )
  })
})

describe('ownership of a tenant', () => {
  async function person(email: string) {
    return database.db
      .insertInto('users')
      .values({ idp_subject_id: email, email, name: email })
      .returning('id')
      .executeTakeFirstOrThrow()
  }
  async function tenant(slug: string, owner: { id: string }) {
    return database.db.transaction().execute(async (trx) => {
      const made = await trx
        .insertInto('tenants')
        .values({ slug, name: slug })
        .returning('id')
        .executeTakeFirstOrThrow()
      await trx
        .insertInto('memberships')
        .values({ tenant_id: made.id, user_id: owner.id, role: 'owner' })
        .execute()
      return made
    })
  }

  it('rejects a tenant without an owner at commit', async () => {
    await expect(
      database.db.insertInto('tenants').values({ slug: 'ownerless', name: 'x' }).execute(),
    ).rejects.toThrow(/has no owner/)
  })

  it('rejects a second owner', async () => {
    const [one, two] = [await person('one@example.test'), await person('two@example.test')]
    const { id } = await tenant('two-owners', one)
    await expect(
      database.db
        .insertInto('memberships')
        .values({ tenant_id: id, user_id: two.id, role: 'owner' })
        .execute(),
    ).rejects.toThrow(/memberships_one_owner/)
  })

  it('rejects to demote or remove the only owner, and allows a transfer in one transaction', async () => {
    const [one, two] = [await person('three@example.test'), await person('four@example.test')]
    const { id } = await tenant('transfer', one)
    const ofOwner = (trx = database.db) =>
      trx.updateTable('memberships').where('tenant_id', '=', id).where('user_id', '=', one.id)
    await expect(ofOwner().set({ role: 'admin' }).execute()).rejects.toThrow(/has no owner/)
    await expect(
      database.db.deleteFrom('memberships').where('tenant_id', '=', id).execute(),
    ).rejects.toThrow(/has no owner/)
    await database.db.transaction().execute(async (trx) => {
      await ofOwner(trx).set({ role: 'admin' }).execute()
      await trx
        .insertInto('memberships')
        .values({ tenant_id: id, user_id: two.id, role: 'owner' })
        .execute()
    })
  })
})

describe('temporary tables', () => {
  it('cannot be made by the account of the API, also after a database that allowed it is migrated again', async () => {
    const owner = new pg.Client({ connectionString: database.ownerUrl })
    await owner.connect()
    await owner.query(
      `do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$`,
    )
    await owner.end()
    await migrate(database.ownerUrl)
    await expect(
      sql`create temporary table kept_for_myself (n int)`.execute(database.db),
    ).rejects.toThrow(/permission denied/)
  })
})

describe('connections', () => {
  it('read by key on a pipeline, several at once', async () => {
    const statement = { name: 'echo', text: 'select $1::int as n' }
    const responses = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => database.read<{ n: number }>(statement, [n])),
    )
    expect(responses.map(([row]) => row?.n)).toEqual([1, 2, 3, 4, 5])
  })

  it('outlive the server ending them', async () => {
    const errors: Error[] = []
    const short = openDatabase({
      url: database.appUrl,
      applicationName: 'short-lived',
      onError: (error) => errors.push(error),
    })
    const statement = { name: 'one', text: 'select 1 as one' }
    await short.read(statement, [])
    await short.db.selectFrom('tenants').select('id').limit(1).execute()
    const admin = new pg.Client({
      connectionString: database.ownerUrl.replace('atrium_owner:atrium', 'postgres'),
    })
    await admin.connect()
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'short-lived'`,
    )
    await admin.end()
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    // The loss may have been noticed on the other connection alone.
    await expect.poll(() => short.read(statement, [])).toEqual([{ one: 1 }])
    await short.close()
  })
})
