import {
  claimMember,
  type MemberWork,
  releaseMember,
  saveMemberFacts,
} from '@atrium/db/members/member-work'
import type { Trx } from '@atrium/db/platform/connect'
import { tenantsOfUser } from '@atrium/db/tenants/tenants'
import {
  deleteTemporaryPassword,
  findDueTemporaryPasswords,
  markTemporaryPasswordEnded,
  markTemporaryPasswordEnding,
  postponeTemporaryPassword,
  type TemporaryPassword,
} from '@atrium/db/users/temporary-passwords'
import { deleteWebSessionsOfSubject } from '@atrium/db/users/web-sessions'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { type AuditEntry, inChainOrder } from '../rpc/audit-recorder.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { endSessionsAndTokens } from '../users/end-sessions.ts'
import { mailOf } from './addresses.ts'
import { randomPassword } from './one-time-password.ts'

/** How many one run looks at, and for how long: the next one follows within a minute. */
const mostAtOnce = 200
const runMs = 45_000
const deadlineMs = 30_000
/**
 * How long until the provider is asked again about a password that its person has not replaced. A
 * sign-in at a portal makes that at once.
 */
const askAgainMs = 10 * 60_000
const retryMs = 60_000

/**
 * Follows temporary passwords to their end. Once the person has replaced theirs, the mailbox, which
 * was given the same one, gets a password that no one knows. One that was not replaced in time
 * ends: identity and mailbox get one that no one knows, and sessions end. It does not depend on
 * what the identity provider does with them (`deploy/authentik`). May run any number of times; what
 * fails is retried by a later run. Throws when some failed, once the others are done.
 */
export async function settleTemporaryPasswords(services: Services): Promise<void> {
  const { identity } = services.systems
  if (!identity) return
  const { db } = services.database
  const failures: unknown[] = []
  const until = performance.now() + runMs
  for (const password of await findDueTemporaryPasswords(db, services.clock.now(), mostAtOnce)) {
    if (services.background.ending || performance.now() > until) break
    try {
      await settle(services, identity, password)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      failures.push(error)
      await postpone(services, password, retryMs)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} temporary passwords were not settled`)
}

function postpone(
  { database, clock }: Services,
  password: TemporaryPassword,
  ms: number,
): Promise<void> {
  const next = clock.now().getTime() + ms
  // One that has expired is retried; any other is looked at when it expires.
  const { expiresAt } = password
  const late = expiresAt <= clock.now() ? next : Math.min(next, expiresAt.getTime())
  return postponeTemporaryPassword(database.db, password, new Date(late))
}

/** Nothing when another action holds the person in some tenant: it may be giving a new password. */
async function settle(
  services: Services,
  identity: IdentityProvider,
  password: TemporaryPassword,
): Promise<void> {
  const { db } = services.database
  const tenants = await tenantsOfUser(db, password.userId)
  const works: MemberWork[] = []
  try {
    for (const { id } of tenants) {
      const work = await claimMember(db, id, password.userId)
      if (!work) return
      works.push(services.memberLeases.kept(work))
    }
    await follow(services, identity, password, works)
  } finally {
    for (const work of works) await releaseMember(db, work)
  }
}

async function follow(
  services: Services,
  identity: IdentityProvider,
  password: TemporaryPassword,
  works: readonly MemberWork[],
): Promise<void> {
  const { db } = services.database
  const { issuedAt, expiresAt, endingAt } = password
  const signal = AbortSignal.timeout(deadlineMs)
  const userId = password.idpUserId ?? (await identity.findUserBySubject(password, { signal }))?.id
  if (userId === undefined) {
    await deleteTemporaryPassword(db, password)
    return
  }
  try {
    if (endingAt === null) {
      const issued = { at: issuedAt, expiresAt }
      const state = await identity.settleTemporaryPassword({ userId, issued }, { signal })
      if (state === 'changed') return await closeMailboxes(services, password, works, signal)
      if (state === 'reissued' || expiresAt > services.clock.now())
        return await postpone(services, password, askAgainMs)
      // From here on the password is the platform's: the provider cannot tell it from the person's.
      if (!(await markTemporaryPasswordEnding(db, password))) return
    }
    await end(services, identity, { ...password, idpUserId: userId }, works, signal)
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
    await deleteTemporaryPassword(db, password)
  }
}

/**
 * The person has replaced the password. Mail programs use app passwords from now on. A mailbox that
 * is frozen keeps its permissions; only what opens it changes.
 */
async function closeMailboxes(
  services: Services,
  password: TemporaryPassword,
  works: readonly MemberWork[],
  signal: AbortSignal,
): Promise<void> {
  const closed = await lockMailboxes(services, works, signal)
  const entries = closed.map(
    ({ tenant, mailbox }): AuditEntry => ({
      action: 'member.mailbox_password_replaced',
      resourceType: 'member',
      resourceId: password.userId,
      resourceName: password.email,
      tenantSlug: tenant.slug,
      metadata: { mailbox: mailbox?.address ?? null },
    }),
  )
  await services.database.db.transaction().execute(async (trx) => {
    // Another process may have been here in between.
    if (!(await deleteTemporaryPassword(trx, password))) return
    for (const entry of inChainOrder(entries)) await services.audit.recordSystem(entry, trx)
  })
}

async function end(
  services: Services,
  identity: IdentityProvider,
  password: TemporaryPassword & { idpUserId: string },
  works: readonly MemberWork[],
  signal: AbortSignal,
): Promise<void> {
  const { db } = services.database
  const { userId, idpUserId } = password
  await identity.setPassword({ userId: idpUserId, password: randomPassword() }, { signal })
  await lockMailboxes(services, works, signal)
  const person = { id: userId, email: password.email, idpUserId }
  await endSessionsAndTokens(services, identity, person, signal)
  await deleteWebSessionsOfSubject(db, password.subject)
  for (const work of works) await saveMemberFacts(db, work, { needs_password: true })
  await db.transaction().execute(async (trx) => {
    if (await markTemporaryPasswordEnded(trx, password))
      await record(services, trx, password, works)
  })
}

/** Gives the mailboxes passwords that no one knows. Returns the work on those that got one. */
async function lockMailboxes(
  services: Services,
  works: readonly MemberWork[],
  signal: AbortSignal,
): Promise<MemberWork[]> {
  const mail = mailOf(services)
  const locked: MemberWork[] = []
  for (const work of mail ? works : []) {
    const id = mail && (await accountOf(mail, work, signal))
    if (!mail || id === undefined) continue
    try {
      await mail.setAccountPassword({ id, password: randomPassword() }, { signal })
      locked.push(work)
    } catch (error) {
      // Removed at the mail server: nothing is left to open.
      if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
    }
  }
  return locked
}

/** The account on record, or one whose creation has answered nobody: it has the password too. */
async function accountOf(
  mail: MailServer,
  { mailbox }: MemberWork,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (mailbox?.accountId) return mailbox.accountId
  return mailbox?.vacant ? (await mail.findAccount(mailbox.address, { signal }))?.id : undefined
}

async function record(
  { audit }: InTransaction,
  trx: Trx,
  { userId, email, expiresAt }: TemporaryPassword,
  works: readonly MemberWork[],
): Promise<void> {
  const entry = {
    action: 'member.password_expired',
    resourceType: 'member',
    resourceId: userId,
    resourceName: email,
    metadata: { expiredAt: expiresAt.toISOString() },
  } as const
  if (works.length === 0) await audit.recordSystem({ ...entry, resourceType: 'user' }, trx)
  const entries = works.map(({ tenant }) => ({ ...entry, tenantSlug: tenant.slug }))
  for (const one of inChainOrder(entries)) await audit.recordSystem(one, trx)
}
