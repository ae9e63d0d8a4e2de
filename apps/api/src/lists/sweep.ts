import { findDueMailLists } from '@atrium/db/lists'
import type { House } from '../house.ts'
import { pushList } from './push.ts'

/** Pushes the lists that are due: those whose last try failed, and those whose process died. One after another: there is no hurry. */
export async function sweepLists(house: House): Promise<void> {
  if (!house.systems.mail || !house.config.mailProvisioning) return
  for (const id of await findDueMailLists(house.database.db, 200)) await pushList(house, id, { waitMs: 0 })
}
