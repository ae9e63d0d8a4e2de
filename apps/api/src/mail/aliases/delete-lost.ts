import { addressHolder } from '@atrium/db/mail/aliases'
import type { TouchedList } from '@atrium/db/mail/lists'
import type { MailServer } from '@atrium/integrations/mail/port'
import type { Services } from '../../rpc/services.ts'
import { removeFromLists } from '../lists/members.ts'
import { mailDeadlineMs, mailFailure } from './mail-server.ts'

/**
 * Removes an alias from the tenant's distribution lists when the mail server no longer has it: a
 * removal whose process died leaves it there. Does nothing while the address is in use as an alias,
 * a mailbox or a list. Throws AppError `upstream_failed`.
 */
export async function deleteLostAlias(
  services: Services,
  mail: MailServer,
  { tenantId, domainId, address }: { tenantId: string; domainId: string; address: string },
): Promise<TouchedList[]> {
  if (await addressHolder(services.database.db, address, null)) return []
  const signal = AbortSignal.timeout(mailDeadlineMs)
  try {
    const aliases = await mail.aliasesOn([domainId], { signal })
    if (
      aliases.some((alias) => alias.address === address) ||
      (await mail.findAccount(address, { signal }))
    )
      return []
  } catch (error) {
    throw mailFailure(error, signal)
  }
  return removeFromLists(services, tenantId, [address])
}
