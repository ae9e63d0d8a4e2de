import { randomBytes } from 'node:crypto'
import { giveMailbox, mailOf } from '../mailboxes.ts'
import { identityApi } from '../outside.ts'
import { adminsOrOperators, membersOrOperators, type Rows, slug, type World, who } from './rows.ts'

const colleague = (world: World) => ({ ...slug(world), userId: world.colleague })
const fresh = () => `${randomBytes(6).toString('hex')}@example.test`

/** Takes the limit of seats away, which the tenant under test has used up. */
export async function withSeats(world: World): Promise<World> {
  await world.testApp.database.db
    .updateTable('tenants')
    .set({ seats: 0 })
    .where('id', '=', world.tenantId)
    .execute()
  return world
}

/**
 * Makes the colleague a person whose sign-in the tenant created and whom the identity provider
 * knows.
 */
async function withIdentity(world: World): Promise<World> {
  const { db } = world.testApp.database
  const { email } = await db
    .selectFrom('users')
    .select('email')
    .where('id', '=', world.colleague)
    .executeTakeFirstOrThrow()
  const body = {
    username: email,
    email,
    name: 'Person',
    type: 'internal',
    path: 'users',
    is_active: true,
  }
  const known = await identityApi(world.testApp, 'GET', `/core/users/?username=${email}`)
  const made = known.results[0] ?? (await identityApi(world.testApp, 'POST', '/core/users/', body))
  await db
    .updateTable('users')
    .set({ home_tenant_id: world.tenantId, idp_user_id: String(made.pk) })
    .where('id', '=', world.colleague)
    .execute()
  return world
}

async function withMailbox(
  world: World,
): Promise<{ world: World; alias: string; localPart: string }> {
  const made = randomBytes(4).toString('hex')
  const { accountId, domainId } = await giveMailbox(world.testApp, {
    slug: world.slug,
    userId: world.colleague,
    localPart: `colleague-${made}`,
  })
  const localPart = `alias-${made}`
  await mailOf(world.testApp).addAlias({ accountId, localPart, domainId })
  return { world, alias: `${localPart}@${world.slug}.tenants.local`, localPart: `further-${made}` }
}

/** Gives the caller a mailbox, where the caller is an active member; returns whether they are. */
async function withOwnMailbox({ testApp, slug: tenantSlug, tenantId, self }: World) {
  const member = await testApp.database.db
    .selectFrom('memberships')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', self ?? tenantId)
    .where('status', '=', 'active')
    .executeTakeFirst()
  if (!member) return false
  const localPart = `own-${randomBytes(4).toString('hex')}`
  await giveMailbox(testApp, { slug: tenantSlug, userId: member.user_id, localPart })
  return true
}

/** An app password of a member, whose mailbox is made where there is none. */
async function appPasswordOf(world: World, userId: string): Promise<string> {
  const { testApp, tenantId } = world
  const { mail_account_id: known } = await testApp.database.db
    .selectFrom('memberships')
    .select('mail_account_id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const localPart = `colleague-${randomBytes(4).toString('hex')}`
  const accountId =
    known ?? (await giveMailbox(testApp, { slug: world.slug, userId, localPart })).accountId
  return (await mailOf(testApp).createAppPassword({ accountId, description: localPart })).id
}

async function importOf(world: World): Promise<string> {
  const { id } = await world.testApp.database.db
    .insertInto('member_imports')
    .values({
      tenant_id: world.tenantId,
      requested_by: 'somebody@example.test',
      finished_at: new Date(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const membersRows: Rows = {
  'members.create': [
    {
      input: async (world) => ({
        ...slug(await withSeats(world)),
        // On the tenant's own domain: whoever has another address is invited.
        email: `${randomBytes(6).toString('hex')}@${world.slug}.tenants.local`,
        name: 'New',
      }),
      expected: adminsOrOperators,
    },
  ],
  'members.get': [{ input: colleague, expected: membersOrOperators }],
  'members.update': [
    { input: (world) => ({ ...colleague(world), role: 'admin' }), expected: adminsOrOperators },
    {
      input: async (world) => ({ ...colleague(await withIdentity(world)), name: 'Renamed' }),
      expected: adminsOrOperators,
    },
    {
      // Whose sign-in the tenant did not make, only operators rename.
      input: (world) => ({ ...colleague(world), name: 'Renamed' }),
      expected: {
        ...adminsOrOperators,
        admin: 'identity_not_managed',
        owner: 'identity_not_managed',
      },
    },
  ],
  'members.changeEmail': [
    {
      input: async (world) => ({ ...colleague(await withIdentity(world)), email: fresh() }),
      expected: adminsOrOperators,
    },
    {
      input: (world) => ({ ...colleague(world), email: fresh() }),
      expected: {
        ...adminsOrOperators,
        admin: 'identity_not_managed',
        owner: 'identity_not_managed',
      },
    },
  ],
  'members.listAliases': [
    { input: colleague, expected: adminsOrOperators },
    {
      input: ({ self, ...world }) => ({
        ...colleague(world as World),
        ...(self ? { userId: self } : {}),
      }),
      expected: { ...membersOrOperators, operator: 'not_found' },
    },
  ],
  'members.addAlias': [
    {
      input: async (given) => {
        const { world, localPart } = await withMailbox(given)
        return { ...colleague(world), address: localPart }
      },
      expected: adminsOrOperators,
    },
  ],
  'members.removeAlias': [
    {
      input: async (given) => {
        const { world, alias } = await withMailbox(given)
        return { ...colleague(world), address: alias }
      },
      expected: adminsOrOperators,
    },
  ],
  'members.listAppPasswords': [
    { input: colleague, expected: adminsOrOperators },
    {
      input: ({ self, ...world }) => ({
        ...colleague(world as World),
        ...(self ? { userId: self } : {}),
      }),
      expected: { ...membersOrOperators, operator: 'not_found' },
    },
  ],
  'members.createAppPassword': [
    {
      // Only a member has a mailbox of their own here.
      input: async (world) => {
        await withOwnMailbox(world)
        return { ...slug(world), name: 'Phone' }
      },
      expected: { ...membersOrOperators, operator: 'not_found' },
    },
  ],
  'members.removeAppPassword': [
    {
      input: async (world) => ({
        ...colleague(world),
        appPasswordId: await appPasswordOf(world, world.colleague),
      }),
      expected: adminsOrOperators,
    },
    {
      input: async (world) => ({
        ...slug(world),
        userId: world.self ?? world.colleague,
        appPasswordId: (await withOwnMailbox(world))
          ? await appPasswordOf(world, world.self ?? '')
          : 'b',
      }),
      expected: { ...membersOrOperators, operator: 'not_found' },
    },
  ],
  'members.createMailbox': [{ input: colleague, expected: adminsOrOperators }],
  'members.suspend': [{ input: colleague, expected: adminsOrOperators }],
  'members.resume': [
    {
      input: async (world) => {
        const suspended = world.testApp.database.db
          .updateTable('memberships')
          .set({ status: 'suspended' })
        await suspended
          .where('tenant_id', '=', world.tenantId)
          .where('user_id', '=', world.colleague)
          .execute()
        return colleague(world)
      },
      expected: adminsOrOperators,
    },
  ],
  'members.forceLogout': [
    { input: async (world) => colleague(await withIdentity(world)), expected: adminsOrOperators },
    {
      input: colleague,
      expected: {
        ...adminsOrOperators,
        admin: 'identity_not_managed',
        owner: 'identity_not_managed',
      },
    },
  ],
  'members.resetPassword': [
    { input: async (world) => colleague(await withIdentity(world)), expected: adminsOrOperators },
    {
      input: colleague,
      expected: {
        ...adminsOrOperators,
        admin: 'identity_not_managed',
        owner: 'identity_not_managed',
        operator: 'member_not_active',
      },
    },
    {
      input: async (world) => ({
        ...slug(world),
        userId: await ownerOf(await withOwnerIdentity(world)),
      }),
      expected: who(['owner', 'operator'], 'not_member', {
        member: 'not_admin',
        admin: 'owner_locked',
      }),
    },
  ],
  'members.resetSecondFactors': [
    { input: async (world) => colleague(await withIdentity(world)), expected: adminsOrOperators },
    {
      // Nobody resets those of a person whose sign-in another tenant manages, operators included.
      input: colleague,
      expected: {
        ...adminsOrOperators,
        admin: 'identity_not_managed',
        owner: 'identity_not_managed',
        operator: 'identity_not_managed',
      },
    },
    {
      input: async (world) => ({
        ...slug(world),
        userId: await ownerOf(await withOwnerIdentity(world)),
      }),
      expected: who(['operator'], 'not_member', {
        member: 'not_admin',
        admin: 'owner_locked',
        owner: 'self_second_factors',
      }),
    },
  ],
  'members.remindOfSecondFactors': [{ input: slug, expected: adminsOrOperators }],
  'members.leave': [
    {
      input: slug,
      expected: { ...membersOrOperators, owner: 'owner_removal', operator: 'not_found' },
    },
  ],
  'members.remove': [{ input: colleague, expected: adminsOrOperators }],
  'members.retry': [{ input: colleague, expected: adminsOrOperators }],
  'members.transferOwnership': [{ input: colleague, expected: adminsOrOperators }],
  'members.startImport': [
    {
      input: (world) => ({ ...slug(world), csv: `email,name\n${fresh()},New\n`, dryRun: true }),
      expected: adminsOrOperators,
    },
  ],
  'members.getImport': [
    {
      input: async (world) => ({ ...slug(world), importId: await importOf(world), rows: 'all' }),
      expected: adminsOrOperators,
    },
  ],
  'members.resumeImport': [
    {
      input: async (world) => ({ ...slug(world), importId: await importOf(world) }),
      expected: adminsOrOperators,
    },
  ],
}

async function ownerOf({ testApp, tenantId }: World): Promise<string> {
  const owners = testApp.database.db
    .selectFrom('memberships')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
  return (await owners.where('role', '=', 'owner').executeTakeFirstOrThrow()).user_id
}

async function withOwnerIdentity(world: World): Promise<World> {
  await withIdentity({ ...world, colleague: await ownerOf(world) })
  return world
}
