import { type Kysely, sql } from 'kysely'

/**
 * A link to a new password may go to a second address of the person. `sent_to`: that address;
 * `sender_tenant_id`: the tenant whose admin had it sent. The link opens nothing once the person is
 * no active member of that tenant, or the tenant has lost the domain of the person's address. Such
 * a link does not prove `email`.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table access_links
      add column sent_to text,
      add column sender_tenant_id uuid,
      add constraint access_links_sender
        check ((sent_to is null) = (sender_tenant_id is null)) not valid`.execute(db)
}
