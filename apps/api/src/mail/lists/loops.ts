import { loopThrough } from '@atrium/core/mail/lists'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listAddressDomains } from '@atrium/db/mail/aliases'
import {
  listsReachedFrom,
  lockListRecipients,
  markListLocks,
  type ReachedList,
  releaseListLocks,
  tenantsOfDomains,
} from '@atrium/db/mail/lists'
import type { Trx } from '@atrium/db/platform/connect'

/**
 * Throws AppError `list_loop` when mail to `address` would come back to it, directly or through
 * other lists, those of other tenants included. The detail names the way, with `…` in place of the
 * lists of other tenants that this list does not name itself. Locks as `lockListChange`.
 */
export async function rejectLoop(
  trx: Trx,
  tenantId: string,
  address: string,
  recipients: readonly string[],
): Promise<void> {
  if (recipients.length === 0) return
  const way = findLoop(await lockListChange(trx, tenantId, recipients), address, recipients)
  if (!way) return
  const own = new Set((await listAddressDomains(trx, tenantId)).map(({ name }) => name))
  const shown = way.map((step, index) =>
    index <= 1 || own.has(splitAddress(step).domain) ? step : '…',
  )
  throw new AppError('list_loop', errorText('listLoop', { shown: shown.join(' → ') }), {
    issues: [{ path: 'recipients', message: errorText('listLoopMember', { value: way[1] ?? '' }) }],
  })
}

/**
 * Whether mail to the list would come back to it with these recipients. The caller has locked with
 * `lockListChange`.
 */
export async function closesLoop(
  trx: Trx,
  address: string,
  recipients: readonly string[],
): Promise<boolean> {
  return findLoop(await listsReachedFrom(trx, recipients), address, recipients) !== undefined
}

/**
 * Until the transaction ends, no other change can close a loop with lists that send to
 * `recipients`; returns the lists that mail to them reaches. Call it once in a transaction, with
 * the recipients of all lists that it changes.
 */
export async function lockListChange(
  trx: Trx,
  tenantId: string,
  recipients: readonly string[],
): Promise<ReachedList[]> {
  let tenants = await tenantsOf(trx, recipients, await listsReachedFrom(trx, recipients))
  await markListLocks(trx)
  for (;;) {
    await lockListRecipients(trx, tenantId, tenants)
    const reached = await listsReachedFrom(trx, recipients)
    const now = await tenantsOf(trx, recipients, reached)
    if (now.every((id) => id === tenantId || tenants.includes(id))) return reached
    // A further lock would be taken out of order.
    await releaseListLocks(trx)
    tenants = now
  }
}

/** Tenants that have a list behind the recipients, or could create one on their domain. */
async function tenantsOf(
  trx: Trx,
  recipients: readonly string[],
  reached: readonly ReachedList[],
): Promise<string[]> {
  const addresses = [...recipients, ...reached.flatMap((list) => list.recipients)]
  const domains = new Set(addresses.map((address) => splitAddress(address).domain))
  const owners = await tenantsOfDomains(trx, [...domains])
  return [...new Set([...reached.map((list) => list.tenantId), ...owners])]
}

/** The list's own recipients are the ones it is to have, not those it has. */
function findLoop(
  reached: readonly ReachedList[],
  address: string,
  recipients: readonly string[],
): string[] | undefined {
  const others = reached.filter((list) => list.address !== address)
  return loopThrough(
    address,
    recipients,
    new Map(others.map((list) => [list.address, list.recipients])),
  )
}
