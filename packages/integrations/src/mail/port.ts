import type { CallOptions } from '../call-options.ts'

/**
 * What the mail server is used for. Every method rejects with `UpstreamError` alone, unless the
 * signal ended it.
 */
export interface MailServer extends MailDomains, MailAccounts, MailAppPasswords, MailLists {
  /** Proves address and credentials; the permissions are the server's own names. */
  check(options?: CallOptions): Promise<{ permissions: string[] }>
  /**
   * Tries the rights that provisioning needs: makes a disposable domain with a mailbox and a list,
   * and removes them. For once per start, not for every check. `unauthorized` with the names of
   * rights that the key lacks.
   */
  tryRights(options?: CallOptions): Promise<void>
}

export interface DnsRecord {
  /** Fully qualified, lower-case, without the dot at the end. */
  name: string
  type: string
  /**
   * As in the zone, a TXT joined from its pieces and without quotes; names without the dot at the
   * end.
   */
  value: string
}

/** What still holds a domain in the mail server. */
export interface DomainUse {
  accounts: number
  aliases: number
  lists: number
  /** Up to ten addresses, so that a person finds them. */
  examples: string[]
}

export interface MailDomains {
  /**
   * Creates the domain or finds the existing one. An existing domain is ours when its description
   * equals `description` or is empty; otherwise it belongs to someone else: `conflict`. A name that
   * the server rejects: `refused`.
   */
  ensureDomain(
    domain: { name: string; description: string },
    options?: CallOptions,
  ): Promise<{ id: string; created: boolean }>
  /**
   * Gives a domain another name; its keys and what is on it stay. Repeatable. `not_found` when it
   * is gone, `conflict` when another one has the name.
   */
  renameDomain(request: { domainId: string; name: string }, options?: CallOptions): Promise<void>
  findDomain(
    name: string,
    options?: CallOptions,
  ): Promise<{ id: string; description: string | undefined } | undefined>
  /**
   * The records that the server wants published, parsed from its zone text. `complete` is false
   * while signing keys are still being made, which takes a moment after the domain. `not_found`
   * when the domain is gone.
   */
  domainRecords(
    domainId: string,
    options?: CallOptions,
  ): Promise<{ records: DnsRecord[]; complete: boolean }>
  /** Where aggregate reports about the domain go, `mailto:…`; null for none. Repeatable. */
  setReportAddress(
    request: { domainId: string; address: string | null },
    options?: CallOptions,
  ): Promise<void>
  /** Counts primary addresses, aliases and lists on the domain. */
  domainUse(domainId: string, options?: CallOptions): Promise<DomainUse>
  /**
   * Removes the domain with its signing keys. An absent domain counts as removed. `conflict` while
   * something uses it.
   */
  removeDomain(domainId: string, options?: CallOptions): Promise<void>
}

export interface MailAddress {
  /** The part before the `@`, lower-case. */
  localPart: string
  domainId: string
}

export interface MailAccount {
  id: string
  /** Primary address. */
  address: string
  displayName: string | null
  aliases: string[]
  /** Opaque: the permissions as the server keeps them, to be given back to `thawAccount`. */
  permissions: unknown
  frozen: boolean
  /** Bytes; null when not reported or unlimited. */
  usedBytes: number | null
  quotaBytes: number | null
}

/** Mailboxes of people. Each is named by the server's id, which the caller keeps. */
export interface MailAccounts {
  /**
   * `conflict` when the address is taken by an account, alias or list. Not repeatable: ask
   * `findAccount` after a failure.
   */
  createAccount(
    account: MailAddress & {
      displayName: string
      password: string
      quotaBytes?: number | undefined
    },
    options?: CallOptions,
  ): Promise<{ id: string }>
  /** By primary address or alias; people only, no groups. */
  findAccount(address: string, options?: CallOptions): Promise<{ id: string } | undefined>
  readAccount(id: string, options?: CallOptions): Promise<MailAccount | undefined>
  /**
   * A new primary address; the old one stays as an alias by default. `conflict` when it is taken.
   */
  renameAccount(
    request: { id: string; to: MailAddress; keepOld: boolean },
    options?: CallOptions,
  ): Promise<void>
  setDisplayName(request: { id: string; displayName: string }, options?: CallOptions): Promise<void>
  setAccountPassword(
    request: { id: string; password: string },
    options?: CallOptions,
  ): Promise<void>
  /**
   * Rejects every sign-in and keeps password and mail; mail goes on arriving. Returns the
   * permissions that were there before, to be stored and given to `thawAccount`; undefined when the
   * account was frozen already, so that what was stored is not overwritten. After a failure it may
   * be frozen all the same: who cannot lose what was there before stores `readAccount` first.
   */
  freezeAccount(id: string, options?: CallOptions): Promise<{ before: unknown } | undefined>
  /**
   * Rejects sending, and leaves everything else as `permissions` says: those that were there before
   * it was limited in any way. Repeatable.
   */
  muteAccount(request: { id: string; permissions?: unknown }, options?: CallOptions): Promise<void>
  /**
   * Restores the previous permissions; without any the account inherits those of its role.
   * Repeatable.
   */
  thawAccount(request: { id: string; permissions?: unknown }, options?: CallOptions): Promise<void>
  /** An absent account counts as removed. The address is free at once; the mail is erased. */
  removeAccount(id: string, options?: CallOptions): Promise<void>
  /**
   * `conflict` when the address is taken, also by the account itself. Repeatable: an alias that the
   * account has already counts as added.
   */
  addAlias(request: { accountId: string } & MailAddress, options?: CallOptions): Promise<void>
  /** An absent alias counts as removed. */
  removeAlias(request: { accountId: string } & MailAddress, options?: CallOptions): Promise<void>
  /** Every alias on one of the domains, with the account that has it. */
  aliasesOn(
    domainIds: readonly string[],
    options?: CallOptions,
  ): Promise<{ address: string; accountId: string }[]>
}

/**
 * Further secrets of a mailbox for one purpose each. They end with the mailbox's freezing and their
 * own removal, not with its password.
 */
export interface MailAppPasswords {
  /**
   * The secret is returned only once. `conflict` when the mailbox has the maximum number (usually
   * five), `not_found` without an account, `unauthorized` with the names of the permissions that
   * our key lacks. Not repeatable: what a call with a lost response created stays until it is
   * removed.
   */
  createAppPassword(
    request: { accountId: string; description: string },
    options?: CallOptions,
  ): Promise<{ id: string; secret: string }>
  /**
   * Those of an account; none for an absent account. The server does not tell when one was last
   * used.
   */
  listAppPasswords(
    request: { accountId: string },
    options?: CallOptions,
  ): Promise<{ id: string; description: string; createdAt: string | null }[]>
  /** An absent one counts as removed. */
  removeAppPassword(
    request: { accountId: string; id: string },
    options?: CallOptions,
  ): Promise<void>
}

export interface MailList {
  id: string
  address: string
  name: string | null
  /** Addresses, local or foreign, lower-case and sorted. */
  recipients: string[]
}

/** Distribution lists: one address that fans out. */
export interface MailLists {
  /** `conflict` when the address is taken by an account, alias or list. */
  createList(
    list: MailAddress & { name: string; recipients: readonly string[] },
    options?: CallOptions,
  ): Promise<{ id: string }>
  readList(id: string, options?: CallOptions): Promise<MailList | undefined>
  /** Every list on one of the domains. */
  listsOn(domainIds: readonly string[], options?: CallOptions): Promise<MailList[]>
  /** Replaces what is given. `not_found` when the list is gone. */
  updateList(
    request: { id: string; name?: string | undefined; recipients?: readonly string[] | undefined },
    options?: CallOptions,
  ): Promise<void>
  /** An absent list counts as removed. */
  removeList(id: string, options?: CallOptions): Promise<void>
}
