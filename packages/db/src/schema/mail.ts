import type { MailTemplateKey } from '@atrium/core/branding/template-keys'
import type { StoredVerdict } from '@atrium/core/mail/domain-records'
import type {
  DmarcPolicy,
  DnsRecord,
  DomainCheckCause,
  DomainState,
} from '@atrium/core/mail/domains'
import type { ListState } from '@atrium/core/mail/lists'
import type { MailState } from '@atrium/core/mail/mail-states'
import type { CalendarAttachment, MailValue } from '@atrium/core/outbox/outbox'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp, Timestamp } from './columns.ts'

export interface DomainsTable {
  id: Generated<string>
  tenant_id: string
  name: string
  is_primary: Generated<boolean>
  mail_domain_id: string | null
  /** The mail server's domain that waits under another name for the proof of ownership. */
  mail_pending_id: string | null
  state: Generated<DomainState>
  verified_at: OptionalTimestamp
  ownership_token: Generated<string>
  dmarc_policy: Generated<DmarcPolicy>
  dmarc_rua: string | null
  dmarc_pct: Generated<number>
  mail_records: JSONColumnType<DnsRecord[] | null, string | null | undefined, string | null>
  mail_records_complete: Generated<boolean>
  /** The report address last sent to the mail server. */
  mail_report_address: string | null
  mail_error: string | null
  /** The name that a deleted tenant gave up; `name` is below the platform's domain since. */
  released_name: string | null
  /** The mail server may have the domain under another name. */
  mail_rename_due: Generated<boolean>
  /** Until when the rename at the mail server belongs to one process. */
  mail_rename_until: OptionalTimestamp
  verdicts: ColumnType<StoredVerdict[], string | undefined, string>
  last_checked_at: OptionalTimestamp
  next_check_at: OptionalTimestamp
  created_at: Timestamp
}

/** Proven names of all tenants. */
export interface ProvenDomainsTable {
  name: string
  tenant_id: string
}

export interface MailDomainRemovalsTable {
  mail_domain_id: string
  requested_at: Timestamp
  next_at: Timestamp
}

export interface DomainChecksTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  id: Generated<string>
  domain_id: string
  at: Timestamp
  cause: DomainCheckCause
  state: DomainState
  previous_state: DomainState
  regressed: Generated<boolean>
  verdicts: ColumnType<StoredVerdict[], string, never>
}

export interface MailListsTable {
  id: Generated<string>
  tenant_id: string
  address: string
  name: string
  mail_list_id: string | null
  /** What the directory that the list is a group of calls it (SCIM). */
  scim_external_id: string | null
  address_vacant: Generated<boolean>
  state: Generated<ListState>
  error: string | null
  version: Generated<number>
  attempt: Generated<number>
  next_at: OptionalTimestamp
  push_run: string | null
  push_lease_until: OptionalTimestamp
  created_at: Timestamp
  updated_at: Timestamp
}

export interface MailListRecipientsTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  list_id: string
  address: string
}

export interface MailProfileLinksTable {
  token_hash: Buffer
  address: string
  name: string
  organisation: string
  expires_at: RequiredTimestamp
}

export interface OutboxTable {
  id: Generated<string>
  key: string
  tenant_id: string | null
  template: MailTemplateKey
  /** Null once it was erased. */
  recipient: string | null
  recipient_name: string | null
  values: ColumnType<Record<string, MailValue>, string | undefined, string>
  message_id: string
  state: Generated<MailState>
  attempts: Generated<number>
  next_at: OptionalTimestamp
  run: string | null
  lease_until: OptionalTimestamp
  error: string | null
  created_at: Timestamp
  sent_at: OptionalTimestamp
  changed_at: Timestamp
  /** The booking that the mail is about. */
  booking_id: string | null
  calendar: ColumnType<CalendarAttachment | null, string | null | undefined, string | null>
}

export interface MailTables {
  domains: DomainsTable
  mail_domain_removals: MailDomainRemovalsTable
  proven_domains: ProvenDomainsTable
  domain_checks: DomainChecksTable
  mail_lists: MailListsTable
  mail_list_recipients: MailListRecipientsTable
  mail_profile_links: MailProfileLinksTable
  outbox: OutboxTable
}
