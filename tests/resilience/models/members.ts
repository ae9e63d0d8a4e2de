import { randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import { type Issuer, personClaims } from '@atrium/testing/issuer'
import { insertTestTenant } from '@atrium/testing/records'
import type { TestApp } from '@atrium/testing/test-app'
import fc from 'fast-check'
import type { Slice } from './slice.ts'

type Role = 'owner' | 'admin' | 'member'

interface ModelMember {
  role: Role
  status: 'active' | 'suspended' | 'removed'
  /** Made the tenant and has no mailbox. */
  founder: boolean
}

/** The people of one tenant with few seats. */
interface Model {
  seats: number
  members: ModelMember[]
}

interface Real {
  slug: string
  tenantId: string
  /** In the order of the model's members. */
  people: { id: string; subject: string }[]
}

/** `by`: one of all who ever were members; undefined for an operator. */
type By = number | undefined
type Act =
  | { act: 'create'; by: By; role: Exclude<Role, 'owner'> }
  | { act: 'change role'; by: By; member: number; role: Exclude<Role, 'owner'> }
  | { act: 'suspend' | 'resume' | 'remove' | 'transfer ownership'; by: By; member: number }

const seats = 5
const member = fc.nat({ max: 9 })
const by = fc.option(member, { nil: undefined, freq: 6 })
const role = fc.constantFrom<Exclude<Role, 'owner'>>('admin', 'member')
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('create'), by, role }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('change role'), by, member, role }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constantFrom('suspend', 'resume', 'remove', 'transfer ownership'),
      by,
      member,
    }),
  },
)

const one = <Item>(items: readonly Item[], n: number): Item => items[n % items.length] as Item

function expected(model: Model, act: Act): string {
  const caller = act.by === undefined ? undefined : one(model.members, act.by)
  // People created by the tenant have no access any more, wherever they go; its founder came from
  // elsewhere.
  if (caller?.status === 'removed') return caller.founder ? 'not_member' : 'user_deactivated'
  if (caller?.status === 'suspended') return 'not_member'
  if (caller?.role === 'member') return 'not_admin'
  if (act.act === 'create') {
    if (model.members.filter(({ status }) => status !== 'removed').length >= model.seats)
      return 'seats_exhausted'
    model.members.push({ role: act.role, status: 'active', founder: false })
    return 'ok'
  }
  const target = one(model.members, act.member)
  if (target.status === 'removed') return 'not_found'
  switch (act.act) {
    case 'change role':
      if (target.role === act.role) return 'ok'
      if (target.role === 'owner') return 'role_locked_owner'
      if (target.founder) return 'role_locked_bootstrap_admin'
      if (target === caller) return 'role_locked_self'
      target.role = act.role
      return 'ok'
    case 'suspend':
      if (target === caller) return 'self_suspend'
      if (target.role === 'owner') return 'owner_locked'
      if (target.status === 'suspended') return 'already_suspended'
      target.status = 'suspended'
      return 'ok'
    case 'resume':
      if (target.status !== 'suspended') return 'not_suspended'
      target.status = 'active'
      return 'ok'
    case 'remove':
      if (target.role === 'owner') return 'owner_removal'
      if (target === caller) return 'self_removal'
      target.status = 'removed'
      return 'ok'
    case 'transfer ownership':
      return transfer(model, target)
  }
}

function transfer(model: Model, target: ModelMember): string {
  if (target.role === 'owner') return 'already_owner'
  if (target.status !== 'active') return 'member_not_active'
  for (const other of model.members) if (other.role === 'owner') other.role = 'admin'
  target.role = 'owner'
  return 'ok'
}

/**
 * Members of one tenant over the REST API, against the rules of docs/reference/contract.md. The
 * workplace has no upstream systems: what they do to a member is another goal's.
 */
export function membersSlice(testApp: TestApp, issuer: Issuer): Slice<Model, Real, Act> {
  const { db } = testApp.database
  const newSubject = () => randomBytes(32).toString('hex')

  async function carryOut({ slug, people }: Real, act: Act): Promise<string> {
    const token =
      act.by === undefined
        ? await issuer.sign({
            ...personClaims('operator@atrium.test'),
            aud: demoClients.operator.clientId,
          })
        : await issuer.sign({ sub: one(people, act.by).subject, groups: undefined })
    const send = async (method: string, path: string, body?: object) => {
      const response = await testApp.request(method, `/tenants/${slug}${path}`, {
        token,
        ...(body ? { body } : {}),
      })
      return { ...response, said: response.status < 300 ? 'ok' : String(response.body.code) }
    }
    if (act.act === 'create') {
      const { status, body, said } = await send('POST', '/users', {
        email: `person-${people.length}`,
        name: 'Somebody',
        role: act.role,
      })
      if (status === 201) people.push(await activate(body.member.id))
      return said
    }
    const { id: userId } = one(people, act.member)
    switch (act.act) {
      case 'change role':
        return (await send('PATCH', `/users/${userId}`, { role: act.role })).said
      case 'remove':
        return (await send('DELETE', `/users/${userId}`)).said
      case 'transfer ownership':
        return (await send('POST', '/transfer-ownership', { userId })).said
      default:
        return (await send('POST', `/users/${userId}/${act.act}`)).said
    }
  }

  /** As if the person had signed in at the identity provider. */
  async function activate(id: string) {
    const subject = newSubject()
    await db.updateTable('users').set({ idp_subject_id: subject }).where('id', '=', id).execute()
    return { id, subject }
  }

  return {
    name: 'members: create, roles, suspend, resume, remove, transfer ownership',
    acts,
    async setup() {
      const slug = `model-${randomBytes(6).toString('hex')}`
      const subject = newSubject()
      const owner = { idp_subject_id: subject, email: `${slug}@example.test`, name: 'Founder' }
      const { id } = await db
        .insertInto('users')
        .values(owner)
        .returning('id')
        .executeTakeFirstOrThrow()
      const tenant = await db
        .transaction()
        .execute((trx) => insertTestTenant(trx, { slug, seats, ownerId: id }))
      return {
        model: { seats, members: [{ role: 'owner', status: 'active', founder: true }] },
        real: { slug, tenantId: tenant.id, people: [{ id, subject }] },
      }
    },
    expected,
    carryOut: (real, act) => carryOut(real, act),
    async compare(model, { tenantId, people }) {
      const rows = await db
        .selectFrom('memberships')
        .select(['user_id', 'role', 'status'])
        .where('tenant_id', '=', tenantId)
        .execute()
      const found = people.map(({ id }) => {
        const row = rows.find(({ user_id }) => user_id === id)
        return row ? [row.role, row.status] : 'removed'
      })
      const modelled = model.members.map(({ role, status }) =>
        status === 'removed' ? status : [role, status],
      )
      return { modelled, found }
    },
  }
}
