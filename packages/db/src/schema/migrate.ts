import { Kysely, PostgresDialect } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import pg from 'pg'
import * as rolesAndIds from '../migrations/0001-roles-and-ids.ts'
import * as peopleAndTenants from '../migrations/0002-people-and-tenants.ts'
import * as audit from '../migrations/0003-audit.ts'
import * as sessionsAndIdempotency from '../migrations/0004-sessions-and-idempotency.ts'
import * as members from '../migrations/0005-members.ts'
import * as domains from '../migrations/0006-domains.ts'
import * as listsAndPolicy from '../migrations/0007-lists-and-policy.ts'
import * as ssoAndBranding from '../migrations/0008-sso-and-branding.ts'
import * as userReadings from '../migrations/0009-user-readings.ts'
import * as flags from '../migrations/0010-flags.ts'
import * as partners from '../migrations/0011-partners.ts'
import * as subscriptions from '../migrations/0012-subscriptions.ts'
import * as billing from '../migrations/0013-billing.ts'
import * as ledger from '../migrations/0014-ledger.ts'
import * as reports from '../migrations/0015-reports.ts'
import * as outbox from '../migrations/0016-outbox.ts'
import * as health from '../migrations/0017-health.ts'
import * as domainClaims from '../migrations/0018-domain-claims.ts'
import * as flagGuards from '../migrations/0018-flag-guards.ts'
import * as auditChain from '../migrations/0019-audit-chain.ts'
import * as scheduling from '../migrations/0020-scheduling.ts'
import * as seatMode from '../migrations/0021-seat-mode.ts'
import * as reportBalances from '../migrations/0022-report-balances.ts'
import * as auditSearch from '../migrations/0023-audit-search.ts'
import * as identitySyncTasks from '../migrations/0024-identity-dues.ts'
import * as auditValues from '../migrations/0025-audit-values.ts'
import * as organizers from '../migrations/0026-organizers.ts'
import * as identitySyncKinds from '../migrations/0027-kinds-of-dues.ts'
import * as auditPlans from '../migrations/0028-audit-plans.ts'
import * as tenantLimits from '../migrations/0029-tenant-limits.ts'
import * as auditDenials from '../migrations/0030-audit-denials.ts'
import * as idempotencyLeases from '../migrations/0031-idempotency-leases.ts'
import * as tenantGroupNames from '../migrations/0033-tenant-group-names.ts'
import * as invitations from '../migrations/0035-invitations.ts'
import * as workVersions from '../migrations/0037-work-versions.ts'
import * as profileAndImportRuns from '../migrations/0038-profile-and-import-runs.ts'
import * as provenDomains from '../migrations/0039-proven-domains.ts'
import * as planGrants from '../migrations/0041-plan-grants.ts'
import * as keptPlans from '../migrations/0042-kept-plans.ts'
import * as trialUses from '../migrations/0043-trial-uses.ts'
import * as guestsAndWrittenTimes from '../migrations/0044-guests-and-written-times.ts'
import * as eventTypeLimits from '../migrations/0045-event-type-limits.ts'
import * as upstreamDays from '../migrations/0048-upstream-days.ts'
import * as suspensionModes from '../migrations/0050-suspension-modes.ts'
import * as restoreWindow from '../migrations/0051-restore-window.ts'
import * as tenantPurges from '../migrations/0052-tenant-purges.ts'
import * as formerFileAccounts from '../migrations/0055-former-file-accounts.ts'
import * as reopenedIdentities from '../migrations/0058-reopened-identities.ts'
import * as slotLockNetworks from '../migrations/0061-slot-lock-networks.ts'
import * as auditChanges from '../migrations/0065-audit-changes.ts'
import * as releasedDomains from '../migrations/0066-released-domains.ts'
import * as movesToOtherHosts from '../migrations/0069-moves-to-other-hosts.ts'
import * as languages from '../migrations/0070-languages.ts'
import * as subscriptionSchedules from '../migrations/0072-subscription-schedules.ts'
import * as statementCancellations from '../migrations/0076-statement-cancellations.ts'
import * as vatChecks from '../migrations/0080-vat-checks.ts'
import * as billingDocuments from '../migrations/0085-billing-documents.ts'
import * as invoiceCorrections from '../migrations/0090-invoice-corrections.ts'
import * as priceMigrations from '../migrations/0091-price-migrations.ts'
import * as partnerApprovals from '../migrations/0095-partner-approvals.ts'
import * as importRowTexts from '../migrations/0105-import-row-texts.ts'
import * as lostEvents from '../migrations/0106-lost-events.ts'
import * as taxBehavior from '../migrations/0107-tax-behavior.ts'
import * as observedStates from '../migrations/0108-observed-states.ts'
import * as processorBalance from '../migrations/0109-processor-balance.ts'
import * as unpaidApprovals from '../migrations/0110-unpaid-approvals.ts'
import * as settledApprovals from '../migrations/0111-settled-approvals.ts'
import * as approvalInvoices from '../migrations/0112-approval-invoices.ts'
import * as customerCredits from '../migrations/0113-customer-credits.ts'
import * as invitationsTable from '../migrations/0120-invitations.ts'
import * as openInvitations from '../migrations/0121-open-invitations.ts'
import * as noInvitedUsers from '../migrations/0122-no-invited-users.ts'
import * as enforcedPolicies from '../migrations/0130-enforced-policies.ts'
import * as validatePolicies from '../migrations/0131-validate-policies.ts'
import * as accessGrants from '../migrations/0140-access-grants.ts'
import * as webSessionDevices from '../migrations/0150-web-session-devices.ts'
import * as mutedMails from '../migrations/0151-muted-mails.ts'
import * as temporaryPasswords from '../migrations/0160-temporary-passwords.ts'
import * as endingPasswords from '../migrations/0161-ending-passwords.ts'
import * as addressClaims from '../migrations/0165-address-claims.ts'
import * as partnerTransfers from '../migrations/0170-partner-transfers.ts'
import * as passwordLinkRecipients from '../migrations/0185-password-link-recipients.ts'
import * as validatePasswordLinks from '../migrations/0186-validate-password-links.ts'
import * as settledPasswords from '../migrations/0187-settled-passwords.ts'
import * as importGrants from '../migrations/0190-import-grants.ts'
import * as tenantsOfParts from '../migrations/0200-tenants-of-parts.ts'
import * as fillTenantsOfParts from '../migrations/0201-fill-tenants-of-parts.ts'
import * as requireTenantsOfParts from '../migrations/0202-require-tenants-of-parts.ts'
import * as validateTenantsOfParts from '../migrations/0203-validate-tenants-of-parts.ts'
import * as serviceTokens from '../migrations/0240-service-tokens.ts'
import * as events from '../migrations/0241-events.ts'
import * as webhookEndpoints from '../migrations/0242-webhook-endpoints.ts'
import * as scimIdentifiers from '../migrations/0250-scim-identifiers.ts'
import * as scimGroups from '../migrations/0251-scim-groups.ts'
import * as eventsEnd from '../migrations/0252-events-end.ts'
import * as preparedAuditEntries from '../migrations/0253-prepared-audit-entries.ts'
import * as domainDirectory from '../migrations/0260-domain-directory.ts'
import * as fillDomainDirectory from '../migrations/0261-fill-domain-directory.ts'
import * as eventsBySelect from '../migrations/0262-events-by-select.ts'
import { installJobs } from '../platform/install-jobs.ts'
import { buildOnlineIndexes } from './online-indexes.ts'

// Listed by hand, not read from the folder: what is not imported here is not part of the schema.
const migrations: Record<string, Migration> = {
  '0001-roles-and-ids': rolesAndIds,
  '0002-people-and-tenants': peopleAndTenants,
  '0003-audit': audit,
  '0004-sessions-and-idempotency': sessionsAndIdempotency,
  '0005-members': members,
  '0006-domains': domains,
  '0007-lists-and-policy': listsAndPolicy,
  '0008-sso-and-branding': ssoAndBranding,
  '0009-user-readings': userReadings,
  '0010-flags': flags,
  '0011-partners': partners,
  '0012-subscriptions': subscriptions,
  '0013-billing': billing,
  '0014-ledger': ledger,
  '0015-reports': reports,
  '0016-outbox': outbox,
  '0018-domain-claims': domainClaims,
  '0019-audit-chain': auditChain,
  '0020-scheduling': scheduling,
  '0021-seat-mode': seatMode,
  '0022-report-balances': reportBalances,
  '0023-audit-search': auditSearch,
  '0024-identity-dues': identitySyncTasks,
  '0025-audit-values': auditValues,
  '0026-organizers': organizers,
  '0027-kinds-of-dues': identitySyncKinds,
  '0028-audit-plans': auditPlans,
  '0029-tenant-limits': tenantLimits,
  '0030-audit-denials': auditDenials,
  '0031-idempotency-leases': idempotencyLeases,
  '0033-tenant-group-names': tenantGroupNames,
  '0035-invitations': invitations,
  '0037-work-versions': workVersions,
  '0038-profile-and-import-runs': profileAndImportRuns,
  '0039-proven-domains': provenDomains,
  '0041-plan-grants': planGrants,
  '0042-kept-plans': keptPlans,
  '0043-trial-uses': trialUses,
  '0044-guests-and-written-times': guestsAndWrittenTimes,
  '0045-event-type-limits': eventTypeLimits,
  '0048-upstream-days': upstreamDays,
  '0050-suspension-modes': suspensionModes,
  '0051-restore-window': restoreWindow,
  '0052-tenant-purges': tenantPurges,
  '0055-former-file-accounts': formerFileAccounts,
  '0058-reopened-identities': reopenedIdentities,
  '0061-slot-lock-networks': slotLockNetworks,
  '0065-audit-changes': auditChanges,
  '0066-released-domains': releasedDomains,
  '0069-moves-to-other-hosts': movesToOtherHosts,
  '0070-languages': languages,
  '0072-subscription-schedules': subscriptionSchedules,
  '0076-statement-cancellations': statementCancellations,
  '0080-vat-checks': vatChecks,
  '0085-billing-documents': billingDocuments,
  '0090-invoice-corrections': invoiceCorrections,
  '0091-price-migrations': priceMigrations,
  '0105-import-row-texts': importRowTexts,
  '0095-partner-approvals': partnerApprovals,
  '0106-lost-events': lostEvents,
  '0107-tax-behavior': taxBehavior,
  '0108-observed-states': observedStates,
  '0109-processor-balance': processorBalance,
  '0110-unpaid-approvals': unpaidApprovals,
  '0111-settled-approvals': settledApprovals,
  '0112-approval-invoices': approvalInvoices,
  '0113-customer-credits': customerCredits,
  '0120-invitations': invitationsTable,
  '0121-open-invitations': openInvitations,
  '0122-no-invited-users': noInvitedUsers,
  '0130-enforced-policies': enforcedPolicies,
  '0131-validate-policies': validatePolicies,
  '0140-access-grants': accessGrants,
  '0150-web-session-devices': webSessionDevices,
  '0151-muted-mails': mutedMails,
  '0160-temporary-passwords': temporaryPasswords,
  '0161-ending-passwords': endingPasswords,
  '0165-address-claims': addressClaims,
  '0170-partner-transfers': partnerTransfers,
  '0185-password-link-recipients': passwordLinkRecipients,
  '0186-validate-password-links': validatePasswordLinks,
  '0187-settled-passwords': settledPasswords,
  '0190-import-grants': importGrants,
  '0200-tenants-of-parts': tenantsOfParts,
  '0201-fill-tenants-of-parts': fillTenantsOfParts,
  '0202-require-tenants-of-parts': requireTenantsOfParts,
  '0203-validate-tenants-of-parts': validateTenantsOfParts,
  '0240-service-tokens': serviceTokens,
  '0241-events': events,
  '0242-webhook-endpoints': webhookEndpoints,
  '0250-scim-identifiers': scimIdentifiers,
  '0251-scim-groups': scimGroups,
  '0252-events-end': eventsEnd,
  '0253-prepared-audit-entries': preparedAuditEntries,
  '0260-domain-directory': domainDirectory,
  '0261-fill-domain-directory': fillDomainDirectory,
  '0262-events-by-select': eventsBySelect,
  '0017-health': health,
  '0018-flag-guards': flagGuards,
}

/** In the order in which they are applied. */
export const migrationNames: readonly string[] = Object.keys(migrations).sort()

const provider: MigrationProvider = { getMigrations: async () => migrations }

/**
 * A lock that cannot be had in this time is given up; shorter than the second that a read by key
 * may take, so that none fails for it.
 */
const lockTimeoutMs = 500

/**
 * Brings the database to the newest schema, forward only, one process at a time (Kysely takes an
 * advisory lock), and every migration in a transaction of its own: locks of one must not last until
 * the others are done. A statement that cannot get its lock within half a second gives up, so that
 * a migration never queues the traffic of a live table behind it; the migration is then tried
 * again, up to `attempts` times. Connects directly: through a transaction pooler the lock would not
 * hold.
 */
export async function migrate(
  url: string,
  { attempts = 10 }: { attempts?: number } = {},
): Promise<string[]> {
  const applied = await applyMigrations(url, { attempts })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin')
    // PostgreSQL fails one of two sessions that change the same privileges at once.
    await client.query(`select pg_advisory_xact_lock(hashtext('atrium privileges'))`)
    // The API reads which migration is newest for its readiness.
    await client.query('grant select on kysely_migration to atrium_app')
    // Every account may make temporary tables unless the database's owner says otherwise; the API
    // needs none.
    await client.query(
      `do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$`,
    )
    await client.query('commit')
  } finally {
    await client.end()
  }
  await buildOnlineIndexes(url)
  await installJobs(url)
  return applied
}

/**
 * The tables alone, without the job engine's and without indexes that are built beside the traffic;
 * up to and with the migration `to`.
 */
export async function applyMigrations(
  url: string,
  { attempts = 10, to = migrationNames.at(-1) ?? '' } = {},
): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    options: `-c lock_timeout=${lockTimeoutMs} -c client_min_messages=warning`,
  })
  pool.on('error', () => {})
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const migrator = new Migrator({ db, provider })
  const applied: string[] = []
  try {
    for (const { name, executedAt } of await migrator.getMigrations()) {
      if (name > to) break
      if (!executedAt) applied.push(...(await applyNext(migrator, attempts)))
    }
    return applied
  } finally {
    await db.destroy()
  }
}

/** Nothing when another process has applied it meanwhile. */
async function applyNext(migrator: Migrator, attempts: number): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const { error, results = [] } = await migrator.migrateUp()
    if (!error) return results.map((result) => result.migrationName)
    if (!isLockTimeout(error) || attempt === attempts) throw error
    await new Promise((done) => setTimeout(done, 250 * attempt))
  }
}

function isLockTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '55P03'
}
