import type { GrantEnding, GrantPath, GrantView } from '@atrium/core/access-grants/access-grants'
import { hasPartnerRight } from '@atrium/core/partners/partner-access'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  endGrant as end,
  findDueGrants,
  findGrant,
  type GrantRow,
  takeUnrecordedEnds,
} from '@atrium/db/access-grants/access-grants'
import { lockTenantById } from '@atrium/db/tenants/tenants'
import { type AuditEntry, inChainOrder } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { readVisibleGrant } from './find.ts'
import { mailDecision } from './mails.ts'
import { grantEntry, statusAt, toGrantView } from './view.ts'

/**
 * Ends an access or takes a request back: by the owner, by who has it, by managers of the holder's
 * partner, and by operators for an operator's. Calls that have not written yet are rejected from
 * now on. Throws AppError `not_found`, `not_owner`, `grant_state`.
 */
export async function endGrant(
  ctx: Context,
  access: Access,
  { id }: GrantPath,
): Promise<GrantView> {
  const { services } = ctx
  const { caller, tenant } = access
  const now = services.clock.now()
  const row = await tenantTransaction(services, tenant.id, async (trx) => {
    await lockTenantById(trx, tenant.id)
    const found = await readVisibleGrant(trx, access, id)
    const ending = endingBy(access, found)
    if (ending === undefined) throw new AppError('not_owner')
    const over = statusAt(found, now) !== found.status
    if (over || !(await end(trx, found, { at: now, by: caller.id ?? null, ending })))
      throw new AppError('grant_state', errorText('grantOver'))
    const ended = await findGrant(trx, tenant.id, id)
    if (!ended) throw new Error(`the grant ${id} is gone`)
    await services.audit.record(ctx, caller, endEntry(ended), trx)
    return ended
  })
  return toGrantView(row, caller, now)
}

function endingBy({ caller, tenant }: Access, row: GrantRow): GrantEnding | undefined {
  if (row.userId !== null && row.userId === caller.id) return 'holder'
  if (tenant.role === 'owner') return 'owner'
  if (caller.operator) return row.partnerId === null ? 'operator' : undefined
  const { partner } = caller
  const manages = partner !== undefined && hasPartnerRight(partner.access, 'manageCustomers')
  return manages && partner.id === row.partnerId ? 'partner' : undefined
}

function endEntry(row: GrantRow): AuditEntry {
  const action =
    row.status === 'expired'
      ? 'access_grant.expired'
      : row.status === 'withdrawn'
        ? 'access_grant.withdrawn'
        : 'access_grant.ended'
  return grantEntry(row, action, { ending: row.ending })
}

const mostAtOnce = 200

/**
 * Ends what is over by time, and records what ended with a change of person, partner or tenant. May
 * run any number of times.
 */
export async function endDueGrants(services: Services): Promise<void> {
  const { db } = services.database
  const now = services.clock.now()
  for (const { tenantId, id } of await findDueGrants(db, now, mostAtOnce)) {
    await tenantTransaction(services, tenantId, async (trx) => {
      await lockTenantById(trx, tenantId)
      if (!(await end(trx, { tenantId, id }, { at: now, by: null, ending: 'time' }))) return
      const ended = await findGrant(trx, tenantId, id)
      if (ended?.status === 'expired') await mailDecision(trx, services, ended, 'expired')
      if (ended) await services.audit.recordSystem(endEntry(ended), trx)
    })
  }
  await db.transaction().execute(async (trx) => {
    const ends = await takeUnrecordedEnds(trx, mostAtOnce)
    for (const entry of inChainOrder(ends.map(endEntry)))
      await services.audit.recordSystem(entry, trx)
  })
}
