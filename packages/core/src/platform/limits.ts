import type { ErrorText } from './error-text.ts'

/** What a limit counts by. `network` is an IPv6 /48: an IPv4 address has no network of its own. */
export const limitScopes = [
  'address',
  'network',
  'person',
  'token',
  'tenant',
  'member',
  'mailbox',
  'host',
  'recipient',
] as const
export type LimitScope = (typeof limitScopes)[number]

/**
 * One declared limit. `docs/reference/security.md` lists all of them; a test compares the page with
 * this table.
 */
export interface Limit {
  per: LimitScope
  most: number
  /** Length of the fixed window. Null: how many there may be at one time. */
  seconds: 60 | 600 | 3600 | 86400 | null
  /**
   * Where the count is kept. `process`: each API process counts for itself, because a request that
   * only reads writes nothing.
   */
  kept: 'database' | 'process'
  /**
   * Counted inside one tenant, so that an operator can set another number for that tenant. Limits
   * per tenant always are.
   */
  inTenant?: true
  /** What happens without the limit. */
  against: string
}

const minute = 60
const tenMinutes = 600
const day = 86_400

const table = {
  changes_person_minute: {
    per: 'person',
    most: 1_200,
    seconds: minute,
    kept: 'database',
    against: 'A signed-in person floods the database, the audit log and the upstream systems.',
  },
  changes_token_minute: {
    per: 'token',
    most: 600,
    seconds: minute,
    kept: 'database',
    against: 'A leaked access token or a program in a loop uses up the allowance of its person.',
  },
  service_token_minute: {
    per: 'token',
    most: 1_200,
    seconds: minute,
    kept: 'database',
    against: 'A program in a loop, or one with a leaked service token, floods the API.',
  },
  token_failures_minute: {
    per: 'address',
    most: 300,
    seconds: minute,
    kept: 'process',
    against: 'Someone sends invented service tokens, each of which is looked up.',
  },
  service_tokens: {
    per: 'tenant',
    most: 100,
    seconds: null,
    kept: 'database',
    against: 'A program creates service tokens without end, and nobody can review them.',
  },
  webhook_endpoints: {
    per: 'tenant',
    most: 20,
    seconds: null,
    kept: 'database',
    against:
      'Each event is sent to hundreds of endpoints, and the deliveries keep the service busy.',
  },
  workplaces_person_day: {
    per: 'person',
    most: 10,
    seconds: day,
    kept: 'database',
    against: 'One account takes many names and multiplies every limit of a workplace.',
  },
  workplaces_person: {
    per: 'person',
    most: 25,
    seconds: null,
    kept: 'database',
    against: 'One account owns workplaces without end.',
  },
  workplaces_partner_day: {
    per: 'person',
    most: 200,
    seconds: day,
    kept: 'database',
    against: 'An account of a partner that was taken over creates customers without end.',
  },
  members_day: {
    per: 'tenant',
    most: 3_000,
    seconds: day,
    kept: 'database',
    against: 'An account that was taken over fills the upstream systems.',
  },
  invitations_day: {
    per: 'tenant',
    most: 500,
    seconds: day,
    kept: 'database',
    against: 'A workplace sends mail to strangers from the address of the platform.',
  },
  invitations_unproven_day: {
    per: 'tenant',
    most: 50,
    seconds: day,
    kept: 'database',
    against: 'Someone creates a workplace with a known name and sends mail to strangers.',
  },
  invitation_repeats_day: {
    per: 'tenant',
    most: 200,
    seconds: day,
    kept: 'database',
    against: 'A workplace mails everyone it ever invited, again and again.',
  },
  address_claims_day: {
    per: 'tenant',
    most: 500,
    seconds: day,
    kept: 'database',
    against: 'An admin mails the people of other workplaces again and again.',
  },
  address_changes_day: {
    per: 'person',
    most: 10,
    seconds: day,
    kept: 'database',
    against: 'A person whose address is claimed sends mail to strangers.',
  },
  invitations_recipient_day: {
    per: 'recipient',
    most: 10,
    seconds: day,
    kept: 'database',
    against: 'Workplaces invite one person again and again to flood that mailbox.',
  },
  invitation_links_minute: {
    per: 'address',
    most: 240,
    seconds: minute,
    kept: 'database',
    against: 'Someone guesses mailed links, or keeps the identity provider busy with one.',
  },
  invitation_links_network_minute: {
    per: 'network',
    most: 480,
    seconds: minute,
    kept: 'database',
    against: 'One IPv6 customer guesses mailed links from many addresses.',
  },
  imports_day: {
    per: 'tenant',
    most: 50,
    seconds: day,
    kept: 'database',
    against: 'Imports of 2,000 rows each fill the database.',
  },
  password_resets_hour: {
    per: 'member',
    most: 10,
    seconds: 3_600,
    kept: 'database',
    inTenant: true,
    against: 'An admin floods one mailbox with notices of new passwords.',
  },
  password_resets_day: {
    per: 'tenant',
    most: 500,
    seconds: day,
    kept: 'database',
    against: 'An admin account that was taken over locks everyone out and mails them.',
  },
  password_links_recipient_day: {
    per: 'recipient',
    most: 10,
    seconds: day,
    kept: 'database',
    against: 'Admins mail links to new passwords to one stranger again and again.',
  },
  transfer_codes_day: {
    per: 'tenant',
    most: 20,
    seconds: day,
    kept: 'database',
    against: 'A program writes transfer codes and entries of the audit log without end.',
  },
  transfer_attempts_hour: {
    per: 'person',
    most: 30,
    seconds: 3_600,
    kept: 'database',
    against: 'Staff of a partner tries transfer codes until one belongs to a tenant.',
  },
  second_factor_resets_hour: {
    per: 'member',
    most: 10,
    seconds: 3_600,
    kept: 'database',
    inTenant: true,
    against: 'An admin floods one mailbox with notices of removed second factors.',
  },
  staff_invitations_day: {
    per: 'person',
    most: 50,
    seconds: day,
    kept: 'database',
    against: 'Staff of a partner sends mail to strangers.',
  },
  domains: {
    per: 'tenant',
    most: 20,
    seconds: null,
    kept: 'database',
    against: 'Domains without end fill the mail server and cause DNS queries for ever.',
  },
  aliases: {
    per: 'mailbox',
    most: 50,
    seconds: null,
    kept: 'database',
    inTenant: true,
    against: 'Aliases without end fill the mail server and take names from others.',
  },
  lists: {
    per: 'tenant',
    most: 1_000,
    seconds: null,
    kept: 'database',
    against: 'Lists without end fill the mail server.',
  },
  sso_apps: {
    per: 'tenant',
    most: 100,
    seconds: null,
    kept: 'database',
    against: 'Applications without end fill the identity provider.',
  },
  previews_minute: {
    per: 'person',
    most: 30,
    seconds: minute,
    kept: 'database',
    inTenant: true,
    against: 'Previews use up the processor.',
  },
  documents_minute: {
    per: 'person',
    most: 120,
    seconds: minute,
    kept: 'database',
    against: 'Documents that are rendered use up the processor.',
  },
  bookkeeping_exports_hour: {
    per: 'person',
    most: 120,
    seconds: 3_600,
    kept: 'database',
    against: 'A program in a loop exports large months and keeps the database busy.',
  },
  streams: {
    per: 'person',
    most: 20,
    seconds: null,
    kept: 'process',
    inTenant: true,
    against: 'One person keeps hundreds of connections open.',
  },
  exports: {
    per: 'person',
    most: 3,
    seconds: null,
    kept: 'process',
    against: 'Exports of a large log keep the database busy.',
  },
  visitor_mails_recipient_day: {
    per: 'recipient',
    most: 20,
    seconds: day,
    kept: 'database',
    against: 'Someone books in the name of a stranger to flood that mailbox.',
  },
  visitor_mails_host_day: {
    per: 'host',
    most: 500,
    seconds: day,
    kept: 'database',
    inTenant: true,
    against: 'Bookings flood the mailbox of a host.',
  },
  visitor_mails_unproven_day: {
    per: 'tenant',
    most: 300,
    seconds: day,
    kept: 'database',
    against: 'Someone creates a workplace and books in the names of strangers to mail them.',
  },
  visitor_mails_day: {
    per: 'tenant',
    most: 3_000,
    seconds: day,
    kept: 'database',
    against: 'Booking pages of a workplace serve to send mail in bulk.',
  },
  visitor_pages_minute: {
    per: 'address',
    most: 120,
    seconds: minute,
    kept: 'database',
    against: 'Someone reads all booking pages in bulk.',
  },
  visitor_slots_minute: {
    per: 'address',
    most: 60,
    seconds: minute,
    kept: 'database',
    against: 'Searches for free times use up the processor.',
  },
  visitor_slots_network_minute: {
    per: 'network',
    most: 180,
    seconds: minute,
    kept: 'database',
    against: 'One IPv6 customer searches from many addresses.',
  },
  visitor_holds_minute: {
    per: 'address',
    most: 20,
    seconds: minute,
    kept: 'database',
    against: 'Holds keep all times of a host from other visitors.',
  },
  visitor_holds_network_minute: {
    per: 'network',
    most: 40,
    seconds: minute,
    kept: 'database',
    against: 'One IPv6 customer holds times from many addresses.',
  },
  visitor_bookings_minute: {
    per: 'address',
    most: 10,
    seconds: minute,
    kept: 'database',
    against: 'A program books all times of a host.',
  },
  visitor_bookings_day: {
    per: 'address',
    most: 50,
    seconds: day,
    kept: 'database',
    against: 'A program books slowly, all day.',
  },
  visitor_bookings_network_minute: {
    per: 'network',
    most: 20,
    seconds: minute,
    kept: 'database',
    against: 'One IPv6 customer books from many addresses.',
  },
  visitor_bookings_network_day: {
    per: 'network',
    most: 100,
    seconds: day,
    kept: 'database',
    against: 'One IPv6 customer books from many addresses, all day.',
  },
  visitor_manage_reads_minute: {
    per: 'address',
    most: 60,
    seconds: minute,
    kept: 'database',
    against: 'A manage link is read in a loop.',
  },
  visitor_manage_changes_minute: {
    per: 'address',
    most: 10,
    seconds: minute,
    kept: 'database',
    against: 'A booking is moved again and again, with a mail each time.',
  },
  visitor_manage_failures: {
    per: 'address',
    most: 10,
    seconds: tenMinutes,
    kept: 'database',
    against: 'Someone guesses manage links.',
  },
  mailbox_sign_ins_hour: {
    per: 'person',
    most: 20,
    seconds: 3_600,
    kept: 'database',
    against: 'Someone guesses the password of a mailbox, and the mail server bans the platform.',
  },
  flag_evaluations_minute: {
    per: 'person',
    most: 600,
    seconds: minute,
    kept: 'process',
    against: 'A client that is set up wrong asks for flags in a loop.',
  },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof table

export const limits: Readonly<Record<LimitName, Limit>> = table
export const limitNames = Object.keys(table) as LimitName[]

/** Whether an operator can set a number of this limit for a single tenant. */
export function isSetPerTenant(name: LimitName): boolean {
  const { per, inTenant }: Limit = table[name]
  return per === 'tenant' || inTenant === true
}

export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(table, name)
}

/** "At most 600 changes a minute with one access token". `most` is what applies. */
export function limitText(name: LimitName, most: number = table[name].most): ErrorText {
  const { per, seconds }: Limit = table[name]
  return {
    key: 'limits.limit',
    values: {
      most,
      counts: { key: `limits.counts.${name}`, values: {} },
      span: { key: `limits.spans.${seconds ?? 'none'}`, values: {} },
      per: { key: `limits.per.${per}`, values: {} },
    },
  }
}

/**
 * What a caller reads who reached a limit: which one, when it ends, and who can raise it. `endsAt`
 * null: it ends when one of what is counted is gone.
 */
export function limitReached(name: LimitName, most: number, endsAt: Date | null): ErrorText {
  const limit = limitText(name, most)
  if (endsAt === null) return { key: 'limits.reached', values: { limit, name } }
  const end = `${endsAt.toISOString().slice(0, 19)}Z`
  return { key: 'limits.reachedUntil', values: { limit, end, name } }
}
