import { AppError } from '@atrium/core/errors'
import type { ResetPassword } from '@atrium/core/members'
import type { StepResult } from '@atrium/core/tenants'
import { type MemberWork, releaseMember, saveMemberFacts } from '@atrium/db/member-work'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { House, InTransaction } from '../house.ts'
import { requirePortal } from '../invitations/link.ts'
import { mailAccessLink } from '../invitations/mails.ts'
import { sentenceOf, stepDeadlineMs } from '../provisioning/run.ts'
import { beginAct, type Facts, isSelf, recordMember, refuseOwnerLocked, refuseUnmanaged } from './act.ts'
import { mailOf } from './addresses.ts'
import { sendInvitationAgain } from './invitation.ts'
import { readMember } from './list.ts'
import { tellOfReset } from './mails.ts'
import { createOneTimePassword, type OneTimePassword, randomPassword } from './one-time-password.ts'
import { toMemberView } from './view.ts'

/**
 * Sets one new password on identity and mailbox and ends the sessions. When one of the two fails the password still holds for the other
 * and is returned; when nothing took it, 502. An identity with an address outside the domains that the tenant proved gets a password that
 * nobody knows, and a link to a new one is mailed to the address. Of somebody whose sign-in is not the tenant's to change the mailbox alone.
 * An open invitation is sent again. Throws AppError `owner_locked`, `identity_not_managed`, `member_not_active`, `integration_off`,
 * `upstream_failed`.
 */
export async function resetPassword(ctx: Context, access: Access, userId: string): Promise<ResetPassword> {
  const { house } = ctx
  const { tenant, member, work, decided } = await beginAct(ctx, access, userId, (facts) => targets(house, facts))
  const password = createOneTimePassword()
  const byMail = decided.identity && !member.ownAddress
  const inviter = access.caller.name ?? access.caller.email ?? ''
  try {
    await house.limits.take(ctx.request, [
      { limit: 'password_resets_hour', of: member.id },
      { limit: 'password_resets_day', of: access.tenant.id },
    ])
    if (member.invited) {
      await sendInvitationAgain(house, tenant.id, member, inviter)
      await recordMember(ctx, access, tenant, { action: 'member.password_reset', member, metadata: { invited: true } })
      const view = toMemberView(await readMember(house, access, userId), access)
      return { member: view, oneTimePassword: null, linkSentTo: member.email, outcomes: { identity: skipped, mail: skipped } }
    }
    const outcomes = {
      identity: decided.identity
        ? await attempt((signal) => setOnIdentity(house, work, byMail ? randomPassword() : password.give(), signal))
        : skipped,
      mail: await attempt((signal) => setOnMailbox(house, work, password, signal)),
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
    const linkSentTo = byMail && outcomes.identity.state === 'ok' ? member.email : null
    if (linkSentTo === null) await tellOfReset(house, work, inviter)
    else await sendAccessLink(house, work, inviter)
    const view = toMemberView(await readMember(house, access, userId), access)
    return { member: view, oneTimePassword: password.shown(), linkSentTo, outcomes }
  } finally {
    await releaseMember(house.database.db, work)
  }
}

const skipped: StepResult = { state: 'skipped' }

/** Mails the link after the password was changed: the mail must not be lost, so a queue that cannot take it fails the call. */
function sendAccessLink(house: House, { run, tenant, user }: MemberWork, admin: string): Promise<void> {
  const { id: userId, email, name } = user
  const mail = { userId, email, name, tenantId: tenant.id, admin, run }
  return house.database.db.transaction().execute((trx) => mailAccessLink(house, trx, mail))
}

function targets({ config }: InTransaction, facts: Facts): { identity: boolean } {
  const { access, member } = facts
  refuseOwnerLocked(facts)
  if (member.membershipStatus === 'removing') throw new AppError('member_not_active', 'The member is being removed.')
  if (member.managed || access.caller.operator || isSelf(facts)) {
    if (!member.ownAddress) requirePortal(config)
    return { identity: true }
  }
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

async function setOnMailbox(
  house: House,
  { mailbox }: MemberWork,
  password: OneTimePassword,
  signal: AbortSignal,
): Promise<'ok' | 'skipped'> {
  const mail = mailOf(house)
  if (!mail || !mailbox) return 'skipped'
  const id = mailbox.accountId ?? (mailbox.vacant ? (await mail.findAccount(mailbox.address, { signal }))?.id : undefined)
  if (id === undefined) return 'skipped'
  await mail.setAccountPassword({ id, password: password.give() }, { signal })
  return 'ok'
}

function refuseUseless({ identity, mail }: ResetPassword['outcomes']): void {
  if (identity.state === 'ok' || mail.state === 'ok') return
  const errors = [identity.error, mail.error].filter((error) => error !== undefined)
  if (errors.length > 0) throw new AppError('upstream_failed', `${errors.join(' ')} The password of before still holds.`)
  throw new AppError('member_not_active', 'The member has neither identity nor mailbox yet. Do the unfinished steps again first.')
}
