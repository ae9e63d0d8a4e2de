import { copyDatabase } from '@atrium/testing/postgres/database'
import { type Distance, distanceOf, measureDistance } from '@atrium/testing/postgres/distribution'
import pg from 'pg'
import { expect, it } from 'vitest'

// What is left. Nothing is added here.
const left: Distance = {
  tablesWithoutTenant: [
    // The version before names their former keys in ON CONFLICT: a later version replaces them.
    'booking_hosts of bookings, hosts',
    'invoice_reversals of invoices',
    'mail_credentials of hosts',
    // Mails and ledger entries may be the platform's or a partner's.
    'outbox of bookings',
    'partner_ledger of invoices',
  ],
  primaryKeys: [],
  // Named by the version before, as above.
  uniqueIndexes: ['slot_locks_one'],
  foreignKeys: [
    'booking_hosts_tenant_booking_id_fkey',
    'booking_hosts_tenant_host_id_fkey',
    'invoice_reversals_tenant_invoice_id_fkey',
    'mail_credentials_tenant_host_id_fkey',
    'outbox_tenant_booking_id_fkey',
    'partner_ledger_tenant_invoice_id_fkey',
  ],
  notifyingTriggers: [],
  volatileFunctions: [],
  // They guard rules against every writer, and stay (docs/how-to/scale.md).
  crossingTriggers: [
    'partners.access_grants_of_partner',
    'tenants.access_grants_of_tenant',
    'tenants.keep_subscription_history_of_tenant',
    'tenants.keep_tenant_partners',
    'tenants.keep_tenant_partners_of_new',
    'tenants.tenant_keeps_owner',
    'users.access_grants_of_deleted_person',
    'users.access_grants_of_person',
  ],
}

async function measured(prepare = ''): Promise<Distance> {
  await using database = await copyDatabase()
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    if (prepare !== '') await client.query(prepare)
    return await measureDistance(client)
  } finally {
    await client.end()
  }
}

it('measures how far the schema is from one that is distributed by tenant', async () => {
  const distance = await measured()
  process.stdout.write(`distance to a schema distributed by tenant: ${distanceOf(distance)}\n`)
  expect(distance).toEqual(left)
})

it('finds each kind of what cannot be distributed', async () => {
  const distance = await measured(`
    create table note_kinds (id uuid primary key);
    create function note_kind_changed() returns trigger language plpgsql as $$
      begin delete from notes where kind_id = old.id; return old; end $$;
    create trigger note_kind_changed before delete on note_kinds
      for each row execute function note_kind_changed();
    create table notes (id uuid primary key, tenant_id uuid not null, key text unique,
      kind_id uuid references note_kinds);
    create table note_parts (id uuid primary key, note_id uuid references notes);
    create function note_changed() returns trigger language plpgsql as $$
      begin perform pg_notify('notes', ''); new.key := random()::text; return new; end $$;
    create trigger note_changed before update on notes for each row execute function note_changed()`)
  const found = Object.entries(distance).map(([kind, items]) => [
    kind,
    items.filter((item: string) => item.startsWith('note')),
  ])
  expect(Object.fromEntries(found)).toEqual({
    tablesWithoutTenant: ['note_parts of notes'],
    primaryKeys: ['notes'],
    uniqueIndexes: ['notes_key_key'],
    foreignKeys: ['note_parts_note_id_fkey'],
    notifyingTriggers: ['notes.note_changed'],
    volatileFunctions: ['notes.note_changed'],
    crossingTriggers: ['note_kinds.note_kind_changed'],
  })
})
