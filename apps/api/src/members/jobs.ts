import { findUnfinishedImports } from '@atrium/db/members/member-imports'
import {
  claimMember,
  findUnfinishedMembers,
  secondsUntilMemberDue,
} from '@atrium/db/members/member-work'
import { tenantsOfUser } from '@atrium/db/tenants/tenants'
import type { Services } from '../rpc/services.ts'
import { runMember } from './run.ts'

/** A job's wake-up: does what is due for a member, or comes back when it is. */
export async function syncMember(
  services: Services,
  tenantId: string,
  userId: string,
): Promise<void> {
  const { db } = services.database
  const due = await secondsUntilMemberDue(db, tenantId, userId)
  if (due === undefined) return
  const work = due > 0.5 ? undefined : await claimMember(db, tenantId, userId)
  if (work) await runMember(services, services.memberLeases.kept(work))
  else await services.jobs.enqueueMember(tenantId, userId, Math.max(due, 1))
}

/**
 * Does at once what is due of a person in every tenant, but for one whose act has done it; what
 * another piece of work holds comes later.
 */
export async function syncMemberships(
  services: Services,
  userId: string,
  exceptTenantId?: string,
): Promise<void> {
  for (const { id } of await tenantsOfUser(services.database.db, userId))
    if (id !== exceptTenantId) await syncMember(services, id, userId)
}

/** Members that a sweep reads at a time. */
const pageSize = 1000
const mostImports = 1000

/** Wakes the work on every member and import that is due, whatever became of their job. */
export async function sweepMembers(services: Services): Promise<void> {
  const { db } = services.database
  let members = 0
  for (
    let page = await findUnfinishedMembers(db, pageSize);
    page.length > 0;
    page = await findUnfinishedMembers(db, pageSize, page.at(-1))
  ) {
    members += page.length
    // What is held may be held by a process that is dead: it is looked at again when its lease
    // ends.
    await services.jobs.enqueueMembers(
      page.map(({ heldSeconds, ...member }) => ({ ...member, afterSeconds: heldSeconds })),
    )
  }
  const imports = await findUnfinishedImports(db, mostImports)
  if (members + imports.length > 0)
    services.log.info({ members, imports: imports.length }, 'found unfinished member work')
  for (const { id, heldSeconds } of imports) await services.jobs.enqueueImport(id, heldSeconds)
}
