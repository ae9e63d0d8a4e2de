import {
  claimFormerFileAccounts,
  deleteFormerFileAccount,
  type FormerFileAccount,
  noteDisabledFileAccount,
  planFormerFileAccount,
} from '@atrium/db/members/former-file-accounts'
import { type FileStorage, isAccountOf } from '@atrium/integrations/files/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../rpc/services.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
/**
 * From then on the name of a disabled account is freed: an access token of the file storage's
 * application lives an hour at most.
 */
const nameFreedAfter = 2 * hour
/** By then every earlier token has expired, whatever its lifetime was. */
const watchedFor = 2 * day
/** How long a disabled account keeps what is in it. */
const deletedAfter = 30 * day

const mostAtOnce = 200

/**
 * Finds accounts that the file storage recreated for removed people, which a token that is still
 * valid causes. Such an account is disabled immediately, so that the token opens nothing; later it
 * gives up its name, which another person may need; after 30 days it is deleted with its content.
 * Only accounts that are proven to be the removed person's are touched (`isAccountOf`), and one
 * that was enabled again by hand is left alone.
 */
export async function sweepFormerFileAccounts(services: Services): Promise<void> {
  const { files } = services.systems
  if (!files) return
  for (const former of await claimFormerFileAccounts(services.database.db, mostAtOnce)) {
    try {
      await lookAgain(services, files, former)
    } catch (err) {
      if (!(err instanceof UpstreamError)) throw err
      services.log.warn(
        { err, userId: former.userId },
        'failed to look up the file account of a removed user',
      )
    }
  }
}

async function lookAgain(
  services: Services,
  files: FileStorage,
  former: FormerFileAccount,
): Promise<void> {
  const { db } = services.database
  const { userId, subject, username, age, standing } = former
  if (standing === 'back') return deleteFormerFileAccount(db, userId)
  if (standing === 'leaving') return
  const account = await files.findAccount(username)
  if (account && isAccountOf(account, { id: userId, subject })) {
    // On record first: what is not would be forgotten by a process that dies here.
    await noteDisabledFileAccount(db, userId, account.id)
    if (account.enabled) {
      await files.setAccountEnabled({ id: account.id, enabled: false })
      services.log.warn(
        { userId, accountId: account.id },
        'file account of a removed user was recreated; disabled it',
      )
    }
    if (age >= nameFreedAfter)
      await files.updateAccount({ id: account.id, email: nameAside(account.id) })
    if (!former.disabled.includes(account.id)) former.disabled.push(account.id)
  }
  if (age < nameFreedAfter) return
  if (age < watchedFor) return planFormerFileAccount(db, userId, age + hour)
  if (age < deletedAfter && former.disabled.length > 0)
    return planFormerFileAccount(db, userId, deletedAfter)
  for (const id of former.disabled) await deleteForGood(services, files, former, id)
  await deleteFormerFileAccount(db, userId)
}

async function deleteForGood(
  services: Services,
  files: FileStorage,
  { userId, subject }: FormerFileAccount,
  accountId: string,
): Promise<void> {
  const account = await files.findAccount(nameAside(accountId))
  if (!account) return
  if (
    account.id !== accountId ||
    account.enabled ||
    !isAccountOf(account, { id: userId, subject })
  ) {
    services.log.warn(
      { userId, accountId },
      'file account of a removed user was changed by hand; left unchanged',
    )
    return
  }
  await files.removeAccount(accountId)
  services.log.info({ userId, accountId }, 'deleted the disabled file account of a removed user')
}

/** No one can own an address under `.invalid` (RFC 2606). */
function nameAside(accountId: string): string {
  return `former-${accountId}@former.invalid`
}
