import { type Kysely, sql } from 'kysely'

/**
 * Proof that somebody reads the mail of the address they sign in with. `users.invited`: a person
 * who has not accepted an invitation; the row grants nothing and is nobody's record yet.
 * `users.proved_email`: the address that was proved by a mailed link; a trigger takes it back with
 * any change of `email`, also by programs of before: who controlled another address meanwhile may
 * hold the identity. `users.replaced_by`: a closed record whose identity was given up for that of
 * the person named. Nobody counts as proved at first and nobody loses a membership: only attaching
 * somebody to something new asks for a proof.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table users
      add column invited boolean not null default false,
      add column proved_email text,
      add column proved_at timestamptz,
      add column replaced_by uuid`.execute(db)
  await sql`
    create function forget_proved_email() returns trigger language plpgsql as $$
    begin
      new.proved_email := null;
      new.proved_at := null;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger forget_proved_email before update of email on users
      for each row when (old.email is distinct from new.email) execute function forget_proved_email()`.execute(
    db,
  )
  await sql`
    create table access_links (
      user_id uuid primary key references users on delete cascade,
      email text not null,
      token_hash bytea not null unique,
      expires_at timestamptz not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`grant select, insert, update, delete on access_links to atrium_app`.execute(db)
}
