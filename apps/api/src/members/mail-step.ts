import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import type { TouchedList } from '@atrium/db/mail/lists'
import { type MemberWork, noteMemberFacts, saveMemberFacts } from '@atrium/db/members/member-work'
import type { Trx } from '@atrium/db/platform/connect'
import type { MailAccount, MailServer } from '@atrium/integrations/mail/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import { removeFromLists } from '../mail/lists/members.ts'
import { StepRejected } from '../platform/step-rejected.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import { randomPassword } from './one-time-password.ts'
import { type StepCall, standingOf } from './step.ts'

type Mailbox = NonNullable<MemberWork['mailbox']>
type MailCall = StepCall & { mail: MailServer; mailbox: Mailbox }

/** The person's mailbox under the address on record: made, renamed, frozen, thawed or removed. */
export async function mailStep(call: StepCall): Promise<'ok' | 'skipped'> {
  const { services, work } = call
  const { mail } = services.systems
  if (!mail || !services.config.mailProvisioning || work.mailbox === null) return 'skipped'
  const mailCall = { ...call, mail, mailbox: work.mailbox }
  const accountId = await findAccount(mailCall)
  switch (standingOf(work)) {
    case 'removing':
      if (accountId !== undefined) await remove(mailCall, accountId)
      return 'ok'
    case 'shut':
      if (accountId === undefined) return 'skipped'
      await freeze(mailCall, accountId)
      return 'ok'
    default:
      await keepOpen(mailCall, accountId)
      return 'ok'
  }
}

/**
 * The aliases go with the mailbox, and the lists that send to one of them must not send into the
 * void.
 */
async function remove(
  { services, work, mail, signal }: MailCall,
  accountId: string,
): Promise<void> {
  const account = await mail.readAccount(accountId, { signal })
  await mail.removeAccount(accountId, { signal })
  const record = async (trx: Trx, lists: readonly TouchedList[]) => {
    for (const { id, address, left } of lists) {
      const entry: AuditEntry = {
        action: 'list.updated',
        resourceType: 'list',
        resourceId: id,
        resourceName: address,
        tenantSlug: work.tenant.slug,
        metadata: { reason: 'aliases of a removed mailbox', recipientsLeft: left },
      }
      await services.audit.recordSystem(entry, trx)
    }
  }
  await removeFromLists(services, work.tenant.id, account?.aliases ?? [], record)
}

/** The account on record, or one that we created and whose response was lost. */
async function findAccount({
  services,
  work,
  mail,
  mailbox,
  fresh,
  signal,
}: MailCall): Promise<string | undefined> {
  if (mailbox.accountId !== null) return mailbox.accountId
  // Unless the address was found free, an account under it may belong to someone else.
  if (!mailbox.vacant || fresh) return undefined
  const found = await mail.findAccount(mailbox.address, { signal })
  const account = found && (await mail.readAccount(found.id, { signal }))
  if (account?.address !== mailbox.address) return undefined
  await saveMemberFacts(services.database.db, work, { mail_account_id: account.id })
  return account.id
}

async function keepOpen(call: MailCall, accountId: string | undefined): Promise<void> {
  const { services, work, mail, mailbox, signal } = call
  const account =
    accountId === undefined ? undefined : await mail.readAccount(accountId, { signal })
  if (!account) {
    await make(call)
    return
  }
  // Found after its response was lost: its password was shown to no one.
  if (mailbox.accountId === null || call.renewsPassword) await givePassword(call, account.id)
  if (account.address !== mailbox.address) await rename(call, account)
  if (account.displayName !== work.user.name)
    await mail.setDisplayName({ id: account.id, displayName: work.user.name }, { signal })
  if (work.tenant.access === 'read_only') return mute(call, account)
  if (!mailbox.frozen) return
  await mail.thawAccount(
    { id: account.id, permissions: mailbox.permissions ?? undefined },
    { signal },
  )
  await saveMemberFacts(services.database.db, work, { mail_frozen: false, mail_permissions: null })
  await services.mailboxOpened(account.id)
}

/**
 * The mailbox of a tenant that may only read: what was allowed before is on record first, as for
 * freezing.
 */
async function mute(
  { services, work, mail, mailbox, signal }: MailCall,
  account: MailAccount,
): Promise<void> {
  const permissions = mailbox.frozen ? mailbox.permissions : account.permissions
  if (!mailbox.frozen) {
    await saveMemberFacts(services.database.db, work, {
      mail_frozen: true,
      mail_permissions: JSON.stringify(permissions ?? null),
    })
  }
  await mail.muteAccount({ id: account.id, permissions: permissions ?? undefined }, { signal })
}

async function make(call: MailCall): Promise<void> {
  const { services, work, password, mail, mailbox, signal } = call
  const { db } = services.database
  const { localPart, domainId } = placeOf(mailbox)
  if (!mailbox.vacant && (await mail.findAccount(mailbox.address, { signal }))) throw taken(mailbox)
  if (!mailbox.vacant || !password)
    await saveMemberFacts(db, work, {
      mail_vacant: true,
      ...(password ? {} : { needs_password: true }),
    })
  const first = password?.give() ?? randomPassword()
  try {
    const { id } = await mail.createAccount(
      { localPart, domainId, displayName: work.user.name, password: first },
      { signal },
    )
    noteMemberFacts(work, { mail_account_id: id, mail_frozen: false, mail_permissions: null })
  } catch (error) {
    const conflict = error instanceof UpstreamError && error.kind === 'conflict'
    if (!conflict && !isTransient(error)) throw error
    const made = await findAccount({
      ...call,
      fresh: false,
      mailbox: { ...mailbox, accountId: null, vacant: true },
    })
    if (made === undefined) throw conflict ? taken(mailbox) : error
    await mail.setAccountPassword({ id: made, password: first }, { signal })
  }
}

async function givePassword(
  { services, work, password, mail, signal }: MailCall,
  accountId: string,
): Promise<void> {
  if (!password) {
    await saveMemberFacts(services.database.db, work, { needs_password: true })
    return
  }
  await mail.setAccountPassword({ id: accountId, password: password.give() }, { signal })
}

async function rename({ mail, mailbox, signal }: MailCall, account: MailAccount): Promise<void> {
  try {
    await mail.renameAccount({ id: account.id, to: placeOf(mailbox), keepOld: true }, { signal })
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'conflict') throw taken(mailbox)
    throw error
  }
}

/**
 * The earlier permissions are recorded before anything changes, so that a lost response cannot lose
 * them.
 */
async function freeze(
  { services, work, mail, mailbox, signal }: MailCall,
  accountId: string,
): Promise<void> {
  const { db } = services.database
  if (!mailbox.frozen) {
    const account = await mail.readAccount(accountId, { signal })
    if (!account) throw new StepRejected(stepFailureText('mailboxGone'))
    await saveMemberFacts(db, work, {
      mail_frozen: true,
      mail_permissions: JSON.stringify(account.permissions ?? null),
    })
  }
  const frozen = await mail.freezeAccount(accountId, { signal })
  // What is on record already was there before a mailbox was limited in another way.
  if (frozen && !mailbox.frozen)
    await saveMemberFacts(db, work, { mail_permissions: JSON.stringify(frozen.before ?? null) })
}

function placeOf({ address, domainId }: Mailbox): { localPart: string; domainId: string } {
  const { localPart, domain } = splitAddress(address)
  if (domainId === null) throw new StepRejected(stepFailureText('domainMissing', domain))
  return { localPart, domainId }
}

function taken({ address }: Mailbox): StepRejected {
  return new StepRejected(stepFailureText('addressTaken', address))
}
