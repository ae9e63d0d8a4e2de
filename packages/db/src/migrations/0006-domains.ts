import { type Kysely, sql } from 'kysely'

/**
 * What is known of a domain in DNS: proof of ownership, wanted DMARC policy, the records that the
 * mail server asks for, and the verdicts of the last check, with the history of checks. Domains
 * that are there already count as verified: mail runs on them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table domains
      add column state text not null default 'unchecked'
        check (state in ('unchecked', 'pending', 'verified', 'degraded', 'failing', 'unknown')),
      add column verified_at timestamptz,
      add column ownership_token text not null default replace(gen_random_uuid()::text, '-', ''),
      add column dmarc_policy text not null default 'none' check (dmarc_policy in ('none', 'quarantine', 'reject')),
      add column dmarc_rua text,
      add column dmarc_pct integer not null default 100 check (dmarc_pct between 0 and 100),
      add column mail_records jsonb,
      add column mail_records_complete boolean not null default false,
      add column mail_report_address text,
      add column mail_error text,
      add column verdicts jsonb not null default '[]',
      add column last_checked_at timestamptz,
      add column next_check_at timestamptz default now() + interval '2 minutes'`.execute(db)
  await sql`update domains set verified_at = created_at, state = 'verified', dmarc_rua = 'postmaster@' || name`.execute(
    db,
  )
  await sql`create index domains_next_check on domains (next_check_at) where next_check_at is not null`.execute(
    db,
  )

  await sql`
    create table domain_checks (
      id uuid primary key default new_id(),
      domain_id uuid not null references domains on delete cascade,
      at timestamptz not null default now(),
      cause text not null check (cause in ('manual', 'schedule')),
      state text not null check (state in ('unchecked', 'pending', 'verified', 'degraded', 'failing', 'unknown')),
      previous_state text not null,
      regressed boolean not null default false,
      verdicts jsonb not null
    )`.execute(db)
  await sql`create index domain_checks_domain on domain_checks (domain_id, id desc)`.execute(db)
  await sql`grant select, insert, delete on domain_checks to atrium_app`.execute(db)
}
