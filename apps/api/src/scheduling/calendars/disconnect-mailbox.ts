import type { Trx } from '@atrium/db/platform/connect'
import { setHostCalendar } from '@atrium/db/scheduling/hosts'
import { deleteMailCredential, lockMailCredential } from '@atrium/db/scheduling/mail-credentials'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { lockOwnHost, recordHost } from '../hosts/open.ts'
import { takeBackDue } from './app-passwords.ts'
import { clearBusyTimes } from './busy-times.ts'
import { revokeLater } from './connect-mailbox.ts'

/**
 * Erases the host's credential and revokes it at the mail server when it was made there by us. Does
 * nothing where there is none.
 */
export async function disconnectMailbox(
  ctx: Context,
  access: Access,
  hostId: string,
): Promise<void> {
  const { services } = ctx
  const erased = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const { host } = await lockOwnHost(trx, access, hostId)
    if (!(await eraseCredential(trx, hostId))) return false
    await recordHost(ctx, trx, access, { action: 'mail_credential.removed', host })
    return true
  })
  if (!erased) return
  clearBusyTimes(services, hostId)
  await takeBackDue(services)
}

/** False when there was none. */
export async function eraseCredential(trx: Trx, hostId: string): Promise<boolean> {
  const credential = await lockMailCredential(trx, hostId)
  if (!credential) return false
  await revokeLater(trx, credential)
  await deleteMailCredential(trx, hostId)
  await setHostCalendar(trx, hostId, null)
  return true
}
