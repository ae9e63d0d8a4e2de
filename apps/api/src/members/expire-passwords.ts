import {
  claimMember,
  type MemberWork,
  releaseMember,
  saveMemberFacts,
} from '@atrium/db/members/member-work'
import { tenantsOfUser } from '@atrium/db/tenants/tenants'
import {
  deleteTemporaryPassword,
  type ExpiredTemporaryPassword,
  findExpiredTemporaryPasswords,
  markTemporaryPasswordEnded,
  markTemporaryPasswordEnding,
} from '@atrium/db/users/temporary-passwords'
import { deleteWebSessionsOfSubject } from '@atrium/db/users/web-sessions'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../rpc/services.ts'
import { endSessionsAndTokens } from '../users/end-sessions.ts'
import { mailOf } from './addresses.ts'
import { randomPassword } from './one-time-password.ts'

/** How many one run looks at: the next one follows within an hour. */
const mostAtOnce = 200
const deadlineMs = 30_000

/**
 * Ends temporary passwords that their people did not replace in time: identity and mailbox get one
 * that no one knows, and sessions end. It does not depend on what the identity provider does with
 * them (`deploy/authentik`). May run any number of times; what fails is tried again by the next
 * run. Throws when some failed, once the others are done.
 */
export async function expireTemporaryPasswords(services: Services): Promise<void> {
  const { identity } = services.systems
  if (!identity) return
  const failures: unknown[] = []
  const due = await findExpiredTemporaryPasswords(
    services.database.db,
    services.clock.now(),
    mostAtOnce,
  )
  for (const password of due) {
    try {
      await expire(services, identity, password)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} temporary passwords were not ended`)
}

/** Nothing when another action holds the person in some tenant: it may be giving a new password. */
async function expire(
  services: Services,
  identity: IdentityProvider,
  password: ExpiredTemporaryPassword,
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
    await end(services, identity, password, works)
  } finally {
    for (const work of works) await releaseMember(db, work)
  }
}

async function end(
  services: Services,
  identity: IdentityProvider,
  password: ExpiredTemporaryPassword,
  works: readonly MemberWork[],
): Promise<void> {
  const { db } = services.database
  const { userId, issuedAt, expiresAt, endingAt } = password
  const signal = AbortSignal.timeout(deadlineMs)
  const known = password.idpUserId ?? (await identity.findUserBySubject(password, { signal }))?.id
  if (known === undefined) return deleteTemporaryPassword(db, password)
  try {
    if (endingAt === null) {
      const issued = { at: issuedAt, expiresAt }
      const state = await identity.settleTemporaryPassword({ userId: known, issued }, { signal })
      if (state === 'changed') return await deleteTemporaryPassword(db, password)
      if (state === 'reissued') return
      // From here on the password is the platform's: the provider cannot tell it from the person's.
      if (!(await markTemporaryPasswordEnding(db, password))) return
    }
    await identity.setPassword({ userId: known, password: randomPassword() }, { signal })
    await lockMailboxes(services, works, signal)
    const person = { id: userId, email: password.email, idpUserId: known }
    await endSessionsAndTokens(services, identity, person, signal)
    await deleteWebSessionsOfSubject(db, password.subject)
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
    return await deleteTemporaryPassword(db, password)
  }
  for (const work of works) await saveMemberFacts(db, work, { needs_password: true })
  await markTemporaryPasswordEnded(db, password)
  await record(services, password, works)
}

/** The mailbox was given the same password. */
async function lockMailboxes(
  services: Services,
  works: readonly MemberWork[],
  signal: AbortSignal,
): Promise<void> {
  const mail = mailOf(services)
  for (const { mailbox } of works)
    if (mail && mailbox?.accountId)
      await mail.setAccountPassword(
        { id: mailbox.accountId, password: randomPassword() },
        { signal },
      )
}

async function record(
  { audit }: Services,
  { userId, email, expiresAt }: ExpiredTemporaryPassword,
  works: readonly MemberWork[],
): Promise<void> {
  const entry = {
    action: 'member.password_expired',
    resourceType: 'member',
    resourceId: userId,
    resourceName: email,
    metadata: { expiredAt: expiresAt.toISOString() },
  } as const
  if (works.length === 0) await audit.recordSystem({ ...entry, resourceType: 'user' })
  for (const { tenant } of works) await audit.recordSystem({ ...entry, tenantSlug: tenant.slug })
}
