import {
  changeMailList,
  type ListRow,
  lockMailList,
  replaceInMailLists,
  type TouchedList,
} from '@atrium/db/mail/lists'
import type { Trx } from '@atrium/db/platform/connect'
import { lockTenantById } from '@atrium/db/tenants/tenants'
import type { Services } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { closesLoop, lockListChange } from './loops.ts'
import { pushList, recoverAfterSeconds } from './push.ts'

/**
 * Removes addresses that no one in the tenant has any more from its distribution lists. Runs in the
 * transaction that removes them.
 */
export function takeOutOfLists(
  trx: Trx,
  tenantId: string,
  addresses: readonly (string | null)[],
): Promise<TouchedList[]> {
  const gone = addresses
    .filter((address) => address !== null)
    .map((address) => address.toLowerCase())
  return replaceInMailLists(trx, tenantId, { addresses: gone, by: null }, recoverAfterSeconds)
}

/**
 * The same for an address that has gone already, in a transaction of its own, which `record` ends;
 * the lists are pushed in the background.
 */
export async function removeFromLists(
  services: Services,
  tenantId: string,
  addresses: readonly string[],
  record?: (trx: Trx, lists: readonly TouchedList[]) => Promise<void>,
): Promise<TouchedList[]> {
  const lists = await tenantTransaction(services, tenantId, async (trx) => {
    await lockTenantById(trx, tenantId)
    const touched = await takeOutOfLists(trx, tenantId, addresses)
    await record?.(trx, touched)
    return touched
  })
  pushTouchedLists(services, lists)
  return lists
}

/** Replaces a person's old address by the new one in the tenant's distribution lists. */
export function renameInLists(
  trx: Trx,
  tenantId: string,
  from: string,
  to: string,
): Promise<TouchedList[]> {
  return replaceInMailLists(trx, tenantId, { addresses: [from], by: to }, recoverAfterSeconds)
}

/**
 * Adds an address to lists of the tenant that are there still, and that it is not in yet. One that
 * would mail back to itself is left out. Under the tenant's lock.
 */
export async function addToLists(
  trx: Trx,
  tenantId: string,
  listIds: readonly string[],
  address: string,
): Promise<TouchedList[]> {
  const lists: ListRow[] = []
  for (const id of [...listIds].sort()) {
    const list = await lockMailList(trx, tenantId, id)
    if (list && list.state !== 'removing' && !list.recipients.includes(address)) lists.push(list)
  }
  if (lists.length === 0) return []
  const all = new Set([address, ...lists.flatMap((list) => list.recipients)])
  await lockListChange(trx, tenantId, [...all])
  const touched: TouchedList[] = []
  for (const list of lists) {
    const recipients = [...list.recipients, address]
    if (await closesLoop(trx, list.address, recipients)) continue
    await changeMailList(trx, list.id, { recipients }, recoverAfterSeconds)
    touched.push({ id: list.id, address: list.address, left: recipients.length })
  }
  return touched
}

/**
 * Brings the changed lists to the mail server after the transaction, in the background; the sweep
 * does what this does not.
 */
export function pushTouchedLists(services: Services, lists: readonly TouchedList[]): void {
  for (const { id } of lists) services.background.run('push a list', () => pushList(services, id))
}

/** What an audit entry says of the lists; nothing when none was touched. */
export function listsInAudit(lists: readonly TouchedList[]): {
  lists?: string[]
  listsLeftEmpty?: string[]
} {
  const empty = lists.filter(({ left }) => left === 0)
  return {
    ...(lists.length > 0 ? { lists: lists.map(({ address }) => address) } : {}),
    ...(empty.length > 0 ? { listsLeftEmpty: empty.map(({ address }) => address) } : {}),
  }
}
