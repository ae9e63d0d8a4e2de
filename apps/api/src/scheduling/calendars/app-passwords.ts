import { randomBytes } from 'node:crypto'
import { schedulingPasswordName } from '@atrium/core/members/app-passwords'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { failureText } from '@atrium/core/platform/failure-text'
import {
  type AppPasswordRemoval,
  claimAppPasswordRemovals,
  deleteAppPasswordRemoval,
  insertAppPasswordRemoval,
  postponeAppPasswordRemoval,
} from '@atrium/db/scheduling/mail-credentials'
import type { MailServer } from '@atrium/integrations/mail/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'

/** How long one call at the mail server may take, its retries included. */
const deadlineMs = 10_000
/** A mint that was heard of no more after this long is taken back. */
const mintSeconds = 120

export interface MintedPassword {
  id: string
  secret: string
  /** The recorded revocation, which is deleted in the transaction that stores the secret. */
  removalId: string
}

/**
 * Creates an app password for a mailbox. Its revocation is recorded before the mail server is
 * called, so that neither a lost response nor the end of this process leaves an unknown one behind.
 * Throws AppError `limit_reached`, `upstream_failed`.
 */
export async function mintAppPassword(
  services: Services,
  mail: MailServer,
  host: { id: string; accountId: string },
): Promise<MintedPassword> {
  const { db } = services.database
  const { id: hostId, accountId } = host
  // One of a kind, because a person may have made app passwords too, and by the name one is found
  // whose id never reached us.
  const description = `${schedulingPasswordName} ${randomBytes(4).toString('hex')}`
  const removalId = await insertAppPasswordRemoval(db, {
    hostId,
    accountId,
    description,
    externalId: null,
    afterSeconds: mintSeconds,
  })
  try {
    const { id, secret } = await mail.createAppPassword(
      { accountId, description },
      { signal: AbortSignal.timeout(deadlineMs) },
    )
    return { id, secret, removalId }
  } catch (error) {
    // What was rejected was not made. Everything else may have been, and is looked for.
    if (error instanceof UpstreamError && !isTransient(error))
      await deleteAppPasswordRemoval(db, removalId)
    throw mintRejection(error)
  }
}

function mintRejection(error: unknown): AppError {
  if (!(error instanceof UpstreamError)) {
    return new AppError('upstream_failed', errorText('mailServerTimeout'), {
      cause: error,
    })
  }
  if (error.kind === 'conflict') {
    return new AppError('limit_reached', errorText('appPasswordLimit'), { cause: error })
  }
  return new AppError('upstream_failed', error.message, { cause: error })
}

/**
 * Revokes a created password immediately. A failure is recorded and retried later. Never throws.
 */
export async function takeBack(services: Services, removal: AppPasswordRemoval): Promise<void> {
  const { db } = services.database
  try {
    await removeFromServer(services, removal)
    await deleteAppPasswordRemoval(db, removal.id)
  } catch (error) {
    if (!(error instanceof UpstreamError))
      services.log.error({ err: error, hostId: removal.hostId }, 'failed to revoke app password')
    const reason =
      error instanceof UpstreamError
        ? error.message
        : failureText({ system: 'mail', call: 'removeAppPassword', kind: 'timeout' })
    await postponeAppPasswordRemoval(db, removal.id, delaySeconds(removal.attempts), reason).catch(
      (err: unknown) => {
        services.log.error(
          { err, hostId: removal.hostId },
          'failed to postpone app password removal',
        )
      },
    )
  }
}

async function removeFromServer(
  { systems }: Services,
  { accountId, description, externalId }: AppPasswordRemoval,
): Promise<void> {
  const { mail } = systems
  if (!mail) throw new Error('there is no mail server any more')
  const signal = AbortSignal.timeout(deadlineMs)
  const ids =
    externalId === null
      ? (await mail.listAppPasswords({ accountId }, { signal }))
          .filter((one) => one.description === description)
          .map(({ id }) => id)
      : [externalId]
  for (const id of ids) await mail.removeAppPassword({ accountId, id }, { signal })
}

/** Half a minute, doubling to an hour. */
const delaySeconds = (attempts: number) => Math.min(30 * 2 ** Math.min(attempts, 10), 3_600)
const removalsPerRun = 20

/** Revokes due app passwords, a few at a time. */
export async function takeBackDue(services: Services): Promise<void> {
  for (;;) {
    const due = await claimAppPasswordRemovals(services.database.db, removalsPerRun)
    for (const removal of due) await takeBack(services, removal)
    if (due.length < removalsPerRun) return
  }
}
