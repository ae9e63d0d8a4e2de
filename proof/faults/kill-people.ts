import { accept } from '../../apps/api/test/invitations.ts'
import type { MembersHouse } from '../../apps/api/test/members-house.ts'
import { identityRecords } from '../../apps/api/test/outside.ts'
import { type Member, memberSettled, memberState, newMember, newName, newPerson, ok } from './kill-states.ts'
import type { Write } from './kills.ts'

/** Operators, partners' staff and whole people: what gives rights beyond one tenant, and takes them. */
export function peopleWrites(house: MembersHouse): readonly Write<never>[] {
  return [
    staffRemove(house),
    staffAccess(house),
    operatorDeactivate(house),
    personAct(house, 'user deactivate', '/deactivate'),
    personAct(house, 'user reactivate', '/reactivate', '/deactivate'),
    administratorFlag(house, 'administrator flag withdrawn', false),
    administratorFlag(house, 'administrator flag given', true),
    userDelete(house),
  ] as unknown as readonly Write<never>[]
}

interface Staff {
  partner: string
  email: string
  /** Of the record, where there is one before the call. */
  id: string
}

async function newPartner(house: MembersHouse): Promise<string> {
  const slug = newName('partner')
  await house.database.db.insertInto('partners').values({ slug, name: slug }).execute()
  return slug
}

const newEmail = () => `${newName('staff')}@example.test`

/** Record, identity and the mail that tells of it. */
async function staffState(house: MembersHouse, { email, partner }: Staff) {
  const { db } = house.database
  const rows = await db
    .selectFrom('users as u')
    .leftJoin('partners as p', 'p.id', 'u.partner_id')
    .select(['u.partner_access as access', 'p.slug', 'u.deactivated_at as shut', 'u.platform_admin as administrator'])
    .where('u.email', '=', email)
    .execute()
  const mails = await db.selectFrom('outbox').select('template').where('recipient', '=', email).execute()
  const { users, groups } = identityRecords(house)
  const nameOf = (pk: string) => groups.find((group) => group.pk === pk)?.name
  return {
    rows: rows.map(({ access, slug, shut, administrator }) => ({ access, here: slug === partner, shut: shut !== null, administrator })),
    identities: users.filter((user) => user.email === email).map((user) => ({ active: user.is_active, groups: user.groups.map(nameOf) })),
    mails: mails.length,
  }
}

async function newStaff(house: MembersHouse): Promise<Staff> {
  const [partner, email] = [await newPartner(house), newEmail()]
  const body = { name: 'Staff', email, access: 'viewer' }
  const { userId } = await ok(house.request('POST', `/partners/${partner}/users`, { token: house.as.operator, body }))
  await ok(accept(house, email))
  return { partner, email, id: userId }
}

function staffRemove(house: MembersHouse): Write<Staff> {
  return {
    name: 'partner staff remove',
    prepare: () => newStaff(house),
    call: (send, { partner, id }) => send('DELETE', `/partners/${partner}/users/${id}`, house.as.operator),
    state: (target) => staffState(house, target),
    settled: ({ id }) => hasFollowed(house, id),
    passLeases: () => passDues(house),
  }
}

function staffAccess(house: MembersHouse): Write<Staff> {
  return {
    name: 'partner staff access level',
    prepare: () => newStaff(house),
    call: (send, { partner, id }) => send('PATCH', `/partners/${partner}/users/${id}`, house.as.operator, { access: 'owner' }),
    state: (target) => staffState(house, target),
    settled: async () => true,
  }
}

async function newOperator(house: MembersHouse): Promise<Staff> {
  const email = newEmail()
  const { userId } = await ok(house.request('POST', '/users/invite', { token: house.as.operator, body: { name: 'Operator', email } }))
  return { partner: '', email, id: userId }
}

function operatorDeactivate(house: MembersHouse): Write<Staff> {
  return {
    name: 'operator deactivate',
    prepare: () => newOperator(house),
    call: (send, { id }) => send('POST', `/users/${id}/deactivate`, house.as.operator, {}),
    state: (target) => staffState(house, target),
    settled: ({ id }) => hasFollowed(house, id),
    passLeases: () => passDues(house),
  }
}

/** Somebody with a mailbox and files, which have passwords of their own. */
function personAct(house: MembersHouse, name: string, path: string, before?: string): Write<Member> {
  return {
    name,
    lapses: true,
    async prepare() {
      const member = await newMember(house)
      if (before) await ok(house.request('POST', `/users/${member.id}${before}`, { token: house.as.operator, body: {} }))
      return member
    },
    call: (send, { id }) => send('POST', `/users/${id}${path}`, house.as.operator, {}),
    state: async ({ slug, id }) => ({ ...(await memberState(house, slug)), shut: await isShutOut(house, id) }),
    settled: async ({ slug, id }) => (await hasFollowed(house, id)) && (await memberSettled(house, slug)),
    passLeases: () => passDues(house),
  }
}

function administratorFlag(house: MembersHouse, name: string, given: boolean): Write<Staff> {
  return {
    name,
    async prepare() {
      if (!given) return newOperator(house)
      const email = newEmail()
      await newPerson(house, email)
      return { partner: '', email, id: await house.idOf(email) }
    },
    call: (send, { id }) => send('PATCH', `/users/${id}`, house.as.operator, { platformAdmin: given }),
    state: (target) => staffState(house, target),
    settled: ({ id }) => hasFollowed(house, id),
    // In the provider's group alone, whose members the next sign-in makes administrators: the provider is asked first, so that a flag holds.
    ...(given && {
      mayRest: (state: unknown) => (state as Awaited<ReturnType<typeof staffState>>).rows.every((row) => !row.administrator),
    }),
    passLeases: () => passDues(house),
  }
}

/** Undefined where there is no record. */
async function isShutOut(house: MembersHouse, id: string): Promise<boolean | undefined> {
  const row = await house.database.db.selectFrom('users').select('deactivated_at').where('id', '=', id).executeTakeFirst()
  return row && row.deactivated_at !== null
}

function userDelete(house: MembersHouse): Write<Member> {
  return {
    name: 'user delete',
    lapses: true,
    prepare: () => newMember(house),
    call: (send, { id }) => send('DELETE', `/users/${id}`, house.as.operator),
    state: async ({ slug, id }) => ({ ...(await memberState(house, slug)), open: (await isShutOut(house, id)) === false }),
    // Shut out of everything here and told as such, until the same call takes the person out of the tenants too.
    mayRest: (state) => !(state as { open: boolean }).open,
    settled: ({ slug }) => memberSettled(house, slug),
  }
}

/** Whether the identity provider has followed what stands here, or nothing is on record that it has to. */
async function hasFollowed(house: MembersHouse, userId: string): Promise<boolean> {
  const due = await house.database.db.selectFrom('identity_dues').select('user_id').where('user_id', '=', userId).executeTakeFirst()
  return due === undefined
}

/** What a dead process was about to do is left alone for a while. */
async function passDues(house: MembersHouse): Promise<void> {
  await house.database.db
    .updateTable('identity_dues')
    .set({ next_at: new Date(Date.now() - 1_000) })
    .execute()
}
