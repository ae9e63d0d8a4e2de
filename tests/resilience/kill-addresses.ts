import { createHash, randomBytes } from 'node:crypto'
import { insertAddressClaim, saveAddressClaimLink } from '@atrium/db/address-claims/address-claims'
import { queues } from '@atrium/db/platform/jobs'
import { pendingSubject } from '@atrium/db/users/pending-subject'
import { heldAccount, opens } from '@atrium/testing/held-accounts'
import { type MembersTestApp, mailboxOpens } from '@atrium/testing/members-test-app'
import { identityApi, identityRecords } from '@atrium/testing/outside'
import { proveDomain } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { hasFollowed, memberSettled, newName, newTenant, ok, passSyncTasks } from './kill-states.ts'
import type { Write } from './kills.ts'

/** Claims to addresses, and passwords that somebody else has seen: what takes a sign-in away. */
export function addressWrites(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    addressMove(testApp, false),
    addressMove(testApp, true),
    claimSettled(testApp, false),
    claimSettled(testApp, true),
    passwordExpired(testApp),
    passwordReplaced(testApp),
  ] as unknown as readonly Write<never>[]
}

interface Claimed {
  slug: string
  /** Of the other tenant that trusted the address. */
  third: string
  email: string
  userId: string
  /** Of the identity of before. */
  uid: string
  token: string
}

/** Somebody of another tenant with an address on a domain that the new tenant proved and claims. */
async function newClaim(testApp: MembersTestApp, member: boolean): Promise<Claimed> {
  const { db } = testApp.database
  const [slug, third] = [await newTenant(testApp), await newTenant(testApp)]
  const domain = `${newName('claimed')}.example.org`
  const email = `person@${domain}`
  const { id: userId } = await heldAccount(testApp, { email, tenantSlug: 'globex' })
  await proveDomain(testApp, slug, domain)
  const idOf = (name: string) =>
    db.selectFrom('tenants').select('id').where('slug', '=', name).executeTakeFirstOrThrow()
  const [{ id: tenantId }, { id: thirdId }] = [await idOf(slug), await idOf(third)]
  await db
    .insertInto('memberships')
    .values([
      { tenant_id: thirdId, user_id: userId, role: 'member' },
      ...(member ? [{ tenant_id: tenantId, user_id: userId, role: 'member' as const }] : []),
    ])
    .execute()
  const token = randomBytes(32).toString('base64url')
  await db
    .transaction()
    .execute((trx) => insertAddressClaim(trx, { tenantId, userId, email, days: 14 }))
  const hash = createHash('sha256').update(token).digest()
  await saveAddressClaimLink(db, { tenantId, userId, hash })
  const { subject: uid } = await db
    .selectFrom('users')
    .select('idp_subject_id as subject')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return { slug, third, email, userId, uid, token }
}

async function claimState(testApp: MembersTestApp, claimed: Claimed) {
  const { slug, third, email, userId, uid } = claimed
  const { db } = testApp.database
  const person = await db
    .selectFrom('users as u')
    .leftJoin('tenants as h', 'h.id', 'u.home_tenant_id')
    .select(['u.email', 'u.proved_email as proved', 'u.idp_subject_id as subject', 'h.slug'])
    .where('u.id', '=', userId)
    .executeTakeFirstOrThrow()
  const memberships = await db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(['t.slug', 'm.role', 'm.status', 'm.identity_state as identity'])
    .where('m.user_id', '=', userId)
    .execute()
  const claims = await db
    .selectFrom('address_claims')
    .select('moved_at as moved')
    .where('user_id', '=', userId)
    .execute()
  const mails = await db
    .selectFrom('outbox')
    .select('template')
    .where('key', 'like', `%:${userId}%`)
    .execute()
  const { users } = identityRecords(testApp)
  const names = new Map([
    [slug, 'claiming'],
    [third, 'third'],
  ])
  return {
    address: person.email === email ? 'kept' : 'detached',
    proved: person.proved === email,
    home: person.slug === slug ? 'claiming' : person.slug,
    made: !person.subject.startsWith(pendingSubject),
    memberships: memberships
      .map(({ slug: of, ...row }) => ({ of: names.get(of) ?? of, ...row }))
      .sort((one, other) => one.of.localeCompare(other.of)),
    claims: claims.map(({ moved }) => (moved === null ? 'running' : 'moved')),
    mails: mails.map(({ template }) => template).sort(),
    /** Of the identity of before, and of those that have the address. */
    old: users.filter((user) => user.uid === uid).map((user) => user.is_active),
    own: users.filter((user) => user.email === email && user.uid !== uid).length,
  }
}

/** The job engine looks again: a test does not wait for its next minute. */
async function wake(testApp: MembersTestApp, ...names: (keyof typeof queues)[]): Promise<void> {
  for (const name of names)
    await sql`insert into jobs.job (name) values (${queues[name]}) on conflict do nothing`.execute(
      testApp.database.db,
    )
}

async function claimsSettled(testApp: MembersTestApp, { userId }: Claimed): Promise<boolean> {
  const { db } = testApp.database
  const { email, subject } = await db
    .selectFrom('users')
    .select(['email', 'idp_subject_id as subject'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const made = !subject.startsWith(pendingSubject)
  if (
    made &&
    (await hasFollowed(testApp, userId)) &&
    (await memberSettled(testApp, '', undefined, email))
  )
    return true
  await passSyncTasks(testApp)
  await wake(testApp, 'memberSweep')
  return false
}

function addressMove(testApp: MembersTestApp, member: boolean): Write<Claimed> {
  return {
    name: member ? 'address move of a member' : 'address move',
    lapses: true,
    prepare: () => newClaim(testApp, member),
    call: (send, { token }) => send('POST', '/address-claims/move', token, {}),
    state: (target) => claimState(testApp, target),
    // Moved, until the link gives the password that nobody has seen.
    mayRest: (state) => (state as { claims: string[] }).claims.join() === 'moved',
    settled: (target) => claimsSettled(testApp, target),
    passLeases: () => passSyncTasks(testApp),
  }
}

/** Waits for what a job does, as nobody gets a response of it. */
async function carriedOut(holds: () => Promise<boolean>): Promise<{ status: number; body: null }> {
  for (const until = performance.now() + 20_000; performance.now() < until; ) {
    if (await holds()) return { status: 200, body: null }
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the job did not carry it out')
}

/** By the job: the address is lost, or a member of the tenant gets a new identity. */
function claimSettled(testApp: MembersTestApp, member: boolean): Write<Claimed> {
  const { database } = testApp
  const running = async (userId: string) =>
    (await database.db
      .selectFrom('address_claims')
      .select('user_id')
      .where('user_id', '=', userId)
      .executeTakeFirst()) !== undefined
  /** A dead process has taken the claim for an hour. */
  const due = async () => {
    const past = new Date(Date.now() - 1_000)
    await database.db
      .updateTable('address_claims')
      .set({ next_at: past })
      .where('ends_at', '<', past)
      .execute()
    await wake(testApp, 'domainChecks')
  }
  return {
    name: member ? 'address claim of a member settled' : 'address claim settled',
    lapses: true,
    alone: true,
    prepare: () => newClaim(testApp, member),
    async call(_, { userId }) {
      await database.db
        .updateTable('address_claims')
        .set({ ends_at: new Date(Date.now() - 5_000) })
        .where('user_id', '=', userId)
        .execute()
      await due()
      return carriedOut(async () => !(await running(userId)))
    },
    state: (target) => claimState(testApp, target),
    async settled(target) {
      if (await running(target.userId)) {
        await due()
        return false
      }
      return claimsSettled(testApp, target)
    },
    passLeases: () => passSyncTasks(testApp),
  }
}

interface Expiring {
  slug: string
  userId: string
  email: string
  password: string
}

/** A member whose one-time password was shown. */
async function newExpiring(testApp: MembersTestApp): Promise<Expiring> {
  const slug = await newTenant(testApp)
  const { member, oneTimePassword: password } = await ok(
    testApp.request('POST', `/tenants/${slug}/users`, {
      token: testApp.as.outsider,
      body: { email: 'person', name: `Person of ${slug}` },
    }),
  )
  return { slug, userId: member.id, email: member.email, password }
}

/** Changes what the identity provider notes about the password. Returns the path of the person. */
async function changeMarks(
  testApp: MembersTestApp,
  email: string,
  marks: Record<string, unknown>,
): Promise<string> {
  const found = identityRecords(testApp).users.find((user) => user.email === email)
  const path = `/core/users/${found?.pk}/`
  const { attributes } = await identityApi(testApp, 'GET', path)
  await identityApi(testApp, 'PATCH', path, { attributes: { ...attributes, ...marks } })
  return path
}

const temporaryPassword = ({ database }: MembersTestApp, userId: string) =>
  database.db
    .selectFrom('temporary_passwords')
    .select(['ending_at as ending', 'ended_at as ended'])
    .where('user_id', '=', userId)
    .executeTakeFirst()

/** By the sweep: identity and mailbox get a password that nobody knows. */
function passwordExpired(testApp: MembersTestApp): Write<Expiring> {
  const { database } = testApp
  return {
    name: 'temporary password expired',
    lapses: true,
    alone: true,
    prepare: () => newExpiring(testApp),
    async call(_, { userId, email }) {
      const expired = new Date(Date.now() - 1_000)
      await changeMarks(testApp, email, { atrium_password_expires_at: expired.toISOString() })
      await database.db
        .updateTable('temporary_passwords')
        .set({ expires_at: expired, next_at: expired })
        .where('user_id', '=', userId)
        .execute()
      await wake(testApp, 'memberSweep')
      return carriedOut(async () => Boolean((await temporaryPassword(testApp, userId))?.ended))
    },
    async state({ userId, email, password }) {
      const found = await temporaryPassword(testApp, userId)
      const members = await database.db
        .selectFrom('memberships')
        .select(['status', 'needs_password as needsPassword'])
        .where('user_id', '=', userId)
        .execute()
      return {
        password: found?.ended ? 'ended' : found?.ending ? 'ending' : 'valid',
        members,
        opens: opens(testApp, email, password),
        mailOpens: await mailboxOpens(testApp, email, password),
      }
    },
    async settled({ slug, userId }) {
      if ((await temporaryPassword(testApp, userId))?.ended) return memberSettled(testApp, slug)
      await dueAgain(testApp, userId)
      return false
    },
  }
}

/** By the sweep, once the person has an own password: the mailbox gets one that nobody knows. */
function passwordReplaced(testApp: MembersTestApp): Write<Expiring> {
  const own = 'a password of their own 7'
  return {
    name: 'temporary password replaced',
    lapses: true,
    alone: true,
    prepare: () => newExpiring(testApp),
    async call(_, { userId, email }) {
      const path = await changeMarks(testApp, email, { atrium_password_change_required: false })
      await identityApi(testApp, 'POST', `${path}set_password/`, { password: own })
      await dueAgain(testApp, userId)
      return carriedOut(async () => (await temporaryPassword(testApp, userId)) === undefined)
    },
    state: async ({ userId, email, password }) => ({
      followed: (await temporaryPassword(testApp, userId)) !== undefined,
      opens: opens(testApp, email, own),
      mailOpens: await mailboxOpens(testApp, email, password),
    }),
    async settled({ slug, userId }) {
      if (!(await temporaryPassword(testApp, userId))) return memberSettled(testApp, slug)
      await dueAgain(testApp, userId)
      return false
    },
  }
}

async function dueAgain(testApp: MembersTestApp, userId: string): Promise<void> {
  await testApp.database.db
    .updateTable('temporary_passwords')
    .set({ next_at: new Date(0) })
    .where('user_id', '=', userId)
    .execute()
  await wake(testApp, 'memberSweep')
}
