import { type Kysely, sql } from 'kysely'

/**
 * Mails that are to be sent. What they say is worked out when they are sent; a row says to whom,
 * which message and with which values.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table outbox (
      id uuid primary key default new_id(),
      key text not null unique,
      tenant_id uuid references tenants,
      template text not null,
      recipient text,
      recipient_name text,
      values jsonb not null default '{}' check (jsonb_typeof(values) = 'object'),
      message_id text not null unique,
      state text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'failed', 'gave_up')),
      attempts integer not null default 0 check (attempts >= 0),
      next_at timestamptz,
      run uuid,
      lease_until timestamptz,
      error text,
      created_at timestamptz not null default now(),
      sent_at timestamptz,
      changed_at timestamptz not null default now(),
      check ((state = 'sent') = (sent_at is not null)),
      check (recipient is not null or state in ('sent', 'gave_up'))
    )`.execute(db)
  await sql`create index outbox_due on outbox (next_at) where state in ('queued', 'sending', 'failed')`.execute(
    db,
  )
  await sql`create index outbox_state on outbox (state, id desc)`.execute(db)
  await sql`create index outbox_tenant on outbox (tenant_id, id desc) where tenant_id is not null`.execute(
    db,
  )
  await sql`create index outbox_kept on outbox (changed_at) where recipient is not null and state in ('sent', 'gave_up')`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on outbox to atrium_app`.execute(db)
}
