import { findUnfinishedImports } from '@atrium/db/member-imports'
import { claimMember, findUnfinishedMembers, secondsUntilMemberDue } from '@atrium/db/member-work'
import type { House } from '../house.ts'
import { runMember } from './run.ts'

/** A job's wake-up: does what is due for a member, or comes back when it is. */
export async function settleMember(house: House, tenantId: string, userId: string): Promise<void> {
  const { db } = house.database
  const due = await secondsUntilMemberDue(db, tenantId, userId)
  if (due === undefined) return
  const work = due > 0.5 ? undefined : await claimMember(db, tenantId, userId)
  if (work) await runMember(house, house.memberLeases.kept(work))
  else await house.jobs.wakeMember(tenantId, userId, Math.max(due, 1))
}

/** Finds members and imports that nobody is woken for, whatever became of their job. */
export async function sweepMembers(house: House): Promise<void> {
  const { db } = house.database
  const members = await findUnfinishedMembers(db, 500)
  const imports = await findUnfinishedImports(db, 50)
  if (members.length + imports.length > 0) {
    house.log.info({ members: members.length, imports: imports.length }, 'found work on members left undone')
  }
  // What is held may be held by a process that is dead: it is looked at again when its lease ends.
  for (const { tenantId, userId, heldSeconds } of members) await house.jobs.wakeMember(tenantId, userId, heldSeconds)
  for (const { id, heldSeconds } of imports) await house.jobs.wakeImport(id, heldSeconds)
}
