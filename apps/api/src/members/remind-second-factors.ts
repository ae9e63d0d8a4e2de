import type { RemindedOfSecondFactors } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listForReminder } from '@atrium/db/upstream-cache/mfa'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { mailSecondFactorReminder } from './mails.ts'

const mostPerCall = 500

/**
 * Reminds members who have no second factor to set one up: those named, or all. People whose second
 * factors are not known or who switched reminders off get no mail, and nobody gets more than one a
 * day, from whatever tenant. One call mails so many at most that other changes of the tenant do not
 * wait for it; `more` says that some are left. Throws AppError `not_found` for a person who is no
 * active member, `tenant_suspended`.
 */
export async function remindOfSecondFactors(
  ctx: Context,
  access: Access,
  userIds: readonly string[] | undefined,
): Promise<RemindedOfSecondFactors> {
  const { services } = ctx
  const day = services.clock.now().toISOString().slice(0, 10)
  const admin = access.caller.name ?? access.caller.email ?? ''
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const most = mostPerCall + 1
    const people = await listForReminder(trx, open.id, { userIds, day, most })
    const known = new Set(people.map(({ id }) => id))
    if (userIds?.some((id) => !known.has(id)))
      throw new AppError('not_found', errorText('unknownMember'))
    const due = people.filter(
      ({ missing, remindedToday, muted }) => missing && !remindedToday && !muted,
    )
    for (const person of due.slice(0, mostPerCall))
      await mailSecondFactorReminder(services, trx, { person, tenantId: open.id, admin, day })
    const reminded = Math.min(due.length, mostPerCall)
    const entry: AuditEntry = {
      action: 'member.second_factors_reminded',
      resourceType: 'tenant',
      resourceId: open.id,
      resourceName: open.slug,
      tenantSlug: open.slug,
      partnerSlug: open.partnerSlug,
      metadata: { reminded },
    }
    await services.audit.record(ctx, access.caller, entry, trx)
    return { reminded, more: due.length > mostPerCall }
  })
}
