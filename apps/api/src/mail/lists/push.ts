import { setTimeout as wait } from 'node:timers/promises'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { failureText, stepFailureText } from '@atrium/core/platform/failure-text'
import {
  claimMailList,
  deleteMailList,
  type ListPush,
  markAddressVacant,
  type PushOutcome,
  saveMailListPush,
} from '@atrium/db/mail/lists'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { retryDelaySeconds } from '../../platform/retry-delay.ts'
import type { Services } from '../../rpc/services.ts'
import { mailDeadlineMs } from '../aliases/mail-server.ts'

/** When another process may take over the push, should this process die. */
export const recoverAfterSeconds = 30

/** Seconds until a failed push is retried for the first time. */
const firstRetrySeconds = 60
const pollIntervalMs = 100
const mostRounds = 5

/**
 * Syncs a list to the mail server: creates, changes or removes it, one push per list at a time. The
 * result is saved in the list's row. `busy` when another push holds it for longer than `waitMs`;
 * that one, or the sweep, pushes the newest state. `taken` for a `fresh` list whose address is in
 * use there by something else: the list is deleted.
 */
export async function pushList(
  services: Services,
  listId: string,
  { fresh = false, waitMs = mailDeadlineMs }: { fresh?: boolean; waitMs?: number } = {},
): Promise<'done' | 'taken' | 'busy'> {
  const { db } = services.database
  const giveUpAt = performance.now() + waitMs
  for (let round = 0; round < mostRounds; ) {
    const push = await claimMailList(db, listId)
    if (push === undefined) return 'done'
    if (push === 'held') {
      if (performance.now() >= giveUpAt) return 'busy'
      await wait(pollIntervalMs)
      continue
    }
    round += 1
    const outcome = await attempt(services, push)
    if ('taken' in outcome && fresh) {
      await deleteMailList(db, push)
      return 'taken'
    }
    const state = await saveMailListPush(db, push, outcome)
    services.log.info({ tenant: push.tenantSlug, list: push.id, state }, 'list pushed')
    // Changed while it was pushed: the newest state goes at once.
    if ('error' in outcome || state === undefined || state === 'ok') return 'done'
  }
  return 'done'
}

type Attempted =
  | Exclude<PushOutcome, { error: string }>
  | (Extract<PushOutcome, { error: string }> & { taken?: true })

async function attempt(services: Services, push: ListPush): Promise<Attempted> {
  const { mail } = services.systems
  const retryInSeconds = retryDelaySeconds(push.attempt, firstRetrySeconds)
  if (!mail || !services.config.mailProvisioning)
    return { error: stepFailureText('noMailServer'), retryInSeconds }
  const signal = AbortSignal.timeout(mailDeadlineMs)
  try {
    if (push.removing) return await remove(mail, push, signal)
    return (await change(mail, push, signal)) ?? (await create(services, mail, push, signal))
  } catch (error) {
    if (error instanceof UpstreamError) return { error: error.message, retryInSeconds }
    if (signal.aborted) {
      const seconds = mailDeadlineMs / 1000
      const failed = { system: 'mail', call: 'pushList', kind: 'timeout', seconds } as const
      return { error: failureText(failed), retryInSeconds }
    }
    services.log.error(
      { err: error, tenant: push.tenantSlug, list: push.id },
      'unexpected error while pushing a list',
    )
    return { error: stepFailureText('unforeseen'), retryInSeconds }
  }
}

/** Undefined when the mail server does not have the list, or no longer. */
async function change(
  mail: MailServer,
  { mailListId, name, recipients }: ListPush,
  signal: AbortSignal,
): Promise<Attempted | undefined> {
  if (mailListId === null) return undefined
  try {
    await mail.updateList({ id: mailListId, name, recipients }, { signal })
    return { mailListId }
  } catch (error) {
    if (isKind(error, 'not_found')) return undefined
    throw error
  }
}

/**
 * Gets or creates the list. An existing one is ours when its address was found free before an
 * earlier attempt whose response was lost.
 */
async function create(
  services: Services,
  mail: MailServer,
  push: ListPush,
  signal: AbortSignal,
): Promise<Attempted> {
  const { mailDomainId, address, name, recipients } = push
  const retryInSeconds = retryDelaySeconds(push.attempt, firstRetrySeconds)
  const { localPart, domain } = splitAddress(address)
  if (mailDomainId === null)
    return {
      error: stepFailureText('domainMissing', domain),
      mailListId: null,
      retryInSeconds,
    }
  const there = await findAt(mail, mailDomainId, address, signal)
  if (there && push.addressVacant) {
    await mail.updateList({ id: there, name, recipients }, { signal })
    return { mailListId: there }
  }
  const taken = {
    taken: true as const,
    error: stepFailureText('addressTaken', address),
    mailListId: null,
    retryInSeconds,
  }
  if (there) return taken
  await markAddressVacant(services.database.db, push)
  try {
    const { id } = await mail.createList(
      { localPart, domainId: mailDomainId, name, recipients },
      { signal },
    )
    return { mailListId: id }
  } catch (error) {
    if (isKind(error, 'conflict')) return taken
    throw error
  }
}

async function remove(mail: MailServer, push: ListPush, signal: AbortSignal): Promise<Attempted> {
  const { mailListId, addressVacant, mailDomainId, address } = push
  const lost =
    addressVacant && mailDomainId !== null
      ? await findAt(mail, mailDomainId, address, signal)
      : undefined
  const id = mailListId ?? lost
  if (id !== undefined) await mail.removeList(id, { signal })
  return { removed: true }
}

async function findAt(
  mail: MailServer,
  mailDomainId: string,
  address: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  return (await mail.listsOn([mailDomainId], { signal })).find((list) => list.address === address)
    ?.id
}

function isKind(error: unknown, kind: UpstreamError['kind']): boolean {
  return error instanceof UpstreamError && error.kind === kind
}
