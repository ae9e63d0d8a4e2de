import type {
  ChangeStaffAccess,
  ListStaff,
  StaffPage,
  StaffPath,
  StaffView,
} from '@atrium/core/partners/partner-team'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  findStaff,
  hasOtherOwner,
  listStaff as queryStaff,
  type StaffRow,
  setStaff,
} from '@atrium/db/partners/partner-team'
import type { Trx } from '@atrium/db/platform/connect'
import { addIdentitySyncTask, completeIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { failureTexts } from '@atrium/messages/failure-texts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { lockOwnPartner } from '../rpc/partner-lock.ts'
import { readerLanguage, readFailure } from '../rpc/reader-language.ts'
import { factorsFetcher } from '../upstream-cache/mfa/reader.ts'
import { ensureFresh } from '../upstream-cache/refresh.ts'

/**
 * The staff, newest first, with their second factors. The identity provider takes a call per
 * person, so results are cached for 15 minutes; what could not be read is unknown, never none.
 */
export async function listStaff(
  { services }: Context,
  { partner }: OwnPartner,
  input: ListStaff,
): Promise<StaffPage> {
  const reader = factorsFetcher(services)
  const refreshing = reader ? await ensureFresh(services, reader, { partnerId: partner.id }) : false
  const rows = await queryStaff(services.database.db, partner.id, {
    before: input.cursor,
    limit: input.limit,
  })
  const { items, nextCursor } = cutPage(rows, input.limit)
  return {
    items: items.map((row) => toStaffView(row, reader !== undefined)),
    nextCursor,
    refreshing,
  }
}

/**
 * Changes what a member of staff may do. 409 `last_partner_owner` for the last owner who is not
 * shut out.
 */
export async function changeStaffAccess(
  ctx: Context,
  proof: OwnPartner,
  input: ChangeStaffAccess,
): Promise<StaffView> {
  const { services } = ctx
  const after = await services.database.db.transaction().execute(async (trx) => {
    const staff = await lockStaff(trx, proof, input.userId)
    if (staff.access === 'owner' && input.access !== 'owner')
      await rejectLastOwner(trx, proof, staff)
    await setStaff(trx, staff.id, { partnerId: proof.partner.id, access: input.access })
    if (staff.access !== input.access)
      await services.audit.record(
        ctx,
        proof.caller,
        staffEntry(proof, 'partner_team.access_changed', staff, {
          changes: { access: [staff.access, input.access] },
        }),
        trx,
      )
    return { ...staff, access: input.access }
  })
  return toStaffView(after, services.systems.identity !== null)
}

/**
 * Removes a person from the staff; access ends with the next request. 409 `last_partner_owner` for
 * the last owner. The group at the identity provider grants no rights, so an unavailable provider
 * does not block the removal; it is retried until it follows.
 */
export async function removeStaff(
  ctx: Context,
  proof: OwnPartner,
  input: StaffPath,
): Promise<void> {
  const { services } = ctx
  const { db } = services.database
  const { removed, mark, prepared } = await db.transaction().execute(async (trx) => {
    const staff = await lockStaff(trx, proof, input.userId)
    if (staff.access === 'owner') await rejectLastOwner(trx, proof, staff)
    await setStaff(trx, staff.id, null)
    const task = await addIdentitySyncTask(trx, staff.id, { staff: true })
    const entry = staffEntry(proof, 'partner_team.removed', staff, { access: staff.access })
    const queued = await services.audit.prepare(ctx, proof.caller, entry, trx)
    return { removed: staff, mark: task, prepared: queued }
  })
  const leftGroup = await leaveStaffGroup(ctx, removed)
  if (leftGroup) await completeIdentitySyncTask(db, removed.id, mark, { staff: true })
  await services.audit.complete(prepared, { metadata: leftGroup ? {} : { leftGroup } })
}

async function lockStaff(trx: Trx, proof: OwnPartner, userId: string): Promise<StaffRow> {
  await lockOwnPartner(trx, proof, 'manageStaff')
  const staff = await findStaff(trx, proof.partner.id, userId)
  if (!staff) throw new AppError('not_found', errorText('unknownStaff'))
  return staff
}

async function rejectLastOwner(trx: Trx, { partner }: OwnPartner, staff: StaffRow): Promise<void> {
  if (!(await hasOtherOwner(trx, partner.id, staff.id))) throw new AppError('last_partner_owner')
}

/** False when the provider could not be updated. */
async function leaveStaffGroup({ services, request }: Context, staff: StaffRow): Promise<boolean> {
  const { identity } = services.systems
  if (!identity) return true
  try {
    const group = await identity.findGroup(services.config.groups.partnerStaff)
    const known =
      staff.idpUserId ??
      (await identity.findUserBySubject({ subject: staff.idpSubjectId, email: staff.email }))?.id
    if (group && known) await identity.removeFromGroup({ groupId: group.id, userId: known })
    return true
  } catch (err) {
    services.log.warn(
      { err, userId: staff.id, requestId: request.requestId },
      'failed to remove a former staff member from the identity group',
    )
    return false
  }
}

function staffEntry(
  { partner }: OwnPartner,
  action: 'partner_team.access_changed' | 'partner_team.removed',
  staff: Pick<StaffRow, 'id' | 'email'>,
  metadata: Record<string, unknown>,
): AuditEntry {
  return {
    action,
    resourceType: 'user',
    resourceId: staff.id,
    resourceName: staff.email,
    partnerSlug: partner.slug,
    metadata,
  }
}

function toStaffView(row: StaffRow, connected: boolean): StaffView {
  const offline = connected ? null : failureTexts(readerLanguage())('readings.noIdentityProvider')
  return {
    userId: row.id,
    email: row.email,
    name: row.name,
    access: row.access,
    status: row.deactivatedAt ? 'deactivated' : 'active',
    mfa: {
      state: row.enrolled === null ? 'unknown' : row.enrolled ? 'enrolled' : 'not_enrolled',
      factors: row.factors,
      checkedAt: row.readAt?.toISOString() ?? null,
      reason: readFailure(row.failure) ?? (row.enrolled === null ? offline : null),
    },
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
  }
}
