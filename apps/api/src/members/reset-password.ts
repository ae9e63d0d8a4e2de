import type { ResetPassword } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { StepResult } from '@atrium/core/tenants/tenants'
import { type MemberWork, releaseMember, saveMemberFacts } from '@atrium/db/members/member-work'
import { deleteTemporaryPassword } from '@atrium/db/users/temporary-passwords'
import { deleteWebSessionsOfSubject } from '@atrium/db/users/web-sessions'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { sentenceOf, stepDeadlineMs } from '../provisioning/run.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { requirePortal } from '../users/access-link.ts'
import { mailAccessLink } from '../users/access-mails.ts'
import { endSessionsAndTokens } from '../users/end-sessions.ts'
import { setTemporaryPassword } from '../users/temporary-password.ts'
import { mailOf } from './addresses.ts'
import {
  beginMemberChange,
  isSelf,
  type MemberChange,
  recordMember,
  rejectOwnerLocked,
  rejectUnmanaged,
} from './change-member.ts'
import { readMember } from './list.ts'
import { tellOfReset } from './mails.ts'
import { createOneTimePassword, type OneTimePassword, randomPassword } from './one-time-password.ts'
import { toMemberView } from './view.ts'

/**
 * Sets one new password on identity and mailbox, then ends sessions and tokens at the identity
 * provider. When one of the two fails, the password is valid for the other and is returned; when
 * both fail, 502. Sessions that could not be ended are reported as a result of their own. An
 * identity with an address outside the domains that the tenant proved gets a password that no one
 * knows, and the address gets a link to set a new one. For a person whose sign-in the tenant does
 * not manage, only the mailbox changes. An open invitation is sent again. Throws AppError
 * `owner_locked`, `identity_not_managed`, `member_not_active`, `integration_off`,
 * `upstream_failed`.
 */
export async function resetPassword(
  ctx: Context,
  access: Access,
  userId: string,
): Promise<ResetPassword> {
  const { services } = ctx
  const { tenant, member, work, decided } = await beginMemberChange(
    ctx,
    access,
    userId,
    (facts) => targets(services, facts),
    evenSuspended,
  )
  const password = createOneTimePassword()
  const byMail = decided.identity && !member.ownAddress
  const inviter = access.caller.name ?? access.caller.email ?? ''
  try {
    await services.limits.take(ctx.request, [
      { limit: 'password_resets_hour', of: member.id, tenantId: tenant.id },
      { limit: 'password_resets_day', of: access.tenant.id },
    ])
    const identity = decided.identity
      ? await attempt((signal) =>
          setOnIdentity(services, work, byMail ? undefined : password, signal),
        )
      : skipped
    const outcomes = {
      identity,
      mail: await attempt((signal) => setOnMailbox(services, work, password, signal)),
      sessions:
        identity.state === 'ok'
          ? await attempt((signal) => endFormerSessions(services, work, decided.self, signal))
          : skipped,
    }
    const states = [outcomes.identity.state, outcomes.mail.state, outcomes.sessions.state]
    await recordMember(ctx, access, tenant, {
      action: 'member.password_reset',
      outcome: states.includes('error') ? 'failure' : 'success',
      member,
      metadata: { outcomes },
    })
    rejectUseless(outcomes)
    if (outcomes.identity.state !== 'error' && outcomes.mail.state !== 'error')
      await saveMemberFacts(services.database.db, work, { needs_password: false })
    const linkSentTo = byMail && outcomes.identity.state === 'ok' ? member.email : null
    if (linkSentTo === null) await tellOfReset(services, work, inviter)
    else await sendAccessLink(services, work, inviter)
    const view = toMemberView(await readMember(services, access, userId), access)
    return { member: view, oneTimePassword: password.shown(), linkSentTo, outcomes }
  } finally {
    await releaseMember(services.database.db, work)
  }
}

const skipped: StepResult = { state: 'skipped' }

/**
 * Mails the link after the password was changed: the mail must not be lost, so a queue that cannot
 * take it fails the call.
 */
function sendAccessLink(
  services: Services,
  { run, tenant, user }: MemberWork,
  admin: string,
): Promise<void> {
  const { id: userId, email, name } = user
  const mail = { userId, email, name, tenantId: tenant.id, admin, run }
  return services.database.db.transaction().execute((trx) => mailAccessLink(services, trx, mail))
}

function targets(
  { config }: InTransaction,
  facts: MemberChange,
): { identity: boolean; self: boolean } {
  const { access, member } = facts
  const self = isSelf(facts)
  rejectOwnerLocked(facts)
  if (member.membershipStatus === 'removing')
    throw new AppError('member_not_active', errorText('memberBeingRemoved'))
  if (member.managed || access.caller.operator || self) {
    if (!member.ownAddress) requirePortal(config)
    return { identity: true, self }
  }
  if (member.mailboxAddress === null) rejectUnmanaged(facts)
  return { identity: false, self }
}

async function attempt(
  set: (signal: AbortSignal) => Promise<'ok' | 'skipped'>,
): Promise<StepResult> {
  const signal = AbortSignal.timeout(stepDeadlineMs)
  try {
    return { state: await set(signal) }
  } catch (error) {
    if (!(error instanceof UpstreamError) && !signal.aborted) throw error
    return { state: 'error', error: sentenceOf(error, signal) }
  }
}

/** The password that is shown, or, where a link is mailed instead, one that no one knows. */
async function setOnIdentity(
  services: Services,
  { user }: MemberWork,
  password: OneTimePassword | undefined,
  signal: AbortSignal,
): Promise<'ok' | 'skipped'> {
  const { identity } = services.systems
  const idpUserId = await keyOf(services, user, signal)
  if (!identity || idpUserId === undefined) return 'skipped'
  if (password) {
    const given = { idpUserId, userId: user.id, password: password.give() }
    await setTemporaryPassword(services, identity, given, { signal })
  } else {
    await identity.setPassword({ userId: idpUserId, password: randomPassword() }, { signal })
    await deleteTemporaryPassword(services.database.db, { userId: user.id })
  }
  return 'ok'
}

/**
 * Sessions and tokens from before the new password. The caller's own portal session stays for as
 * long as its token, to read the response.
 */
async function endFormerSessions(
  services: Services,
  { user }: MemberWork,
  self: boolean,
  signal: AbortSignal,
): Promise<'ok' | 'skipped'> {
  const { identity } = services.systems
  const idpUserId = await keyOf(services, user, signal)
  if (!identity || idpUserId === undefined) return 'skipped'
  if (!self) await deleteWebSessionsOfSubject(services.database.db, user.subject)
  await endSessionsAndTokens(
    services,
    identity,
    { id: user.id, email: user.email, idpUserId },
    signal,
  )
  if (!self) await deleteWebSessionsOfSubject(services.database.db, user.subject)
  return 'ok'
}

async function keyOf(
  { systems }: Services,
  user: MemberWork['user'],
  signal: AbortSignal,
): Promise<string | undefined> {
  return (
    user.idpUserId ??
    (
      await systems.identity?.findUserBySubject(
        { subject: user.subject, email: user.email },
        { signal },
      )
    )?.id
  )
}

async function setOnMailbox(
  services: Services,
  { mailbox }: MemberWork,
  password: OneTimePassword,
  signal: AbortSignal,
): Promise<'ok' | 'skipped'> {
  const mail = mailOf(services)
  if (!mail || !mailbox) return 'skipped'
  const id =
    mailbox.accountId ??
    (mailbox.vacant ? (await mail.findAccount(mailbox.address, { signal }))?.id : undefined)
  if (id === undefined) return 'skipped'
  await mail.setAccountPassword({ id, password: password.give() }, { signal })
  return 'ok'
}

function rejectUseless({ identity, mail }: ResetPassword['outcomes']): void {
  if (identity.state === 'ok' || mail.state === 'ok') return
  const errors = [identity.error, mail.error].filter((error) => error !== undefined)
  if (errors.length > 0)
    throw new AppError(
      'upstream_failed',
      errorText('passwordUnchanged', { errors: errors.join(' ') }),
    )
  throw new AppError('member_not_active', errorText('memberNotSetUp'))
}
