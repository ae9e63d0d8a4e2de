import type {
  CreatedMember,
  CreateMember,
  NewMember,
  SeatRaise,
} from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError } from '@atrium/core/platform/errors'
import type { MemberWork } from '@atrium/db/members/member-work'
import type { MemberRow } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import type { PreparedEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { rejectClosed, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { completeness, memberEntry, rejectAdminOnBehalf } from './change-member.ts'
import { type Inserted, insertMember, type Maker } from './insert.ts'
import { readMember } from './list.ts'
import { createOneTimePassword, type OneTimePassword } from './one-time-password.ts'
import { raiseSeats } from './raise-seats.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Creates a member with a one-time password, which the response shows once. With `seatRaise` a
 * missing seat is bought after all other checks. Throws AppError as `addMember`.
 */
export async function createMember(
  ctx: Context,
  access: Access,
  { slug: _, seatRaise, ...fields }: CreateMember,
): Promise<CreatedMember> {
  const password = createOneTimePassword()
  const member = await addMember(ctx, access, fields, { password, seatRaise })
  return { member: toMemberView(member, access), oneTimePassword: password.shown() }
}

/** What a new member may need besides its fields. */
interface AddedWith {
  /** For its identity and mailbox. Without one nobody knows their passwords. */
  password?: OneTimePassword
  seatRaise?: SeatRaise | undefined
  /** Runs in the transaction that creates the record. */
  inserted?: Maker['inserted']
}

/**
 * Creates a member: the record, then identity, mailbox and file account. The record stays when an
 * upstream system fails; the outcome says so and is retried. A person with an address outside the
 * domains that the tenant proved is invited instead (`invitation_required`). Throws AppError as
 * `insertMember` and `raiseSeats`, and `not_admin`.
 */
export async function addMember(
  ctx: Context,
  access: Access,
  fields: NewMember,
  { password, seatRaise, inserted }: AddedWith = {},
): Promise<MemberRow> {
  const { services } = ctx
  // Before checks of the address: this has to be corrected first.
  rejectClosed(access.tenant.status)
  if (fields.role === 'admin') rejectAdminOnBehalf(access)
  const { caller } = access
  if (seatRaise && caller.onBehalf && !caller.operator)
    throw new AppError('on_behalf_excluded', errorText('onBehalfSeats'))
  let prepared: PreparedEntry | undefined
  const maker = {
    tenant: access.tenant,
    operator: caller.operator,
    stillMay: (trx: Trx) => rejectFormerAdmin(trx, access),
    async inserted(trx: Trx, work: MemberWork) {
      await inserted?.(trx, work)
      const entry = memberEntry(access.tenant, {
        action: 'member.created',
        member: work.user,
        metadata: { role: fields.role, mailbox: work.mailbox?.address ?? null },
      })
      prepared = await services.audit.prepare(ctx, caller, entry, trx)
    },
  }
  const insert = () => insertMember(services, maker, fields)
  const { userId, work, seats, silent, fresh } = await insert().catch(
    async (error: unknown): Promise<Inserted> => {
      if (!seatRaise || findAppError(error)?.code !== 'seats_exhausted') throw error
      await raiseSeats(ctx, access, seatRaise)
      return insert()
    },
  )
  await runMember(services, work, { ...(password && { password }), silent, fresh })
  const member = await readMember(services, access, userId)
  const { identityState: identity, mailState: mail, filesState: files } = member
  const outcomes = { identity, mail, files }
  const metadata = { outcomes, ...completeness(member), ...(seats ? { seats } : {}) }
  if (prepared) await services.audit.complete(prepared, { metadata })
  return member
}
