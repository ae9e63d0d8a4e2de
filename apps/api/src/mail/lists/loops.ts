import { loopThrough } from '@atrium/core/mail/lists'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listAddressDomains } from '@atrium/db/mail/aliases'
import { lockListRecipients, recipientsReachedFrom } from '@atrium/db/mail/lists'
import type { Trx } from '@atrium/db/platform/connect'

/**
 * Throws AppError `list_loop` when mail to `address` would come back to it, directly or through
 * other lists, those of other tenants included. The detail names the way; of lists elsewhere only
 * those that this list names itself. Locks every list's recipients until the transaction ends.
 */
export async function rejectLoop(
  trx: Trx,
  tenantId: string,
  address: string,
  recipients: readonly string[],
): Promise<void> {
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

/** Whether mail to the list would come back to it with these recipients. Locks as `rejectLoop`. */
export async function closesLoop(
  trx: Trx,
  address: string,
  recipients: readonly string[],
): Promise<boolean> {
  return (await findLoop(trx, address, recipients)) !== undefined
}

async function findLoop(trx: Trx, address: string, recipients: readonly string[]) {
  await lockListRecipients(trx)
  const reached = await recipientsReachedFrom(trx, recipients)
  // The list's own recipients are the ones it is to have, not those it has.
  reached.delete(address)
  return loopThrough(address, recipients, reached)
}
