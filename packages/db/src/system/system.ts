import type { Backlog, FailureKind } from '@atrium/core/system/system'
import { sql } from 'kysely'
import { type Database, type Db, listeningTo } from '../platform/connect.ts'
import { jobSchema } from '../platform/jobs.ts'

export interface QueueFigures {
  name: string
  waiting: number
  later: number
  running: number
  failed: number
  oldestAt: Date | null
}

/**
 * Depth of every queue of the job engine, by name, including empty queues. Finished jobs are kept
 * for an hour.
 */
export async function readQueues(db: Db): Promise<QueueFigures[]> {
  const jobs = sql.id(jobSchema, 'job')
  // Plain SQL: the tables belong to the job engine and are not in our types.
  const { rows } = await sql<QueueFigures>`
    select q.name,
      count(*) filter (where j.state in ('created', 'retry') and j.start_after <= clock_timestamp())::int as waiting,
      count(*) filter (where j.state in ('created', 'retry') and j.start_after > clock_timestamp())::int as later,
      count(*) filter (where j.state = 'active')::int as running,
      count(*) filter (where j.state = 'failed' and j.completed_on > clock_timestamp() - interval '1 hour')::int as failed,
      min(j.start_after) filter (where j.state in ('created', 'retry') and j.start_after <= clock_timestamp()) as "oldestAt"
    from ${sql.id(jobSchema, 'queue')} q left join ${jobs} j on j.name = q.name and j.state in ('created', 'retry', 'active', 'failed')
    group by q.name order by q.name`.execute(db)
  return rows
}

export type BacklogFigures = Omit<Backlog, 'oldestAt'> & { oldestAt: Date | null }

// The words of the partial index memberships_unfinished: with others the server would read every
// membership there is.
const unfinishedMember = sql<boolean>`(m.identity_state in ('pending', 'error') or m.mail_state in ('pending', 'error')
  or m.files_state in ('pending', 'error') or m.status in ('provisioning', 'removing'))`

/**
 * What waits and what failed in rows of our own, by the database's clock. Reads along partial
 * indexes of what is unfinished.
 */
export async function readBacklogs(db: Db): Promise<BacklogFigures[]> {
  // Plain SQL: a union of filtered counts, one branch for each kind of row.
  const { rows } = await sql<BacklogFigures>`
    select 'provisioning' as kind, count(*)::int as waiting, count(*) filter (where s.state = 'error')::int as failing, 0 as "gaveUp",
      min(coalesce(s.changed_at, t.created_at)) as "oldestAt"
    from provisioning_steps s join tenants t on t.id = s.tenant_id where s.state in ('pending', 'error') and t.status <> 'deleted'
    union all
    select 'members', count(*)::int,
      count(*) filter (where 'error' in (m.identity_state, m.mail_state, m.files_state))::int, 0, min(m.updated_at)
    from memberships m join tenants t on t.id = m.tenant_id
    where ${unfinishedMember} and t.status <> 'deleted'
    union all
    select 'lists', count(*)::int, count(*) filter (where state = 'error')::int, 0, min(updated_at)
    from mail_lists where state <> 'ok'
    union all
    select 'mails', count(*) filter (where state in ('queued', 'sending', 'failed'))::int, count(*) filter (where state = 'failed')::int,
      count(*) filter (where state = 'gave_up')::int, min(created_at) filter (where state in ('queued', 'sending', 'failed'))
    from outbox where state in ('queued', 'sending', 'failed', 'gave_up')
    union all
    select 'events', count(*) filter (where state in ('received', 'failed'))::int, count(*) filter (where state = 'failed')::int,
      count(*) filter (where state = 'parked')::int, min(received_at) filter (where state in ('received', 'failed'))
    from webhook_inbox where state in ('received', 'failed', 'parked')
    union all
    select 'calendars', count(*) filter (where p.calendar_state = 'pending')::int,
      count(*) filter (where p.calendar_state = 'pending' and p.calendar_error is not null)::int,
      count(*) filter (where p.calendar_state = 'failed' and b.end_at > clock_timestamp())::int,
      min(b.updated_at) filter (where p.calendar_state = 'pending')
    from booking_hosts p join bookings b on b.id = p.booking_id where p.calendar_state in ('pending', 'failed')`.execute(
    db,
  )
  return rows
}

export interface FailureRow {
  kind: FailureKind
  id: string
  part: string
  tenantSlug: string | null
  at: Date
  message: string
  nextAt: Date | null
}

/** Current failures, newest first. For a job, only the first line of its error is included. */
export async function listFailures(
  db: Db,
  { kind, limit }: { kind?: FailureKind | undefined; limit: number },
): Promise<FailureRow[]> {
  const requested = (one: FailureKind) => sql.lit(kind === undefined || kind === one)
  // Plain SQL: a union of parts that are each sorted and cut by themselves.
  const { rows } = await sql<FailureRow>`
    (select 'provisioning' as kind, s.tenant_id::text as id, s.step as part, t.slug as "tenantSlug",
      coalesce(s.finished_at, s.changed_at) as at, s.error as message, s.next_at as "nextAt"
    from provisioning_steps s join tenants t on t.id = s.tenant_id
    where s.state = 'error' and t.status <> 'deleted' and ${requested('provisioning')} order by 5 desc limit ${limit})
    union all
    (select 'member', m.user_id::text, p.part, t.slug, m.updated_at, p.error, m.next_at
    from memberships m join tenants t on t.id = m.tenant_id
    cross join lateral (values ('identity', m.identity_state, m.identity_error), ('mail', m.mail_state, m.mail_error),
      ('files', m.files_state, m.files_error)) p (part, state, error)
    where ${unfinishedMember} and p.state = 'error' and t.status <> 'deleted' and ${requested('member')} order by 5 desc limit ${limit})
    union all
    (select 'list', l.id::text, l.address, t.slug, l.updated_at, l.error, l.next_at
    from mail_lists l join tenants t on t.id = l.tenant_id where l.state = 'error' and ${requested('list')} order by 5 desc limit ${limit})
    union all
    (select 'mail', o.id::text, o.template, t.slug, o.changed_at, o.error, o.next_at
    from outbox o left join tenants t on t.id = o.tenant_id
    where o.state in ('failed', 'gave_up') and ${requested('mail')} order by 5 desc limit ${limit})
    union all
    (select 'event', w.id, w.type, null, coalesce(w.finished_at, w.received_at), w.note, w.next_at
    from webhook_inbox w where w.state in ('failed', 'parked') and ${requested('event')} order by 5 desc limit ${limit})
    union all
    (select 'calendar', p.booking_id::text, h.slug, t.slug, b.updated_at, p.calendar_error, p.calendar_next_at
    from booking_hosts p join bookings b on b.id = p.booking_id join hosts h on h.id = p.host_id join tenants t on t.id = b.tenant_id
    where p.calendar_error is not null and p.calendar_state in ('pending', 'failed') and b.end_at > clock_timestamp()
      and ${requested('calendar')} order by 5 desc limit ${limit})
    union all
    (select 'job', j.id::text, j.name, null, j.completed_on, split_part(coalesce(j.output ->> 'message', ''), chr(10), 1), null
    from ${sql.id(jobSchema, 'job')} j
    where j.state = 'failed' and j.completed_on > clock_timestamp() - interval '1 hour' and ${requested('job')} order by 5 desc limit ${limit})
    order by at desc, kind, id limit ${limit}`.execute(db)
  return rows
}

export interface ProcessRow {
  address: string | null
  since: Date
}

/**
 * API processes of this database: each holds one connection that listens for changes of tenants,
 * for as long as it lives.
 */
export async function listProcesses(db: Db): Promise<ProcessRow[]> {
  // Plain SQL from here on: the server's own views and functions.
  const { rows } = await sql<ProcessRow>`
    select host(client_addr) as address, backend_start as since from pg_stat_activity
    where datname = current_database() and application_name like ${`% ${listeningTo('tenant_changed')}`} order by backend_start, pid`.execute(
    db,
  )
  return rows
}

export interface ServerFigures {
  version: string
  sizeBytes: number
  used: number
  most: number
  migration: string
  oldestTransactionSeconds: number | null
  /** The current position in the server's log. */
  position: string
}

export async function readServer(db: Db): Promise<ServerFigures> {
  const { rows } = await sql<ServerFigures>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database())::float8 as "sizeBytes",
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::int as most,
      coalesce((select max(name) from kysely_migration), 'none') as migration,
      (select extract(epoch from clock_timestamp() - min(xact_start))::float8 from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null) as "oldestTransactionSeconds",
      pg_current_wal_lsn()::text as position`.execute(db)
  const figures = rows[0]
  if (!figures) throw new Error('a statement without a table answers one row')
  return figures
}

/**
 * How far the replica is behind `position` of the primary's log; undefined when there is no
 * replica. Seconds count only while something is missing: an idle primary writes nothing that the
 * replica could lag behind.
 */
export async function readReplicaLag(
  { copy }: Database,
  position: string,
): Promise<{ lagBytes: number; lagSeconds: number } | undefined> {
  if (!copy) return undefined
  const { rows } = await sql<{ lagBytes: number; lagSeconds: number }>`
    select bytes as "lagBytes", case when bytes = 0 then 0
      else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8, 0) end as "lagSeconds"
    from (select case when pg_is_in_recovery() then greatest(pg_wal_lsn_diff(${position}::pg_lsn, pg_last_wal_replay_lsn()), 0)::float8
      else 0 end as bytes) lag`.execute(copy)
  return rows[0]
}
