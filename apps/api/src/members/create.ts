import type { CreatedMember, CreateMember } from '@atrium/core/members'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { outcomeOf, recordMember, refuseFormerAdmin } from './act.ts'
import { insertMember } from './insert.ts'
import { readMember } from './list.ts'
import { createOneTimePassword } from './one-time-password.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Makes a member: the record, then identity, mailbox and file account. The record stands when an outside system fails; the outcome says
 * so and is tried again. Somebody who is known already keeps identity and password and gets the tenant's group. Throws AppError as
 * `insertMember`, and `not_admin`.
 */
export async function createMember(ctx: Context, access: Access, { slug: _, ...fields }: CreateMember): Promise<CreatedMember> {
  const { house } = ctx
  const password = createOneTimePassword()
  const { tenant, userId, work } = await insertMember(
    house,
    { tenant: access.tenant, operator: access.caller.operator, stillMay: (trx) => refuseFormerAdmin(trx, access) },
    fields,
  )
  await runMember(house, work, { password })
  const member = await readMember(house, access, userId)
  await recordMember(ctx, access, tenant, {
    action: 'member.created',
    member,
    metadata: {
      role: member.role,
      mailbox: member.mailboxAddress,
      outcomes: { identity: member.identityState, mail: member.mailState, files: member.filesState },
      complete: outcomeOf(member) === 'success',
    },
  })
  return { member: toMemberView(member, access), oneTimePassword: password.shown() }
}
