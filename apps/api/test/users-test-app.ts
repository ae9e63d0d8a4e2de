import { randomBytes } from 'node:crypto'
import { proveAddress } from '@atrium/testing/invitations'
import { clientsWithDeadline, identityApi, identityRecords } from '@atrium/testing/outside'
import { type RequestOptions, startTestApp, type TestApp } from '@atrium/testing/test-app'
import { expect } from 'vitest'

/** Somebody whom the identity provider knows, with a record here. */
export interface KnownPerson {
  id: string
  email: string
  token: () => Promise<string>
}

/** What tests of users and their identities do again and again. */
export interface UsersTestApp extends TestApp {
  operator: string
  /** As the operator, unless another token is given. */
  call(method: string, path: string, body?: unknown, token?: string): ReturnType<TestApp['request']>
  person(name: string): Promise<KnownPerson>
  /** With the administrator flag; the token is for the operator portal. */
  operatorPerson(name: string): Promise<KnownPerson>
  /** Addresses of those whom the identity provider has in a group. */
  groupMembers(name: string): string[]
  /** What the identity provider still has to follow of somebody. */
  dueOf(id: string): Promise<{ attempts: number; next_at: Date } | undefined>
}

export async function startUsersTestApp(): Promise<UsersTestApp> {
  const testApp = await startTestApp({
    integrations: clientsWithDeadline(3_000),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  const operator = await testApp.token('operator@atrium.test')
  const call: UsersTestApp['call'] = (method, path, body, token = operator) =>
    testApp.request(method, path, {
      token,
      ...(body === undefined ? {} : { body }),
    } as RequestOptions)

  async function person(name: string): Promise<KnownPerson> {
    const email = `${name}-${randomBytes(3).toString('hex')}@example.test`
    await identityApi(testApp, 'POST', '/core/users/', { username: email, email, name, groups: [] })
    const token = () => testApp.token(email, 'portal')
    const { id } = (await call('GET', '/users/me', undefined, await token())).body
    await proveAddress(testApp, id)
    return { id, email, token }
  }
  return {
    ...testApp,
    operator,
    call,
    person,
    async operatorPerson(name) {
      const made = await person(name)
      expect(await call('PATCH', `/users/${made.id}`, { platformAdmin: true })).toMatchObject({
        status: 200,
        body: { platformAdmin: true },
      })
      return { ...made, token: () => testApp.token(made.email, 'operator') }
    },
    groupMembers(name) {
      const { groups, users } = identityRecords(testApp)
      const pk = groups.find((group) => group.name === name)?.pk ?? ''
      return users.filter((user) => user.groups.includes(pk)).map((user) => user.email)
    },
    dueOf: (id) =>
      testApp.database.db
        .selectFrom('identity_dues')
        .selectAll()
        .where('user_id', '=', id)
        .executeTakeFirst(),
  }
}
