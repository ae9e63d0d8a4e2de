import { AppError } from '@atrium/core/errors'
import type { ResetPassword } from '@atrium/core/members'
import type { StepResult } from '@atrium/core/tenants'
import { type MemberWork, releaseMember, saveMemberFacts } from '@atrium/db/member-work'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { House } from '../house.ts'
import { sentenceOf, stepDeadlineMs } from '../provisioning/run.ts'
import { beginAct, type Facts, isSelf, recordMember, refuseOwnerLocked, refuseUnmanaged } from './act.ts'
import { mailOf } from './addresses.ts'
import { readMember } from './list.ts'
import { tellOfReset } from './mails.ts'
import { createOneTimePassword } from './one-time-password.ts'
import { toMemberView } from './view.ts'

/**
 * Sets one new password on identity and mailbox and ends the sessions. When one of the two fails the password still holds for the other
 * and is answered; when nothing took it, 502. Of somebody whose sign-in is not the tenant's to change the mailbox alone. Throws AppError
 * `owner_locked`, `identity_not_managed`, `member_not_active`, `upstream_failed`.
 */
export async function resetPassword(ctx: Context, access: Access, userId: string): Promise<ResetPassword> {
  const { house } = ctx
  const { tenant, member, work, decided } = await beginAct(ctx, access, userId, targets)
  const password = createOneTimePassword()
  try {
    await house.limits.take(ctx.request, [
      { limit: 'password_resets_hour', of: member.id },
      { limit: 'password_resets_day', of: access.tenant.id },
    ])
    const outcomes = {
      identity: decided.identity ? await attempt((signal) => setOnIdentity(house, work, password.give(), signal)) : skipped,
      mail: await attempt((signal) => setOnMailbox(house, work, password.give(), signal)),
    }
    const states = [outcomes.identity.state, outcomes.mail.state]
    await recordMember(ctx, access, tenant, {
      action: 'member.password_reset',
      outcome: states.includes('error') ? 'failure' : 'success',
      member,
      metadata: { outcomes },
    })
    refuseUseless(outcomes)
    if (!states.includes('error')) await saveMemberFacts(house.database.db, work, { needs_password: false })
    await tellOfReset(house, work, access.caller.name ?? access.caller.email ?? '')
    return { member: toMemberView(await readMember(house, access, userId), access), oneTimePassword: password.give(), outcomes }
  } finally {
    await releaseMember(house.database.db, work)
  }
}

const skipped: StepResult = { state: 'skipped' }

function targets(facts: Facts): { identity: boolean } {
  const { access, member } = facts
  refuseOwnerLocked(facts)
  if (member.membershipStatus === 'removing') throw new AppError('member_not_active', 'The member is being removed.')
  if (member.managed || access.caller.operator || isSelf(facts)) return { identity: true }
  if (member.mailboxAddress === null) refuseUnmanaged(facts)
  return { identity: false }
}

async function attempt(set: (signal: AbortSignal) => Promise<'ok' | 'skipped'>): Promise<StepResult> {
  const signal = AbortSignal.timeout(stepDeadlineMs)
  try {
    return { state: await set(signal) }
  } catch (error) {
    if (!(error instanceof UpstreamError) && !signal.aborted) throw error
    return { state: 'error', error: sentenceOf(error, signal) }
  }
}

async function setOnIdentity(house: House, { user }: MemberWork, password: string, signal: AbortSignal): Promise<'ok' | 'skipped'> {
  const { identity } = house.systems
  if (!identity) return 'skipped'
  const userId = user.idpUserId ?? (await identity.findUserBySubject({ subject: user.subject, email: user.email }, { signal }))?.id
  if (userId === undefined) return 'skipped'
  await identity.setPassword({ userId, password }, { signal })
  await identity.endSessions({ userId, username: user.email }, { signal }).catch((err: unknown) => {
    if (!(err instanceof UpstreamError)) throw err
    house.log.warn({ err, userId: user.id }, 'the sessions of before a password reset could not be ended')
  })
  return 'ok'
}

async function setOnMailbox(house: House, { mailbox }: MemberWork, password: string, signal: AbortSignal): Promise<'ok' | 'skipped'> {
  const mail = mailOf(house)
  if (!mail || !mailbox) return 'skipped'
  const id = mailbox.accountId ?? (mailbox.vacant ? (await mail.findAccount(mailbox.address, { signal }))?.id : undefined)
  if (id === undefined) return 'skipped'
  await mail.setAccountPassword({ id, password }, { signal })
  return 'ok'
}

function refuseUseless({ identity, mail }: ResetPassword['outcomes']): void {
  if (identity.state === 'ok' || mail.state === 'ok') return
  const errors = [identity.error, mail.error].filter((error) => error !== undefined)
  if (errors.length > 0) throw new AppError('upstream_failed', `${errors.join(' ')} The password of before still holds.`)
  throw new AppError('member_not_active', 'The member has neither identity nor mailbox yet. Do the unfinished steps again first.')
}
