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
 * One declared limit. `docs/security.md` lists all of them; a test compares the page with this
 * table.
 */
export interface Limit {
  /** What is counted, in the plural: "changes". */
  counts: string
  per: LimitScope
  most: number
  /** Length of the fixed window. Null: how many there may be at one time. */
  seconds: number | null
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
const day = 86_400

const table = {
  changes_person_minute: {
    ...{ counts: 'changes', per: 'person', most: 1_200, seconds: minute, kept: 'database' },
    against: 'A signed-in person floods the database, the audit log and the upstream systems.',
  },
  changes_token_minute: {
    ...{ counts: 'changes', per: 'token', most: 600, seconds: minute, kept: 'database' },
    against: 'A leaked access token or a program in a loop uses up the allowance of its person.',
  },
  workplaces_person_day: {
    ...{ counts: 'new workplaces', per: 'person', most: 10, seconds: day, kept: 'database' },
    against: 'One account takes many names and multiplies every limit of a workplace.',
  },
  workplaces_person: {
    ...{ counts: 'workplaces', per: 'person', most: 25, seconds: null, kept: 'database' },
    against: 'One account owns workplaces without end.',
  },
  workplaces_partner_day: {
    ...{ counts: 'new customers', per: 'person', most: 200, seconds: day, kept: 'database' },
    against: 'An account of a partner that was taken over creates customers without end.',
  },
  members_day: {
    ...{ counts: 'new members', per: 'tenant', most: 3_000, seconds: day, kept: 'database' },
    against: 'An account that was taken over fills the upstream systems.',
  },
  invitations_day: {
    ...{
      counts: 'welcome mails to outside addresses',
      per: 'tenant',
      most: 500,
      seconds: day,
      kept: 'database',
    },
    against: 'A workplace sends mail to strangers from the address of the platform.',
  },
  invitations_unproven_day: {
    ...{
      counts: 'welcome mails to outside addresses before a domain is verified',
      per: 'tenant',
      most: 50,
      seconds: day,
      kept: 'database',
    },
    against: 'Somebody creates a workplace with a known name and sends mail to strangers.',
  },
  invitation_repeats_day: {
    ...{
      counts: 'invitations sent again',
      per: 'tenant',
      most: 200,
      seconds: day,
      kept: 'database',
    },
    against: 'A workplace mails everybody whom it ever invited, again and again.',
  },
  invitations_recipient_day: {
    ...{ counts: 'invitations', per: 'recipient', most: 10, seconds: day, kept: 'database' },
    against: 'Workplaces invite somebody again and again to flood that mailbox.',
  },
  invitation_links_minute: {
    ...{
      counts: 'uses of a mailed link',
      per: 'address',
      most: 60,
      seconds: minute,
      kept: 'database',
    },
    against: 'Somebody guesses mailed links, or keeps the identity provider busy with one.',
  },
  invitation_links_network_minute: {
    ...{
      counts: 'uses of a mailed link',
      per: 'network',
      most: 120,
      seconds: minute,
      kept: 'database',
    },
    against: 'One IPv6 customer guesses mailed links from many addresses.',
  },
  imports_day: {
    ...{ counts: 'imports of members', per: 'tenant', most: 50, seconds: day, kept: 'database' },
    against: 'Imports of 2,000 rows each fill the database.',
  },
  password_resets_hour: {
    ...{
      counts: 'password resets',
      per: 'member',
      most: 10,
      seconds: 3_600,
      kept: 'database',
      inTenant: true,
    },
    against: 'An admin floods one mailbox with notices of new passwords.',
  },
  password_resets_day: {
    ...{ counts: 'password resets', per: 'tenant', most: 500, seconds: day, kept: 'database' },
    against: 'An admin account that was taken over locks everybody out and mails them.',
  },
  staff_invitations_day: {
    ...{
      counts: 'invitations to the staff of a partner',
      per: 'person',
      most: 50,
      seconds: day,
      kept: 'database',
    },
    against: 'Staff of a partner sends mail to strangers.',
  },
  domains: {
    ...{ counts: 'domains', per: 'tenant', most: 20, seconds: null, kept: 'database' },
    against: 'Domains without end fill the mail server and cause DNS queries for ever.',
  },
  aliases: {
    ...{
      counts: 'aliases',
      per: 'mailbox',
      most: 50,
      seconds: null,
      kept: 'database',
      inTenant: true,
    },
    against: 'Aliases without end fill the mail server and take names from others.',
  },
  lists: {
    ...{
      counts: 'distribution lists',
      per: 'tenant',
      most: 1_000,
      seconds: null,
      kept: 'database',
    },
    against: 'Lists without end fill the mail server.',
  },
  sso_apps: {
    ...{ counts: 'applications', per: 'tenant', most: 100, seconds: null, kept: 'database' },
    against: 'Applications without end fill the identity provider.',
  },
  previews_minute: {
    ...{
      counts: 'previews of a message',
      per: 'person',
      most: 30,
      seconds: minute,
      kept: 'database',
      inTenant: true,
    },
    against: 'Previews use up the processor.',
  },
  streams: {
    ...{
      counts: 'open event streams',
      per: 'person',
      most: 20,
      seconds: null,
      kept: 'process',
      inTenant: true,
    },
    against: 'One person keeps hundreds of connections open.',
  },
  exports: {
    ...{ counts: 'exports', per: 'person', most: 3, seconds: null, kept: 'process' },
    against: 'Exports of a large log keep the database busy.',
  },
  visitor_mails_recipient_day: {
    ...{
      counts: 'mails that visitors cause',
      per: 'recipient',
      most: 20,
      seconds: day,
      kept: 'database',
    },
    against: 'Somebody books in the name of a stranger to flood that mailbox.',
  },
  visitor_mails_host_day: {
    ...{
      counts: 'mails that visitors cause',
      per: 'host',
      most: 500,
      seconds: day,
      kept: 'database',
      inTenant: true,
    },
    against: 'Bookings flood the mailbox of a host.',
  },
  visitor_mails_unproven_day: {
    ...{
      counts: 'mails that visitors cause before a domain is verified',
      per: 'tenant',
      most: 300,
      seconds: day,
      kept: 'database',
    },
    against: 'Somebody creates a workplace and books in the names of strangers to mail them.',
  },
  visitor_mails_day: {
    ...{
      counts: 'mails that visitors cause',
      per: 'tenant',
      most: 3_000,
      seconds: day,
      kept: 'database',
    },
    against: 'Booking pages of a workplace serve to send mail in bulk.',
  },
  visitor_pages_minute: {
    ...{ counts: 'booking pages', per: 'address', most: 120, seconds: minute, kept: 'database' },
    against: 'Somebody reads all booking pages in bulk.',
  },
  visitor_slots_minute: {
    ...{
      counts: 'searches for free times',
      per: 'address',
      most: 60,
      seconds: minute,
      kept: 'database',
    },
    against: 'Searches for free times use up the processor.',
  },
  visitor_slots_network_minute: {
    ...{
      counts: 'searches for free times',
      per: 'network',
      most: 180,
      seconds: minute,
      kept: 'database',
    },
    against: 'One IPv6 customer searches from many addresses.',
  },
  visitor_holds_minute: {
    ...{ counts: 'holds of a time', per: 'address', most: 20, seconds: minute, kept: 'database' },
    against: 'Holds keep all times of a host from other visitors.',
  },
  visitor_holds_network_minute: {
    ...{ counts: 'holds of a time', per: 'network', most: 40, seconds: minute, kept: 'database' },
    against: 'One IPv6 customer holds times from many addresses.',
  },
  visitor_bookings_minute: {
    ...{ counts: 'bookings', per: 'address', most: 10, seconds: minute, kept: 'database' },
    against: 'A program books all times of a host.',
  },
  visitor_bookings_day: {
    ...{ counts: 'bookings', per: 'address', most: 50, seconds: day, kept: 'database' },
    against: 'A program books slowly, all day.',
  },
  visitor_bookings_network_minute: {
    ...{ counts: 'bookings', per: 'network', most: 20, seconds: minute, kept: 'database' },
    against: 'One IPv6 customer books from many addresses.',
  },
  visitor_bookings_network_day: {
    ...{ counts: 'bookings', per: 'network', most: 100, seconds: day, kept: 'database' },
    against: 'One IPv6 customer books from many addresses, all day.',
  },
  visitor_manage_reads_minute: {
    ...{
      counts: 'views of a booking',
      per: 'address',
      most: 60,
      seconds: minute,
      kept: 'database',
    },
    against: 'A manage link is read in a loop.',
  },
  visitor_manage_changes_minute: {
    ...{
      counts: 'changes of a booking',
      per: 'address',
      most: 10,
      seconds: minute,
      kept: 'database',
    },
    against: 'A booking is moved again and again, with a mail each time.',
  },
  visitor_manage_failures: {
    ...{
      counts: 'invalid manage links',
      per: 'address',
      most: 10,
      seconds: 10 * minute,
      kept: 'database',
    },
    against: 'Somebody guesses manage links.',
  },
  mailbox_sign_ins_hour: {
    ...{
      counts: 'sign-ins at the mail server',
      per: 'person',
      most: 20,
      seconds: 3_600,
      kept: 'database',
    },
    against: 'Somebody guesses the password of a mailbox, and the mail server bans the platform.',
  },
  flag_evaluations_minute: {
    ...{
      counts: 'OpenFeature evaluations',
      per: 'person',
      most: 600,
      seconds: minute,
      kept: 'process',
    },
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

const spans: Readonly<Record<number, string>> = {
  60: 'a minute',
  600: 'in ten minutes',
  3600: 'an hour',
  86400: 'a day',
}
const holders: Readonly<Record<LimitScope, string>> = {
  address: 'from one network address',
  network: 'from one IPv6 network',
  person: 'by one person',
  token: 'with one access token',
  tenant: 'in one workplace',
  member: 'for one member',
  mailbox: 'for one mailbox',
  host: 'with one host',
  recipient: 'to one e-mail address',
}

/**
 * "At most 600 changes a minute with one access token": the limit in words. `most` is what applies
 * where it is not the default.
 */
export function limitText(name: LimitName, most: number = table[name].most): string {
  const { counts, per, seconds }: Limit = table[name]
  const span = seconds === null ? 'at one time' : (spans[seconds] ?? `in ${seconds} seconds`)
  return `At most ${most.toLocaleString('en-US')} ${counts} ${span} ${holders[per]}`
}

/**
 * What somebody is told who reached a limit: which one, when it ends, and who can raise it.
 * `endsAt` null: it ends when one of what is counted is gone.
 */
export function limitReached(name: LimitName, most: number, endsAt: Date | null): string {
  const end =
    endsAt === null
      ? 'Remove or end one of them first.'
      : `The next ones are possible at ${endsAt.toISOString().slice(0, 19)}Z.`
  return `${limitText(name, most)}. ${end} An operator of the platform can raise this limit (${name}).`
}
