import { copyDatabase } from '@atrium/testing/postgres/database'
import { directories } from '@atrium/testing/postgres/distribution'
import pg from 'pg'
import { expect, it } from 'vitest'
import { buildOnlineIndexes } from '../../src/schema/online-indexes.ts'

async function owned<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

/** The columns of the primary key of each table, partitions left out. */
const primaryKeys = async (client: pg.Client): Promise<Map<string, string[]>> => {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    select c.conrelid::regclass::text as name, array_agg(a.attname::text order by k.n) as columns
    from pg_constraint c
    join pg_class t on t.oid = c.conrelid and not t.relispartition and t.relnamespace = 'public'::regnamespace
    cross join lateral unnest(c.conkey) with ordinality k(attnum, n)
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
    where c.contype = 'p' group by c.conrelid`)
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

it('a table with a tenant has it in its primary key', async () => {
  await using database = await copyDatabase()
  const missing = await owned(database.ownerUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and a.attnotnull and c.relname <> all($1)
      order by 1`,
      [directories],
    )
    const keys = await primaryKeys(client)
    return rows.map(({ name }) => name).filter((name) => !keys.get(name)?.includes('tenant_id'))
  })
  expect(missing).toEqual([])
})

it('an upgrade replaces the primary key of a table that had it without the tenant, once', async () => {
  await using database = await copyDatabase()
  await owned(database.ownerUrl, async (client) => {
    await client.query(`
      alter table price_moves drop constraint price_moves_key,
        add constraint price_moves_pkey primary key (migration_id, subscription_id);
      drop index price_moves_of_migration;
      alter table invoice_corrections drop constraint invoice_corrections_key,
        add constraint invoice_corrections_pkey primary key (id);
      drop index invoice_corrections_by_id`)
    expect(await buildOnlineIndexes(database.ownerUrl)).toEqual([
      'invoice_corrections_by_id',
      'invoice_corrections_key',
      'price_moves_of_migration',
      'price_moves_key',
    ])
    expect(await buildOnlineIndexes(database.ownerUrl)).toEqual([])
    const keys = await primaryKeys(client)
    expect(keys.get('price_moves')).toEqual(['tenant_id', 'migration_id', 'subscription_id'])
    expect(keys.get('invoice_corrections')).toEqual(['tenant_id', 'id'])
  })
})

it('an upgrade replaces the foreign keys to a table before its primary key, and rejects rows of another tenant', async () => {
  await using database = await copyDatabase()
  await owned(database.ownerUrl, async (client) => {
    await client.query(`
      alter table dunning_cases drop constraint dunning_cases_tenant_subscription_id_fkey;
      alter table price_moves drop constraint price_moves_tenant_subscription_id_fkey;
      alter table subscription_history
        drop constraint subscription_history_tenant_subscription_id_fkey;
      alter table subscriptions drop constraint subscriptions_key,
        add constraint subscriptions_pkey primary key (id);
      alter table dunning_cases add constraint dunning_cases_subscription_id_fkey
        foreign key (subscription_id) references subscriptions;
      alter table price_moves add constraint price_moves_subscription_id_fkey
        foreign key (subscription_id) references subscriptions;
      alter table subscription_history add constraint subscription_history_subscription_id_fkey
        foreign key (subscription_id) references subscriptions`)
    // What a process that was killed between two steps leaves.
    await client.query(`
      create unique index subscriptions_key on subscriptions (id, tenant_id);
      alter table dunning_cases add constraint dunning_cases_tenant_subscription_id_fkey
        foreign key (tenant_id, subscription_id) references subscriptions (tenant_id, id) not valid`)
    expect(await buildOnlineIndexes(database.ownerUrl)).toEqual([])
    const keys = await primaryKeys(client)
    expect(keys.get('subscriptions')).toEqual(['id', 'tenant_id'])
    const { rows } = await client.query<{ name: string }>(`
      select conname::text as name from pg_constraint
      where confrelid = 'subscriptions'::regclass and convalidated order by 1`)
    expect(rows.map(({ name }) => name)).toEqual([
      'dunning_cases_tenant_subscription_id_fkey',
      'price_moves_tenant_subscription_id_fkey',
      'subscription_history_tenant_subscription_id_fkey',
    ])
    await client.query(`alter table tenants disable trigger user`)
    const { rows: made } = await client.query<{ id: string }>(
      `insert into tenants (slug, name) values ('one-tenant', 'One'), ('two-tenant', 'Two') returning id`,
    )
    const [one, two] = made.map(({ id }) => id)
    const { rows: taken } = await client.query<{ id: string }>(
      `insert into subscriptions (tenant_id, plan, cycle, status, source, currency, seats,
         per_seat_amount, period_amount, current_period_start, current_period_end)
       values ($1, 'starter', 'month', 'active', 'manual', 'eur', 1, 100, 100, now(), now())
       returning id`,
      [one],
    )
    await expect(
      client.query(
        `insert into dunning_cases (tenant_id, subscription_id, past_due_since) values ($1, $2, now())`,
        [two, taken[0]?.id],
      ),
    ).rejects.toThrow(/dunning_cases_tenant_subscription_id_fkey/)
  })
})

it('a part takes the tenant of its whole when a statement does not name it', async () => {
  await using database = await copyDatabase()
  await owned(database.ownerUrl, async (client) => {
    await client.query(`alter table tenants disable trigger user`)
    const { rows } = await client.query<{ matches: boolean }>(`
      with tenant as (insert into tenants (slug, name) values ('of-parts', 'Parts') returning id)
      insert into mail_lists (tenant_id, address, name)
        select id, 'all@parts.test', 'All' from tenant returning true as matches`)
    expect(rows).toEqual([{ matches: true }])
    const part = await client.query<{ matches: boolean }>(`
      insert into mail_list_recipients (list_id, address) select id, 'one@parts.test' from mail_lists
      returning tenant_id = (select tenant_id from mail_lists) as matches`)
    expect(part.rows).toEqual([{ matches: true }])
    await expect(
      client.query(`
        insert into mail_list_recipients (tenant_id, list_id, address)
        select new_id(), id, 'two@parts.test' from mail_lists`),
    ).rejects.toThrow(/mail_list_recipients_tenant_list_id_fkey/)
  })
})
