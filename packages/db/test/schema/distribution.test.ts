import { copyDatabase } from '@atrium/testing/postgres/database'
import { type Distance, distanceOf, measureDistance } from '@atrium/testing/postgres/distribution'
import pg from 'pg'
import { expect, it } from 'vitest'

// What is left. Nothing is added here.
const left: Distance = {
  tablesWithoutTenant: [
    'app_password_removals of hosts',
    'booking_changes of bookings',
    'booking_hosts of bookings, hosts',
    'booking_reminders of bookings',
    'domain_checks of domains',
    'event_type_hosts of event_types, hosts',
    'invoice_reversals of invoices',
    'mail_credentials of hosts',
    'mail_list_recipients of mail_lists',
    'member_import_rows of member_imports',
    'slot_locks of event_types, hosts',
  ],
  primaryKeys: [
    ...['bookings', 'domains', 'event_types', 'hosts', 'invoices', 'mail_lists', 'member_imports'],
  ],
  uniqueIndexes: [
    'domains_proven_name',
    'dunning_cases_open',
    'invoices_stripe_invoice_id_key',
    'mail_lists_address_key',
    'memberships_mailbox',
  ],
  foreignKeys: [
    'app_password_removals_host_id_fkey',
    'availability_schedules_host_id_fkey',
    'billing_documents_invoice_id_fkey',
    'booking_changes_booking_id_fkey',
    'booking_hosts_booking_id_fkey',
    'booking_hosts_host_id_fkey',
    'booking_reminders_booking_id_fkey',
    'bookings_event_type_id_fkey',
    'bookings_host_id_fkey',
    'domain_checks_domain_id_fkey',
    'event_type_hosts_event_type_id_fkey',
    'event_type_hosts_host_id_fkey',
    'event_types_host_id_fkey',
    'invoice_corrections_invoice_id_fkey',
    'invoice_reversals_invoice_id_fkey',
    'mail_credentials_host_id_fkey',
    'mail_list_recipients_list_id_fkey',
    'member_import_rows_import_id_fkey',
    'outbox_booking_id_fkey',
    'partner_ledger_invoice_id_fkey',
    'slot_locks_event_type_id_fkey',
    'slot_locks_host_id_fkey',
  ],
  notifyingTriggers: [],
  volatileFunctions: [],
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
    create table notes (id uuid primary key, tenant_id uuid not null, key text unique);
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
  })
})
