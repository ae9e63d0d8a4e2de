import pg from 'pg'

export interface OnlineIndex {
  name: string
  table: string
  /** What follows the table's name: columns or expressions, INCLUDE, WHERE. */
  of: string
  /**
   * A partitioned table: each partition's index is built by itself, because the table's own cannot
   * be built beside its writers.
   */
  partitioned?: true
  unique?: true
  /** Dropped when this one is there. */
  replaces?: string
  /** A unique constraint of the table that is dropped when this index is there. */
  replacesConstraint?: string
  /**
   * The primary key of the table that this index takes the place of, in one brief statement; the
   * new one has the name of the index. All its columns are `not null`.
   */
  replacesPrimaryKey?: string
  /**
   * Foreign keys to `id` of this table that are replaced by ones to `(tenant_id, id)`. Before the
   * former primary key goes.
   */
  referencedBy?: readonly { table: string; column: string; former: string; cascades?: true }[]
}

export async function isValid(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  )
  return rows[0]?.valid === true
}

type Whole = Pick<OnlineIndex, 'name' | 'table' | 'of' | 'unique'>

export async function rebuild(
  client: pg.Client,
  { name, table, of, unique }: Whole,
): Promise<void> {
  const kind = unique ? 'unique index' : 'index'
  await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`)
  await client.query(
    `create ${kind} concurrently ${pg.escapeIdentifier(name)} on ${pg.escapeIdentifier(table)} ${of}`,
  )
}

async function hasConstraint(client: pg.Client, table: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from pg_constraint where conrelid = to_regclass($1) and conname = $2',
    [table, name],
  )
  return rowCount !== 0
}

export async function replacePrimaryKey(
  client: pg.Client,
  { name, table }: OnlineIndex,
  former: string,
): Promise<void> {
  if (!(await hasConstraint(client, table, former))) return
  const [key, before] = [pg.escapeIdentifier(name), pg.escapeIdentifier(former)]
  await briefly(
    client,
    `alter table ${pg.escapeIdentifier(table)} drop constraint ${before},
       add constraint ${key} primary key using index ${key}`,
  )
}

/**
 * The new foreign key is there and checked before the former goes. It is added unchecked and
 * checked in a second statement, which lets writers go on.
 */
export async function replaceReference(
  client: pg.Client,
  to: string,
  { table, column, former, cascades }: NonNullable<OnlineIndex['referencedBy']>[number],
): Promise<void> {
  if (!(await hasConstraint(client, table, former))) return
  const [child, parent, key] = [table, to, `${table}_tenant_${column}_fkey`].map(
    pg.escapeIdentifier,
  )
  if (!(await hasConstraint(client, table, `${table}_tenant_${column}_fkey`)))
    await briefly(
      client,
      `alter table ${child} add constraint ${key}
         foreign key (tenant_id, ${pg.escapeIdentifier(column)}) references ${parent} (tenant_id, id)
         ${cascades ? 'on delete cascade' : ''} not valid`,
    )
  await client.query(`alter table ${child} validate constraint ${key}`)
  await dropConstraint(client, table, former)
}

export async function dropConstraint(
  client: pg.Client,
  table: string,
  name: string,
): Promise<void> {
  if (!(await hasConstraint(client, table, name))) return
  await briefly(
    client,
    `alter table ${pg.escapeIdentifier(table)} drop constraint if exists ${pg.escapeIdentifier(name)}`,
  )
}

/**
 * The index of the table first, which is of no partition that is there and of every later one; then
 * that of each partition, put under it. With the last it is valid (PostgreSQL, "Table
 * Partitioning", maintenance of indexes).
 */
export async function buildOfPartitions(
  client: pg.Client,
  { name, table, of }: OnlineIndex,
): Promise<void> {
  await briefly(
    client,
    `create index if not exists ${pg.escapeIdentifier(name)} on only ${pg.escapeIdentifier(table)} ${of}`,
  )
  const { rows } = await client.query<{ partition: string }>(
    `select p.relname as partition from pg_inherits i join pg_class p on p.oid = i.inhrelid
     where i.inhparent = to_regclass($1) and not exists (
       select from pg_index x join pg_inherits under on under.inhrelid = x.indexrelid
       where x.indrelid = p.oid and under.inhparent = to_regclass($2)) order by 1`,
    [table, name],
  )
  for (const { partition } of rows) {
    const own = `${partition}_${name.replace(`${table}_`, '')}`
    if (!(await isValid(client, own))) await rebuild(client, { name: own, table: partition, of })
    await briefly(
      client,
      `alter index ${pg.escapeIdentifier(name)} attach partition ${pg.escapeIdentifier(own)}`,
    )
  }
}

/**
 * A statement that is fast once it has its lock. It gives up and retries, so that no one queues
 * behind it.
 */
async function briefly(client: pg.Client, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await client.query(`set lock_timeout = '500ms'`)
    try {
      await client.query(statement)
      return
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '55P03' || attempt === 10)
        throw error
    } finally {
      await client.query('reset lock_timeout')
    }
    await new Promise((done) => setTimeout(done, 250 * attempt))
  }
}
