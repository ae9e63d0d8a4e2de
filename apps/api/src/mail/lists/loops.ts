import { loopThrough } from '@atrium/core/mail/lists'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listAddressDomains } from '@atrium/db/mail/aliases'
import {
  listsReachedFrom,
  lockListRecipients,
  type ReachedList,
  tenantsOfDomains,
} from '@atrium/db/mail/lists'
import type { Trx } from '@atrium/db/platform/connect'

/**
 * Throws AppError `list_loop` when mail to `address` would come back to it, directly or through
 * other lists, those of other tenants included. The detail names the way; of lists elsewhere only
 * those that this list names itself. Locks as `lockListChange`.
 */
export async function rejectLoop(
  trx: Trx,
  tenantId: string,
  address: string,
  recipients: readonly string[],
): Promise<void> {
  await lockListChange(trx, tenantId, recipients)
  const way = await findLoop(trx, address, recipients)
  if (!way) return
  const own = new Set((await listAddressDomains(trx, tenantId)).map(({ name }) => name))
  const shown = way.map((step, index) =>
    index <= 1 || own.has(splitAddress(step).domain) ? step : 'a list elsewhere',
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
  return (await findLoop(trx, address, recipients)) !== undefined
}

/**
 * Until the transaction ends, no other change can close a loop with lists that send to
 * `recipients`. Call it once in a transaction, with the recipients of all lists that it changes.
 * Throws AppError `edit_conflict` when the lists behind the recipients change in between.
 */
export async function lockListChange(
  trx: Trx,
  tenantId: string,
  recipients: readonly string[],
): Promise<void> {
  const locked = await tenantsReachedFrom(trx, recipients)
  await lockListRecipients(trx, tenantId, locked)
  const now = await tenantsReachedFrom(trx, recipients)
  // A further lock would be taken out of order.
  if (now.some((id) => id !== tenantId && !locked.includes(id))) throw new AppError('edit_conflict')
}

/** Tenants that have a list behind the recipients, or could create one on their domain. */
async function tenantsReachedFrom(trx: Trx, recipients: readonly string[]): Promise<string[]> {
  const reached = await listsReachedFrom(trx, recipients)
  const addresses = [...recipients, ...reached.flatMap((list) => list.recipients)]
  const domains = new Set(addresses.map((address) => splitAddress(address).domain))
  const owners = await tenantsOfDomains(trx, [...domains])
  return [...new Set([...reached.map((list) => list.tenantId), ...owners])]
}

async function findLoop(trx: Trx, address: string, recipients: readonly string[]) {
  const reached = await listsReachedFrom(trx, recipients)
  return loopThrough(address, recipients, recipientsByAddress(reached, address))
}

/** Of all lists but the one that changes: its recipients are the ones it is to have. */
function recipientsByAddress(reached: readonly ReachedList[], except: string) {
  return new Map(
    reached
      .filter((list) => list.address !== except)
      .map((list) => [list.address, list.recipients]),
  )
}
