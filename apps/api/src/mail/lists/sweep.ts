import { findDueMailLists } from '@atrium/db/mail/lists'
import type { Services } from '../../rpc/services.ts'
import { pushList } from './push.ts'

/**
 * Pushes the lists that are due: those whose last try failed, and those whose process died. One
 * after another: there is no hurry.
 */
export async function sweepLists(services: Services): Promise<void> {
  if (!services.systems.mail || !services.config.mailProvisioning) return
  for (const id of await findDueMailLists(services.database.db, 200))
    await pushList(services, id, { waitMs: 0 })
}
