import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const create = (email: string) =>
  testApp.call('POST', '/users', {
    email,
    firstName: 'Nora',
    lastName: 'Park',
    phone: '+49 30 123',
    role: 'member',
  })

const textOf = (query: unknown): string =>
  (typeof query === 'string' ? query : (query as { text?: string }).text)
    ?.replaceAll(/["\s]+/g, ' ')
    .trim() ?? 'a read by key'

/** Not what begins and ends a transaction, and not the job engine's. */
const isOurs = (text: string) => !/^(begin|commit)\b/i.test(text) && !text.includes('jobs.')

/** The statements of one creation, and the requests to upstream systems. */
async function costOf(email: string): Promise<{ statements: string[]; calls: string[] }> {
  const before = new Map(
    Object.entries(testApp.sandbox.state()).map(([system, { calls }]) => [system, calls.length]),
  )
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const { status, body } = await create(email)
  const statements = query.mock.calls.map(([text]) => textOf(text)).filter(isOurs)
  query.mockRestore()
  expect({ status, state: body.member.status }).toEqual({ status: 201, state: 'active' })
  const calls = Object.entries(testApp.sandbox.state()).flatMap(([system, { calls: all }]) =>
    all.slice(before.get(system)).map(({ method }) => `${system} ${method}`),
  )
  return { statements, calls }
}

const fewest = (lists: string[][]) =>
  lists.toSorted((one, other) => one.length - other.length)[0] ?? []

it('creates a member with 11 requests to upstream systems and 24 statements, 3 of them updates of the membership', async () => {
  // The process does other work now and then, such as checks of the systems, so the cheapest of
  // five counts.
  const costs = []
  for (let n = 0; n < 5; n++) costs.push(await costOf(`nora${n}`))
  expect(fewest(costs.map(({ calls }) => calls)).toSorted()).toEqual([
    ...['files POST', 'files POST'],
    // One of the readings and one of the changes mark the password as temporary.
    ...['identity GET', 'identity GET', 'identity GET', 'identity PATCH', 'identity PATCH'],
    ...['identity POST', 'identity POST'],
    ...['mail POST', 'mail POST'],
  ])
  const statements = fewest(costs.map((cost) => cost.statements))
  expect(statements.filter((text) => text.startsWith('update memberships'))).toHaveLength(3)
  // Two commit the event with the member, and two write the entry of how it ended.
  expect(statements, statements.join('\n')).toHaveLength(24)
})

it('gives an identity its contact data and its group when it makes it', async () => {
  const { body } = await create('nora-last')
  const { records } = testApp.sandbox.state().identity
  const { users, groups } = records as {
    users: Record<string, unknown>[]
    groups: { pk: string; name: string }[]
  }
  const group = groups.find(({ name }) => name === 'acme')
  expect(users.find(({ email }) => email === body.member.email)).toMatchObject({
    name: 'Nora Park',
    is_active: true,
    groups: [group?.pk],
    attributes: { firstName: 'Nora', lastName: 'Park', phone: '+49 30 123' },
  })
  expect(await testApp.database.db.selectFrom('identity_dues').select('user_id').execute()).toEqual(
    [],
  )
})
