import type { PartnerAccess } from '@atrium/core/partners/partners'
import type { Language } from '@atrium/core/platform/language'
import type { Generated } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp, Timestamp } from './columns.ts'

export interface UsersTable {
  id: Generated<string>
  idp_subject_id: string
  idp_user_id: string | null
  email: string
  name: string
  first_name: string | null
  last_name: string | null
  phone: string | null
  alternative_email: string | null
  language: Language | null
  muted_mails: Generated<string[]>
  platform_admin: Generated<boolean>
  platform_admin_changed_at: OptionalTimestamp
  partner_id: string | null
  /** Set exactly while `partner_id` is. */
  partner_access: PartnerAccess | null
  deactivated_at: OptionalTimestamp
  /** The tenant whose admins manage this person's sign-in. */
  home_tenant_id: string | null
  /**
   * The identity was deleted; the row stays for a while so that no old token brings the person
   * back.
   */
  removed_at: OptionalTimestamp
  last_seen_at: OptionalTimestamp
  /**
   * The identity was made inactive because every tenant of the person is shut, and for no other
   * reason.
   */
  sign_in_ended_at: OptionalTimestamp
  /** The address that was proved by a mailed link; proves nothing once `email` is another one. */
  proved_email: string | null
  proved_at: OptionalTimestamp
  /**
   * On a closed record: whose identity took the place of this one, until the identity provider has
   * followed.
   */
  replaced_by: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

export interface AccessLinksTable {
  user_id: string
  /** The address of the person; where the link was sent, unless `sent_to` is set. */
  email: string
  /** A second address of the person, and the tenant whose admin had the link sent there. */
  sent_to: string | null
  sender_tenant_id: string | null
  /** SHA-256. */
  token_hash: Buffer
  expires_at: Timestamp
  created_at: Timestamp
}

/** A password that another person has seen; the password itself is stored nowhere. */
export interface TemporaryPasswordsTable {
  user_id: string
  issued_at: RequiredTimestamp
  expires_at: RequiredTimestamp
  /** When the identity provider is asked again whether the person has replaced it. */
  next_at: Timestamp
  /** A process began to replace it, because it expired. */
  ending_at: OptionalTimestamp
  /** It expired before its person replaced it, and opens nothing any more. */
  ended_at: OptionalTimestamp
}

export interface AddressClaimsTable {
  tenant_id: string
  user_id: string
  email: string
  started_at: Timestamp
  ends_at: RequiredTimestamp
  /** When the clean-up looks at it again. */
  next_at: RequiredTimestamp
  /** SHA-256 of the token that was mailed to the address. */
  link_hash: Buffer | null
  /** Since when an operator has to decide. */
  held_at: OptionalTimestamp
  /** The person proved the address; the new identity is being created. */
  moved_at: OptionalTimestamp
  /** The address that the person wants in its place; not confirmed. */
  new_email: string | null
  /** SHA-256. */
  new_hash: Buffer | null
  new_expires_at: OptionalTimestamp
}

export interface IdentitySyncTasksTable {
  user_id: string
  mark: Generated<string>
  /** Mailboxes and file accounts in the tenants have to follow too. */
  everywhere: Generated<boolean>
  /** The provider's group of administrators. */
  administrators: Generated<boolean>
  /** The provider's group of partner staff. */
  staff: Generated<boolean>
  /** Name and contact data. */
  profile: Generated<boolean>
  /** The address that the person signs in with. */
  address: Generated<boolean>
  /** Made inactive for a moment, to end its tokens. */
  reopen: Generated<boolean>
  attempts: Generated<number>
  next_at: RequiredTimestamp
  error: string | null
  created_at: Timestamp
  /** Who tells the provider of the person at present, and until when without a sign of life. */
  run: Generated<string | null>
  lease_until: OptionalTimestamp
}

export interface FormerFileAccountsTable {
  user_id: string
  username: string
  subject: string
  removed_at: Timestamp
  disabled: Generated<string[]>
  next_at: Timestamp
}

export interface WebSessionsTable {
  id: Generated<string>
  app: 'portal' | 'operator'
  token_hash: Buffer
  subject: string
  idp_session_id: string | null
  email: string | null
  user_agent: string | null
  address: string | null
  country: string | null
  tokens: Buffer
  access_expires_at: RequiredTimestamp
  created_at: Timestamp
  last_used_at: Timestamp
  expires_at: RequiredTimestamp
  /**
   * `auth_time`; null where the identity provider does not tell, and for sessions of before 0130.
   */
  signed_in_at: OptionalTimestamp
}

/** One row per sign-in at a portal, for 30 days. */
export interface SignInsTable {
  id: Generated<string>
  subject: string
  app: 'portal' | 'operator'
  at: Timestamp
  address: string | null
  country: string | null
  second_factor: boolean
}

export interface UpstreamCacheTable {
  user_id: string
  kind: 'second_factors' | 'file_usage'
  value: unknown
  failure: string | null
  read_at: OptionalTimestamp
  claimed_until: OptionalTimestamp
}

export interface UsersTables {
  users: UsersTable
  access_links: AccessLinksTable
  temporary_passwords: TemporaryPasswordsTable
  address_claims: AddressClaimsTable
  identity_dues: IdentitySyncTasksTable
  former_file_accounts: FormerFileAccountsTable
  web_sessions: WebSessionsTable
  sign_ins: SignInsTable
  user_readings: UpstreamCacheTable
}
