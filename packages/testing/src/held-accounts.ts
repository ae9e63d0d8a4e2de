import { randomBytes } from 'node:crypto'
import { passwordMatches } from '@atrium/sandbox/identity/passwords'
import { identityApi } from './outside.ts'
import { tenantIdOf } from './records.ts'
import type { TestApp } from './test-app.ts'

/** An account at the identity provider whose password and session somebody else may have. */
export interface HeldAccount {
  /** Of the record here. */
  id: string
  /** Of the identity provider. */
  pk: number
  email: string
  password: string
  /** Of a session of before. */
  token: string
}

interface StoredUser {
  pk: number
  uid: string
  email: string
  name: string
  password: string | null
  is_active: boolean
}

/** Everybody at the identity provider, with hashed passwords. */
export function storedIdentities(testApp: TestApp): StoredUser[] {
  return (testApp.sandbox.identity.save() as { users: StoredUser[] }).users
}

/** Whether the identity provider lets somebody in with this address and password. */
export function opens(testApp: TestApp, email: string, password: string): boolean {
  return storedIdentities(testApp).some(
    (user) => user.email === email && user.is_active && passwordMatches(user.password, password),
  )
}

/**
 * An account that the tenant made for an address when whoever made it was still shown its password:
 * a member there, who is signed in.
 */
export async function heldAccount(
  testApp: TestApp,
  { email, tenantSlug }: { email: string; tenantSlug: string },
): Promise<HeldAccount> {
  const { db } = testApp.database
  const password = `Known-${randomBytes(6).toString('hex')}`
  const { groups } = testApp.sandbox.identity.save() as { groups: { pk: string; name: string }[] }
  const { uid, pk } = await identityApi(testApp, 'POST', '/core/users/', {
    username: email,
    email,
    name: 'Held',
    path: `tenants/${tenantSlug}`,
    groups: groups.filter(({ name }) => name === tenantSlug).map(({ pk }) => pk),
    is_active: true,
  })
  await identityApi(testApp, 'POST', `/core/users/${pk}/set_password/`, { password })
  const home = await tenantIdOf(db, tenantSlug)
  const { id } = await db
    .insertInto('users')
    .values({
      idp_subject_id: uid,
      idp_user_id: String(pk),
      email,
      name: 'Held',
      home_tenant_id: home,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('memberships')
    .values({ tenant_id: home, user_id: id, role: 'member' })
    .execute()
  const token = await testApp.token(email)
  const { status } = await testApp.request('GET', '/users/me', { token })
  if (status !== 200 || !opens(testApp, email, password))
    throw new Error(`the held account of ${email} does not open: ${status}`)
  return { id, pk, email, password, token }
}
