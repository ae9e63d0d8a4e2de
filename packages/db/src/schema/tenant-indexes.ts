import type { OnlineIndex } from './online-statements.ts'

/**
 * Primary keys and unique indexes of tables of tenants that have the tenant too, so that the tables
 * can be distributed by it. The tenant is last where rows are also read without it: the one index
 * serves both.
 */
export const tenantIndexes: readonly OnlineIndex[] = [
  primaryKey('availability_schedules', [reference('event_types', 'schedule_id')]),
  primaryKey('billing_differences'),
  primaryKey('dunning_cases'),
  primaryKey('plan_grants'),
  primaryKey('report_changes'),
  primaryKey('sso_apps'),
  primaryKey('subscription_history'),
  primaryKey('subscriptions', [
    reference('dunning_cases', 'subscription_id'),
    reference('price_moves', 'subscription_id'),
    reference('subscription_history', 'subscription_id'),
  ]),
  primaryKey('tenant_partners'),
  primaryKey('trial_uses'),
  primaryKey('vat_checks'),
  // Parts (migration 0200) and what they are parts of.
  primaryKey('member_import_rows', [], 'import_id, line'),
  primaryKey('member_imports', [cascade('member_import_rows', 'import_id')]),
  primaryKey('mail_list_recipients', [], 'list_id, address'),
  primaryKey('mail_lists', [cascade('mail_list_recipients', 'list_id')]),
  primaryKey('domain_checks'),
  primaryKey('domains', [cascade('domain_checks', 'domain_id')]),
  primaryKey('invoices', [
    reference('invoice_reversals', 'invoice_id'),
    reference('billing_documents', 'invoice_id'),
    reference('invoice_corrections', 'invoice_id'),
    reference('partner_ledger', 'invoice_id'),
  ]),
  primaryKey('booking_changes'),
  primaryKey('booking_reminders', [], 'booking_id, minutes_before'),
  primaryKey('bookings', [
    cascade('booking_changes', 'booking_id'),
    cascade('booking_hosts', 'booking_id'),
    cascade('booking_reminders', 'booking_id'),
    reference('outbox', 'booking_id'),
  ]),
  primaryKey('event_type_hosts', [], 'event_type_id, host_id'),
  primaryKey('event_types', [
    reference('bookings', 'event_type_id'),
    cascade('event_type_hosts', 'event_type_id'),
    cascade('slot_locks', 'event_type_id'),
  ]),
  primaryKey('slot_locks'),
  primaryKey('app_password_removals'),
  primaryKey('hosts', [
    cascade('app_password_removals', 'host_id'),
    cascade('availability_schedules', 'host_id'),
    reference('booking_hosts', 'host_id'),
    reference('bookings', 'host_id'),
    cascade('event_type_hosts', 'host_id'),
    cascade('event_types', 'host_id'),
    cascade('mail_credentials', 'host_id'),
    cascade('slot_locks', 'host_id'),
  ]),
  // Hashes of random values, and ids that the payment processor and the identity provider give out:
  // what makes them unique is not the index. It rejects a second row for one.
  {
    name: 'address_claims_link',
    table: 'address_claims',
    of: '(link_hash, tenant_id)',
    unique: true,
    replacesConstraint: 'address_claims_link_hash_key',
  },
  {
    name: 'bookings_manage',
    table: 'bookings',
    of: '(manage_hash, tenant_id)',
    unique: true,
    replacesConstraint: 'bookings_manage_hash_key',
  },
  {
    name: 'bookings_requested',
    table: 'bookings',
    of: '(request_hash, tenant_id)',
    unique: true,
    replacesConstraint: 'bookings_request',
  },
  {
    name: 'invoices_processor',
    table: 'invoices',
    of: '(stripe_invoice_id, tenant_id)',
    unique: true,
    replacesConstraint: 'invoices_stripe_invoice_id_key',
  },
  {
    name: 'invoice_corrections_request',
    table: 'invoice_corrections',
    of: '(request_id, tenant_id)',
    unique: true,
    replacesConstraint: 'invoice_corrections_request_id_key',
  },
  {
    name: 'partner_transfers_code',
    table: 'partner_transfers',
    of: '(code_hash, tenant_id)',
    unique: true,
    replacesConstraint: 'partner_transfers_code_hash_key',
  },
  {
    name: 'payment_customers_customer',
    table: 'payment_customers',
    of: '(customer_id, tenant_id)',
    unique: true,
    replacesConstraint: 'payment_customers_customer_id_key',
  },
  {
    name: 'sso_apps_client',
    table: 'sso_apps',
    of: '(client_id, tenant_id)',
    unique: true,
    replacesConstraint: 'sso_apps_client_id_key',
  },
  {
    name: 'sso_apps_slug',
    table: 'sso_apps',
    of: '(slug, tenant_id)',
    unique: true,
    replacesConstraint: 'sso_apps_slug_key',
  },
  {
    name: 'subscriptions_processor',
    table: 'subscriptions',
    of: '(stripe_subscription_id, tenant_id)',
    unique: true,
    replacesConstraint: 'subscriptions_stripe_subscription_id_key',
  },
  // One per subscription or host, each of which has one tenant.
  {
    name: 'dunning_cases_under_way',
    table: 'dunning_cases',
    of: '(subscription_id, tenant_id) where closed_at is null',
    unique: true,
    replaces: 'dunning_cases_open',
  },
  {
    name: 'availability_schedules_host_standard',
    table: 'availability_schedules',
    of: '(host_id, tenant_id) where standard',
    unique: true,
    replaces: 'availability_schedules_standard',
  },
  {
    name: 'event_types_host_slug',
    table: 'event_types',
    of: '(host_id, slug, tenant_id) where removed_at is null',
    unique: true,
    replaces: 'event_types_slug',
  },
  {
    name: 'price_moves_under_way',
    table: 'price_moves',
    of: `(subscription_id, tenant_id) where state in ('waiting', 'notified', 'scheduled', 'stopping')`,
    unique: true,
    replaces: 'price_moves_open',
  },
  {
    name: 'subscription_history_present',
    table: 'subscription_history',
    of: '(subscription_id, tenant_id) where valid_to is null',
    unique: true,
    replaces: 'subscription_history_current',
  },
  // An address is on a domain that the tenant has proved, and a proven name has one tenant
  // (`proven_domains`): so no other tenant has the address.
  {
    name: 'mail_lists_of_address',
    table: 'mail_lists',
    of: '(address, tenant_id)',
    unique: true,
    replacesConstraint: 'mail_lists_address_key',
  },
  {
    name: 'memberships_of_mailbox',
    table: 'memberships',
    of: '(mailbox_address, tenant_id) where mailbox_address is not null',
    unique: true,
    replaces: 'memberships_mailbox',
  },
]

/** The key `<table>_key` on `(id, tenant_id)` in place of the one on `(id)`. */
function primaryKey(
  table: string,
  referencedBy: OnlineIndex['referencedBy'] = [],
  columns = 'id',
): OnlineIndex {
  return {
    name: `${table}_key`,
    table,
    of: `(${columns}, tenant_id)`,
    unique: true,
    referencedBy,
    replacesPrimaryKey: `${table}_pkey`,
  }
}

type Reference = NonNullable<OnlineIndex['referencedBy']>[number]

function reference(table: string, column: string): Reference {
  return { table, column, former: `${table}_${column}_fkey` }
}

function cascade(table: string, column: string): Reference {
  return { ...reference(table, column), cascades: true }
}
