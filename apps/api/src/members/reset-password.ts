import type { ResetMemberPassword, ResetPassword } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { StepResult } from '@atrium/core/tenants/tenants'
import { type MemberWork, releaseMember, saveMemberFacts } from '@atrium/db/members/member-work'
import { deleteAccessLinksOf } from '@atrium/db/users/access-links'
import { deleteTemporaryPassword } from '@atrium/db/users/temporary-passwords'
import { deleteWebSessionsOfSubject } from '@atrium/db/users/web-sessions'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { sentenceOf, stepDeadlineMs } from '../provisioning/run.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { ofRecipient } from '../rpc/limits.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { requirePortal } from '../users/access-link.ts'
import { mailAccessLink, mailPasswordLink } from '../users/access-mails.ts'
import { endSessionsAndTokens } from '../users/end-sessions.ts'
import { recordTemporaryPassword, setTemporaryPassword } from '../users/temporary-password.ts'
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
 * knows, and the address gets a link to set a new one. With `linkTo` identity and mailbox get
 * passwords that no one knows, and the link goes to that second address; earlier links end.
 * For a person whose sign-in the tenant does not manage, only the mailbox changes. Throws AppError
 * `owner_locked`, `identity_not_managed`, `address_not_proved`, `invalid_input`,
 * `member_not_active`, `integration_off`, `rate_limited`, `upstream_failed`.
 */
export async function resetPassword(
  ctx: Context,
  access: Access,
  { userId, linkTo }: ResetMemberPassword,
): Promise<ResetPassword> {
  const { services } = ctx
  const { tenant, member, work, decided } = await beginMemberChange(
    ctx,
    access,
    userId,
    (facts) => targets(services, facts, linkTo),
    evenSuspended,
  )
  const password = createOneTimePassword()
  const byMail = decided.identity && (linkTo !== undefined || !member.ownAddress)
  const inviter = access.caller.name ?? access.caller.email ?? ''
  try {
    await services.limits.take(ctx.request, [
      { limit: 'password_resets_hour', of: member.id, tenantId: tenant.id },
      { limit: 'password_resets_day', of: access.tenant.id },
      ...(linkTo === undefined
        ? []
        : [{ limit: 'password_links_recipient_day', of: ofRecipient(linkTo) } as const]),
    ])
    const identity = decided.identity
      ? await attempt((signal) =>
          setOnIdentity(services, work, byMail ? undefined : password, signal),
        )
      : skipped
    const outcomes = {
      identity,
      mail: await attempt((signal) =>
        setOnMailbox(services, work, linkTo === undefined ? password : undisclosed, signal),
      ),
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
      metadata: { outcomes, ...(linkTo === undefined ? {} : { linkTo }) },
    })
    rejectUseless(outcomes)
    if (outcomes.identity.state !== 'error' && outcomes.mail.state !== 'error')
      await saveMemberFacts(services.database.db, work, { needs_password: false })
    if (byMail && outcomes.identity.state === 'ok' && outcomes.mail.state !== 'error')
      await deleteTemporaryPassword(services.database.db, { userId: member.id })
    const linkSentTo = byMail && outcomes.identity.state === 'ok' ? (linkTo ?? member.email) : null
    if (linkSentTo !== null) await sendLink(services, work, inviter, linkTo)
    if (linkSentTo === null || linkTo !== undefined)
      await tellOfReset(services, work, inviter, linkTo)
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
function sendLink(
  services: Services,
  { run, tenant, user }: MemberWork,
  admin: string,
  linkTo: string | undefined,
): Promise<void> {
  const { id: userId, email, name } = user
  const mail = { userId, email, name, tenantId: tenant.id, admin, run }
  return services.database.db
    .transaction()
    .execute((trx) =>
      linkTo === undefined
        ? mailAccessLink(services, trx, mail)
        : mailPasswordLink(services, trx, mail, linkTo),
    )
}

function targets(
  { config }: InTransaction,
  facts: MemberChange,
  linkTo: string | undefined,
): { identity: boolean; self: boolean } {
  const { access, member } = facts
  const self = isSelf(facts)
  rejectOwnerLocked(facts)
  if (linkTo !== undefined) rejectSecondAddress(facts, linkTo)
  if (member.membershipStatus === 'removing')
    throw new AppError('member_not_active', errorText('memberBeingRemoved'))
  if (member.managed || access.caller.operator || self) {
    if (linkTo !== undefined || !member.ownAddress) requirePortal(config)
    return { identity: true, self }
  }
  if (member.mailboxAddress === null || linkTo !== undefined) rejectUnmanaged(facts)
  return { identity: false, self }
}

/**
 * The reader of the second address can sign in as the member. A tenant may allow that only for
 * members whose own address is on a domain that it proved.
 */
function rejectSecondAddress({ member }: MemberChange, linkTo: string): void {
  if (linkTo === member.email || linkTo === member.mailboxAddress)
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'linkTo', message: errorText('secondAddress') }],
    })
  if (!member.ownAddress)
    throw new AppError('address_not_proved', errorText('linkToOutsider', { name: member.name }))
  if (member.membershipStatus !== 'active' && member.membershipStatus !== 'provisioning')
    throw new AppError('member_not_active')
}

/** A password that no one ever sees. */
const undisclosed: Pick<OneTimePassword, 'give'> = { give: randomPassword }

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
    const issued = { idpUserId, userId: user.id, password: password.give() }
    await setTemporaryPassword(services, identity, issued, { signal })
    await deleteAccessLinksOf(services.database.db, user.id)
  } else {
    // Stays on record until the mailbox has followed, whatever becomes of this process.
    await recordTemporaryPassword(services, { userId: user.id })
    await identity.setPassword({ userId: idpUserId, password: randomPassword() }, { signal })
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
  password: Pick<OneTimePassword, 'give'>,
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
