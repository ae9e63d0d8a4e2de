import { type Kysely, sql } from 'kysely'

/**
 * What enforcing security policies needs. `security_policies.enforced` is false for policies that
 * were stored before they had an effect, until they are saved again: nobody is shut out by an
 * update. `provider_mark` is set while the identity provider does not have the policy yet.
 * `sign_ins` has one row per sign-in at a portal; rows are deleted after 30 days.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table security_policies
      add column enforced boolean not null default false,
      add column mfa_required_since timestamptz,
      add column mfa_grace_days integer not null default 0,
      add column provider_mark uuid,
      add column provider_next_at timestamptz,
      add column provider_lease_until timestamptz,
      add column provider_attempts integer not null default 0,
      add column provider_error text,
      add constraint security_policies_grace check (mfa_grace_days between 0 and 90) not valid`.execute(
    db,
  )
  await sql`alter table web_sessions add column signed_in_at timestamptz`.execute(db)
  await sql`
    create table sign_ins (
      id uuid primary key default new_id(),
      subject text not null,
      app text not null check (app in ('portal', 'operator')),
      at timestamptz not null default now(),
      address inet,
      country text check (country ~ '^[A-Z]{2}$'),
      second_factor boolean not null
    )`.execute(db)
  await sql`create index sign_ins_subject on sign_ins (subject, at desc)`.execute(db)
  await sql`create index sign_ins_at on sign_ins (at)`.execute(db)
  await sql`grant select, insert, delete on sign_ins to atrium_app`.execute(db)
}
