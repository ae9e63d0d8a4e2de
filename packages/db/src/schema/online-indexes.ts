import pg from 'pg'
import {
  buildOfPartitions,
  dropConstraint,
  isValid,
  type OnlineIndex,
  rebuild,
  replacePrimaryKey,
  replaceReference,
} from './online-statements.ts'
import { tenantIndexes } from './tenant-indexes.ts'

// Everything that the largest amounts of a moment are chosen by and shown with: most rows of the
// history are passed over, and none of those is fetched.
const ranked = 'include (valid_from, valid_to, tenant_id, partner_id, plan, cycle, seats)'

/**
 * Indexes of tables that stay in use while they are built. Built outside of any transaction, so
 * that no writer waits.
 */
const indexes: readonly OnlineIndex[] = [
  {
    name: 'temporary_passwords_next',
    table: 'temporary_passwords',
    of: '(next_at) where ended_at is null',
    replaces: 'temporary_passwords_due',
  },
  // People with addresses on a domain.
  {
    name: 'users_email_domain',
    table: 'users',
    of: `(split_part(email, '@', 2), email) where removed_at is null`,
  },
  {
    name: 'subscription_history_ranked',
    table: 'subscription_history',
    of: `(currency, arr desc) ${ranked} where arr > 0`,
    replaces: 'subscription_history_top',
  },
  {
    name: 'subscription_history_partner_ranked',
    table: 'subscription_history',
    of: `(partner_id, currency, arr desc) ${ranked.replace('partner_id, ', '')} where arr > 0 and partner_id is not null`,
    replaces: 'subscription_history_partner_top',
  },
  // Orders within an owner's limit whose payment is pending.
  {
    name: 'partner_approvals_unsettled',
    table: 'partner_approvals',
    of: `(tenant_id) where status = 'within_limit' and settled_at is null`,
  },
  // What else the payment processor told of an object.
  {
    name: 'webhook_inbox_object',
    table: 'webhook_inbox',
    of: '(object_id, created) where object_id is not null',
  },
  // Which of a calendar's events are our own, however many bookings a host ever had.
  {
    name: 'booking_hosts_event',
    table: 'booking_hosts',
    of: '(host_id, calendar_event_id) where calendar_event_id is not null',
  },
  // What is removed with a person, and what a tenant's end looks for: the foreign keys would else
  // read the whole table for each.
  {
    name: 'membership_revocations_user',
    table: 'membership_revocations',
    of: '(user_id)',
  },
  {
    name: 'saved_reports_creator',
    table: 'saved_reports',
    of: '(created_by)',
  },
  // Policies that the identity provider does not have yet.
  {
    name: 'security_policies_provider',
    table: 'security_policies',
    of: '(provider_next_at) where provider_mark is not null',
  },
  {
    name: 'slot_locks_network',
    table: 'slot_locks',
    of: '(network) where network is not null',
  },
  {
    name: 'outbox_tenant',
    table: 'outbox',
    of: '(tenant_id) where tenant_id is not null',
  },
  // How many members a tenant has, without a look at each: the table is many times as large, and
  // the members of a tenant lie all over it.
  {
    name: 'memberships_counted',
    table: 'memberships',
    of: "(tenant_id) where status <> 'removing'",
  },
  // Directories ask for a member by their own id.
  {
    name: 'memberships_scim_external_id',
    table: 'memberships',
    of: '(tenant_id, scim_external_id) where scim_external_id is not null',
  },
  // Whose group a name is: no two tenants share one.
  {
    name: 'tenants_identity_group',
    table: 'tenants',
    of: '(coalesce(identity_group_name, slug))',
    unique: true,
  },
  // In the order in which mails are claimed: of many that became due at one moment each claim would
  // else sort all.
  {
    name: 'outbox_due_in_order',
    table: 'outbox',
    of: "(next_at, id) where state in ('queued', 'sending', 'failed')",
    replaces: 'outbox_due',
  },
  // Tenants whose plan or seats change by the clock (migration 0041).
  {
    name: 'tenants_entitlements_due',
    table: 'tenants',
    of: '(entitlements_due_at) where entitlements_due_at is not null',
  },
  // Claims exist side by side, one per tenant.
  {
    name: 'domains_tenant_name',
    table: 'domains',
    of: '(tenant_id, name)',
    unique: true,
    replaces: 'domains_tenant',
  },
  // The claims of all tenants to a name. A proven name has one tenant by the table
  // `proven_domains`.
  {
    name: 'domains_name',
    table: 'domains',
    of: '(name)',
    replaces: 'domains_proven_name',
    replacesConstraint: 'domains_name_key',
  },
  // A payout that failed may stand beside the next one: a transfer comes back at any time, also
  // while the next payout is open.
  {
    name: 'payouts_one_under_way',
    table: 'payouts',
    of: "(partner_id, currency) where status in ('draft', 'held', 'approved', 'in_transit')",
    unique: true,
    replaces: 'payouts_one_open',
  },
  {
    name: 'payouts_cancellation_number',
    table: 'payouts',
    of: '(cancellation_number) where cancellation_number is not null',
    unique: true,
  },
  // Searches by a part of a text.
  {
    name: 'users_text',
    table: 'users',
    of: 'using gin (email gin_trgm_ops, lower(name) gin_trgm_ops)',
  },
  {
    name: 'tenants_text',
    table: 'tenants',
    of: 'using gin (slug gin_trgm_ops, lower(name) gin_trgm_ops)',
  },
  {
    name: 'domains_text',
    table: 'domains',
    of: 'using gin (name gin_trgm_ops)',
  },
  {
    name: 'memberships_mailbox_text',
    table: 'memberships',
    of: 'using gin (mailbox_address gin_trgm_ops)',
  },
  // Selective filters: without these indexes a list scans everyone to find its page.
  {
    name: 'users_deactivated',
    table: 'users',
    of: '(id) where deactivated_at is not null',
  },
  {
    name: 'memberships_administrators',
    table: 'memberships',
    of: "(role, user_id) where role <> 'member'",
  },
  {
    name: 'memberships_administrators_of_tenant',
    table: 'memberships',
    of: "(tenant_id, role, user_id) where role <> 'member'",
  },
  {
    name: 'memberships_not_active',
    table: 'memberships',
    of: "(tenant_id, status, user_id) where status <> 'active'",
  },
  // Identities that were given up and that the identity provider may still have.
  {
    name: 'users_replaced',
    table: 'users',
    of: '(replaced_by) where replaced_by is not null',
  },
  // Invoices of all tenants, newest first.
  {
    name: 'invoices_finalized',
    table: 'invoices',
    of: '(finalized_at desc, id desc) where finalized_at is not null',
  },
  // What is booked in a month: cancellations, write-offs, what was given back, partners' shares.
  {
    name: 'invoices_voided',
    table: 'invoices',
    of: '(voided_at) where voided_at is not null',
  },
  {
    name: 'invoices_uncollectible',
    table: 'invoices',
    of: '(uncollectible_at) where uncollectible_at is not null',
  },
  {
    name: 'invoice_reversals_created',
    table: 'invoice_reversals',
    of: '(created_at)',
  },
  {
    name: 'partner_ledger_created',
    table: 'partner_ledger',
    of: '(created_at)',
  },
  // Entries of a name (migration 0025). By its hash: a few bytes for names that repeat, and no
  // limit on their length.
  {
    name: 'audit_events_name',
    table: 'audit_events',
    of: '(hashtextextended(lower(resource_name), 0)) where resource_name is not null',
    partitioned: true,
  },
  // What updates changed, by trigrams (migration 0065); of entries that were there before it too.
  {
    name: 'audit_events_changes',
    table: 'audit_events',
    of: `using gin ((metadata ->> 'changes') gin_trgm_ops) where (metadata ->> 'changes') is not null`,
    partitioned: true,
  },
  // Primary keys that begin with the tenant, so that the tables can be distributed by it, and
  // indexes for what is read without the tenant. Those are there before the former keys go.
  {
    name: 'invoice_corrections_by_id',
    table: 'invoice_corrections',
    of: '(id)',
  },
  {
    name: 'invoice_corrections_key',
    table: 'invoice_corrections',
    of: '(tenant_id, id)',
    unique: true,
    replaces: 'invoice_corrections_tenant',
    replacesPrimaryKey: 'invoice_corrections_pkey',
  },
  {
    name: 'price_moves_of_migration',
    table: 'price_moves',
    of: '(migration_id, subscription_id)',
  },
  {
    name: 'price_moves_key',
    table: 'price_moves',
    of: '(tenant_id, migration_id, subscription_id)',
    unique: true,
    replaces: 'price_moves_tenant',
    replacesPrimaryKey: 'price_moves_pkey',
  },
  ...tenantIndexes,
]

/**
 * Builds the indexes that are missing, and those again that an earlier try left half-built; one
 * process at a time. Reads and writes need them for their speed, and the unique ones for what they
 * reject. Returns the names of those it built.
 */
export async function buildOnlineIndexes(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, options: '-c client_min_messages=warning' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('online_indexes'))`)
    const built: string[] = []
    for (const index of indexes) {
      if (!(await isValid(client, index.name))) {
        await (index.partitioned ? buildOfPartitions(client, index) : rebuild(client, index))
        built.push(index.name)
      }
      if (index.replaces !== undefined)
        await client.query(
          `drop index concurrently if exists ${pg.escapeIdentifier(index.replaces)}`,
        )
      if (index.replacesConstraint !== undefined)
        await dropConstraint(client, index.table, index.replacesConstraint)
      for (const reference of index.referencedBy ?? [])
        await replaceReference(client, index.table, reference)
      if (index.replacesPrimaryKey !== undefined)
        await replacePrimaryKey(client, index, index.replacesPrimaryKey)
    }
    return built
  } finally {
    await client.end()
  }
}
