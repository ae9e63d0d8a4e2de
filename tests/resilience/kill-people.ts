import { accept, invite, linkToken } from '@atrium/testing/invitations'
import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { identityRecords } from '@atrium/testing/outside'
import {
  hasFollowed,
  type Member,
  memberSettled,
  memberState,
  newMember,
  newName,
  newPerson,
  newTenant,
  ok,
  passSyncTasks,
} from './kill-states.ts'
import type { Write } from './kills.ts'

/**
 * Operators, partners' staff and whole people: what gives rights beyond one tenant, and takes them.
 */
export function peopleWrites(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    invitationAccept(testApp),
    staffRemove(testApp),
    staffAccess(testApp),
    operatorDeactivate(testApp),
    personAct(testApp, 'user deactivate', '/deactivate'),
    personAct(testApp, 'user reactivate', '/reactivate', '/deactivate'),
    administratorFlag(testApp, 'administrator flag withdrawn', false),
    administratorFlag(testApp, 'administrator flag given', true),
    userDelete(testApp),
  ] as unknown as readonly Write<never>[]
}

interface Staff {
  partner: string
  email: string
  /** Of the record, where there is one before the call. */
  id: string
}

async function newPartner(testApp: MembersTestApp): Promise<string> {
  const slug = newName('partner')
  await testApp.database.db.insertInto('partners').values({ slug, name: slug }).execute()
  return slug
}

const newEmail = () => `${newName('staff')}@example.test`

/** Record, identity and the notification mail. */
async function staffState(testApp: MembersTestApp, { email, partner }: Staff) {
  const { db } = testApp.database
  const rows = await db
    .selectFrom('users as u')
    .leftJoin('partners as p', 'p.id', 'u.partner_id')
    .select([
      'u.partner_access as access',
      'p.slug',
      'u.deactivated_at as shut',
      'u.platform_admin as administrator',
    ])
    .where('u.email', '=', email)
    .execute()
  const mails = await db
    .selectFrom('outbox')
    .select('template')
    .where('recipient', '=', email)
    .execute()
  const { users, groups } = identityRecords(testApp)
  const nameOf = (pk: string) => groups.find((group) => group.pk === pk)?.name
  return {
    rows: rows.map(({ access, slug, shut, administrator }) => ({
      access,
      here: slug === partner,
      shut: shut !== null,
      administrator,
    })),
    identities: users
      .filter((user) => user.email === email)
      .map((user) => ({ active: user.is_active, groups: user.groups.map(nameOf) })),
    mails: mails.length,
  }
}

async function newStaff(testApp: MembersTestApp): Promise<Staff> {
  const [partner, email] = [await newPartner(testApp), newEmail()]
  const body = { name: 'Staff', email, access: 'viewer' }
  await ok(
    testApp.request('POST', `/partners/${partner}/users`, { token: testApp.as.operator, body }),
  )
  await ok(accept(testApp, email))
  return { partner, email, id: await testApp.idOf(email) }
}

interface Invited {
  slug: string
  email: string
  token: string
}

/** By a new person, who gets a membership, an identity and a password. */
function invitationAccept(testApp: MembersTestApp): Write<Invited> {
  return {
    name: 'invitation accept',
    lapses: true,
    async prepare() {
      const [slug, email] = [await newTenant(testApp), newEmail()]
      await ok(invite(testApp, slug, { email, name: 'Invited' }, testApp.as.outsider))
      return { slug, email, token: await linkToken(testApp, email) }
    },
    call: (send, { token }) => send('POST', '/invitations/accept', token, {}),
    async state({ email }) {
      const { db } = testApp.database
      const invitations = await db
        .selectFrom('invitations')
        .select('accepted_at as acceptedAt')
        .where('email', '=', email)
        .execute()
      const members = await db
        .selectFrom('users as u')
        .leftJoin('memberships as m', 'm.user_id', 'u.id')
        .select(['m.role', 'm.status', 'm.identity_state as identity', 'm.files_state as files'])
        .where('u.email', '=', email)
        .execute()
      const links = await db
        .selectFrom('access_links')
        .select('user_id')
        .where('email', '=', email)
        .execute()
      const { users } = identityRecords(testApp)
      return {
        accepted: invitations.map(({ acceptedAt }) => acceptedAt !== null),
        members,
        links: links.length,
        identities: users.filter((user) => user.email === email).map((user) => user.is_active),
      }
    },
    // Accepted, until the link gives the password that nobody has seen.
    mayRest: (state) => (state as { links: number }).links === 1,
    settled: ({ slug, email }) => memberSettled(testApp, slug, undefined, email),
    passLeases: () => passSyncTasks(testApp),
  }
}

function staffRemove(testApp: MembersTestApp): Write<Staff> {
  return {
    name: 'partner staff remove',
    prepare: () => newStaff(testApp),
    call: (send, { partner, id }) =>
      send('DELETE', `/partners/${partner}/users/${id}`, testApp.as.operator),
    state: (target) => staffState(testApp, target),
    settled: ({ id }) => hasFollowed(testApp, id),
    passLeases: () => passSyncTasks(testApp),
  }
}

function staffAccess(testApp: MembersTestApp): Write<Staff> {
  return {
    name: 'partner staff access level',
    prepare: () => newStaff(testApp),
    call: (send, { partner, id }) =>
      send('PATCH', `/partners/${partner}/users/${id}`, testApp.as.operator, { access: 'owner' }),
    state: (target) => staffState(testApp, target),
    settled: async () => true,
  }
}

async function newOperator(testApp: MembersTestApp): Promise<Staff> {
  const email = newEmail()
  const { userId } = await ok(
    testApp.request('POST', '/users/invite', {
      token: testApp.as.operator,
      body: { name: 'Operator', email },
    }),
  )
  return { partner: '', email, id: userId }
}

function operatorDeactivate(testApp: MembersTestApp): Write<Staff> {
  return {
    name: 'operator deactivate',
    prepare: () => newOperator(testApp),
    call: (send, { id }) => send('POST', `/users/${id}/deactivate`, testApp.as.operator, {}),
    state: (target) => staffState(testApp, target),
    settled: ({ id }) => hasFollowed(testApp, id),
    passLeases: () => passSyncTasks(testApp),
  }
}

/** A person with a mailbox and files, which have passwords of their own. */
function personAct(
  testApp: MembersTestApp,
  name: string,
  path: string,
  before?: string,
): Write<Member> {
  return {
    name,
    lapses: true,
    async prepare() {
      const member = await newMember(testApp)
      if (before)
        await ok(
          testApp.request('POST', `/users/${member.id}${before}`, {
            token: testApp.as.operator,
            body: {},
          }),
        )
      return member
    },
    call: (send, { id }) => send('POST', `/users/${id}${path}`, testApp.as.operator, {}),
    state: async ({ slug, id }) => ({
      ...(await memberState(testApp, slug)),
      shut: await isShutOut(testApp, id),
    }),
    settled: async ({ slug, id }) =>
      (await hasFollowed(testApp, id)) && (await memberSettled(testApp, slug)),
    passLeases: () => passSyncTasks(testApp),
  }
}

function administratorFlag(testApp: MembersTestApp, name: string, given: boolean): Write<Staff> {
  return {
    name,
    async prepare() {
      if (!given) return newOperator(testApp)
      const email = newEmail()
      await newPerson(testApp, email)
      return { partner: '', email, id: await testApp.idOf(email) }
    },
    call: (send, { id }) =>
      send('PATCH', `/users/${id}`, testApp.as.operator, { platformAdmin: given }),
    state: (target) => staffState(testApp, target),
    settled: ({ id }) => hasFollowed(testApp, id),
    // In the provider's group alone, whose members the next sign-in makes administrators: the
    // provider is asked first, so that a flag holds.
    ...(given && {
      mayRest: (state: unknown) =>
        (state as Awaited<ReturnType<typeof staffState>>).rows.every((row) => !row.administrator),
    }),
    passLeases: () => passSyncTasks(testApp),
  }
}

/** Undefined where there is no record. */
async function isShutOut(testApp: MembersTestApp, id: string): Promise<boolean | undefined> {
  const row = await testApp.database.db
    .selectFrom('users')
    .select('deactivated_at')
    .where('id', '=', id)
    .executeTakeFirst()
  return row && row.deactivated_at !== null
}

function userDelete(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'user delete',
    lapses: true,
    prepare: () => newMember(testApp),
    call: (send, { id }) => send('DELETE', `/users/${id}`, testApp.as.operator),
    state: async ({ slug, id }) => ({
      ...(await memberState(testApp, slug)),
      open: (await isShutOut(testApp, id)) === false,
    }),
    // Locked out here and shown as such, until the same call also removes the person from the
    // tenants.
    mayRest: (state) => !(state as { open: boolean }).open,
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}
