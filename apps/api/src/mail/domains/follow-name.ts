import { stepFailureText } from '@atrium/core/platform/failure-text'
import { claimDomainRenames, endDomainRename, hasDueRename } from '@atrium/db/mail/domain-renames'
import type { MailServer } from '@atrium/integrations/mail/port'
import { StepRejected } from '../../platform/step-rejected.ts'
import type { Services } from '../../rpc/services.ts'

/**
 * Renames domains that were released, or taken back, in the mail server; mailboxes, aliases, lists
 * and keys stay on them. Rejects as the mail server does; the rename then stays due. Does not wait
 * for a rename that another process is carrying out.
 */
export async function followNames(
  { database: { db } }: Services,
  mail: MailServer,
  of: { tenantId: string } | { id: string },
  signal: AbortSignal,
): Promise<void> {
  for (const rename of await claimDomainRenames(db, of)) {
    let done = false
    try {
      await mail.renameDomain({ domainId: rename.mailDomainId, name: rename.name }, { signal })
      done = true
    } finally {
      await endDomainRename(db, rename, done)
    }
  }
}

/**
 * For work that goes by the names in the mail server. Throws `StepRejected` while one is still to
 * be given.
 */
export async function requireNames(
  services: Services,
  mail: MailServer,
  tenantId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await hasDueRename(services.database.db, tenantId))) return
  await followNames(services, mail, { tenantId }, signal)
  if (await hasDueRename(services.database.db, tenantId))
    throw new StepRejected(stepFailureText('domainRenamed'))
}
