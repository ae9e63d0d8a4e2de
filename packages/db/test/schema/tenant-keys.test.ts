import { copyDatabase } from '@atrium/testing/postgres/database'
import pg from 'pg'
import { expect, it } from 'vitest'
import { buildOnlineIndexes } from '../../src/schema/online-indexes.ts'

// Tables from before the rule. Nothing is added here.
const withoutTenant: readonly string[] = [
  ...['availability_schedules', 'billing_differences', 'bookings', 'domains', 'dunning_cases'],
  ...['event_types', 'hosts', 'invoices', 'mail_lists', 'member_imports', 'plan_grants'],
  ...['report_changes', 'sso_apps', 'subscription_history', 'subscriptions', 'tenant_partners'],
  ...['trial_uses', 'vat_checks'],
]

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
    const { rows } = await client.query<{ name: string }>(`
      select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and a.attnotnull
      order by 1`)
    const keys = await primaryKeys(client)
    return rows.map(({ name }) => name).filter((name) => !keys.get(name)?.includes('tenant_id'))
  })
  expect(missing).toEqual(withoutTenant)
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
