import { type Kysely, sql } from 'kysely'

/**
 * Applications at the identity provider, branding with overrides of messages, and one-time links to
 * mail profiles.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table sso_apps (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      name text not null,
      slug text not null unique,
      state text not null default 'pending' check (state in ('pending', 'active', 'removing')),
      provider_id text,
      client_id text not null unique,
      redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
      launch_url text,
      created_at timestamptz not null default now(),
      changed_at timestamptz not null default now(),
      check (state <> 'active' or provider_id is not null)
    )`.execute(db)
  await sql`create index sso_apps_tenant on sso_apps (tenant_id, id desc)`.execute(db)
  await sql`create index sso_apps_unfinished on sso_apps (changed_at) where state <> 'active'`.execute(
    db,
  )
  // What is on its way out does not hold its name.
  await sql`create unique index sso_apps_name on sso_apps (tenant_id, lower(name)) where state <> 'removing'`.execute(
    db,
  )

  await sql`
    create table brandings (
      tenant_id uuid primary key references tenants,
      product_name text,
      accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table email_templates (
      tenant_id uuid not null references tenants,
      key text not null,
      subject text not null,
      html text,
      text text not null,
      updated_at timestamptz not null default now(),
      primary key (tenant_id, key)
    )`.execute(db)

  await sql`
    create table mail_profile_links (
      token_hash bytea primary key,
      address text not null,
      name text not null,
      organisation text not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index mail_profile_links_expires on mail_profile_links (expires_at)`.execute(db)

  await sql`grant select, insert, update, delete on sso_apps, brandings, email_templates, mail_profile_links to atrium_app`.execute(
    db,
  )
}
