import { randomBytes } from 'node:crypto'
import type { UserView } from '@atrium/core/users/users'
import { type Issuer, personClaims, startIssuer } from '@atrium/testing/issuer'
import { tenantIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp, type TestResponse } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let issuer: Issuer
let testApp: TestApp

beforeAll(async () => {
  issuer = await startIssuer()
  testApp = await startTestApp({ env: { IDP_ISSUER: issuer.url } })
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const subject = () => randomBytes(32).toString('hex')
const now = () => Math.floor(Date.now() / 1000)
/**
 * A token issued after everything that has happened so far; clocks of issuers may be ahead by some
 * seconds.
 */
const later = () => now() + 20
const earlier = () => now() - 3_000

const me = async (claims: Record<string, unknown>): Promise<TestResponse> =>
  testApp.request('GET', '/users/me', { token: await issuer.sign({ exp: now() + 600, ...claims }) })
const slugs = (response: TestResponse) =>
  (response.body as UserView).tenants.map((tenant) => `${tenant.slug}:${tenant.role}`)
const flag = (
  sub: string,
  fields: { platform_admin: boolean; platform_admin_changed_at?: Date | null },
) =>
  testApp.database.db.updateTable('users').set(fields).where('idp_subject_id', '=', sub).execute()

describe('the first call', () => {
  it('makes the record from the token', async () => {
    const sub = subject()
    const response = await me({ sub, email: 'First@Example.Test', name: 'First Person' })
    expect(response).toMatchObject({
      status: 200,
      body: {
        idpSubjectId: sub,
        email: 'first@example.test',
        name: 'First Person',
        platformAdmin: false,
        tenants: [],
        status: 'active',
        partner: null,
      },
    })
    expect((await me({ sub })).body.id).toBe(response.body.id)
  })

  it('makes one record, however many come at once', async () => {
    const sub = subject()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => me({ sub, groups: ['acme'] })),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
    expect(slugs(await me({ sub, groups: ['acme'] }))).toEqual(['acme:member'])
  })

  it('works for a token without address and name', async () => {
    const sub = subject()
    const response = await me({ sub, email: undefined, name: undefined })
    expect(response).toMatchObject({ status: 200, body: { email: `${sub}@unknown.invalid` } })
    expect(await me({ sub, email: 'found@example.test', name: 'Found' })).toMatchObject({
      body: { email: 'found@example.test', name: 'Found' },
    })
    expect(await me({ sub, email: undefined, name: undefined })).toMatchObject({
      body: { email: 'found@example.test', name: 'Found' },
    })
  })
})

describe('every further call', () => {
  it('follows address and name of the token', async () => {
    const sub = subject()
    await me({ sub, email: 'old@example.test', name: 'Old' })
    expect(await me({ sub, email: 'new@example.test', name: 'New' })).toMatchObject({
      body: { email: 'new@example.test', name: 'New' },
    })
  })

  it('is the only one that writes the user', async () => {
    const sub = subject()
    await me({ sub, name: 'Before' })
    const token = await issuer.sign({ sub, name: 'After', groups: ['acme', 'platform-admins'] })
    for (const path of ['/tenants', '/tenants/acme', '/users'])
      await testApp.request('GET', path, { token })
    const row = await testApp.database.db
      .selectFrom('users')
      .selectAll()
      .where('idp_subject_id', '=', sub)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ name: 'Before', platform_admin: false })
    expect(await testApp.request('GET', '/tenants/acme', { token })).toMatchObject({ status: 404 })
  })

  it('reveals nothing to deactivated people, and writes nothing', async () => {
    const sub = subject()
    await me({ sub, name: 'Before' })
    await testApp.database.db
      .updateTable('users')
      .set({ deactivated_at: new Date() })
      .where('idp_subject_id', '=', sub)
      .execute()
    expect(await me({ sub, name: 'After', groups: ['acme'] })).toMatchObject({
      status: 403,
      body: { code: 'user_deactivated' },
    })
    const row = await testApp.database.db
      .selectFrom('users')
      .select(['id', 'name'])
      .where('idp_subject_id', '=', sub)
      .executeTakeFirstOrThrow()
    expect(row.name).toBe('Before')
    expect(
      await testApp.database.db
        .selectFrom('memberships')
        .selectAll()
        .where('user_id', '=', row.id)
        .execute(),
    ).toEqual([])
  })
})

describe('memberships by group', () => {
  it('are given for the slug of a tenant, once, whatever the list repeats or names beside it', async () => {
    const response = await me({
      sub: subject(),
      groups: ['acme', 'acme', 'ACME', ' acme', 'no-such-tenant', 'globex', 7, null, ''],
    })
    expect(slugs(response).sort()).toEqual(['acme:member', 'globex:member'])
  })

  it('leave a stored role as it is', async () => {
    const claims = { ...personClaims('admin@acme.test'), iat: later() }
    expect(slugs(await me(claims))).toEqual(['acme:admin'])
  })

  it('are taken when a newer token lacks the group, and stay when the token is older than they are', async () => {
    const sub = subject()
    await me({ sub, groups: ['acme', 'globex'] })
    expect(slugs(await me({ sub, groups: ['globex'], iat: earlier() }))).toEqual([
      'acme:member',
      'globex:member',
    ])
    expect(slugs(await me({ sub, groups: ['globex'], iat: later() }))).toEqual(['globex:member'])
    expect(slugs(await me({ sub, groups: [], iat: later() }))).toEqual([])
  })

  it('are left alone by a token without the claim', async () => {
    const sub = subject()
    await me({ sub, groups: ['acme'] })
    for (const groups of [undefined, null, 'acme', { acme: true }])
      expect(slugs(await me({ sub, groups, iat: later() }))).toEqual(['acme:member'])
  })

  it('are never taken from the owner', async () => {
    expect(
      slugs(await me({ ...personClaims('owner@acme.test'), groups: [], iat: later() })),
    ).toEqual(['acme:owner'])
  })

  it('follow the group only where provisioning made it', async () => {
    const { db } = testApp.database
    const setState = (state: 'ok' | 'pending') =>
      sql`update provisioning_steps set state = ${state} from tenants t where t.id = tenant_id and t.slug = 'globex' and step = 'identity'`.execute(
        db,
      )
    const [member, outsider] = [subject(), subject()]
    await me({ sub: member, groups: ['globex'] })
    await setState('pending')
    expect(slugs(await me({ sub: outsider, groups: ['globex'] }))).toEqual([])
    expect(slugs(await me({ sub: member, groups: [], iat: later() }))).toEqual(['globex:member'])
    await setState('ok')
    expect(slugs(await me({ sub: outsider, groups: ['globex'] }))).toEqual(['globex:member'])
  })

  it('that were revoked here are given back only by a token issued afterwards', async () => {
    const { db } = testApp.database
    const sub = subject()
    const { id } = (await me({ sub, groups: ['acme'] })).body
    const tenantId = await tenantIdOf(db, 'acme')
    await db.deleteFrom('memberships').where('user_id', '=', id).execute()
    await db
      .insertInto('membership_revocations')
      .values({ tenant_id: tenantId, user_id: id })
      .execute()
    expect(slugs(await me({ sub, groups: ['acme'], iat: earlier() }))).toEqual([])
    expect(slugs(await me({ sub, groups: ['acme'], iat: now() - 1 }))).toEqual([])
    expect(slugs(await me({ sub, groups: ['acme'], iat: later() }))).toEqual(['acme:member'])
  })

  it('are not given in a deleted tenant', async () => {
    const owner = await issuer.sign(personClaims('newcomer@example.test'))
    await testApp.request('POST', '/tenants', {
      token: owner,
      body: { name: 'Short', slug: 'short' },
    })
    await testApp.request('DELETE', '/tenants/short', { token: owner })
    expect(slugs(await me({ sub: subject(), groups: ['short'] }))).toEqual([])
  })

  it('act on the next request', async () => {
    const sub = subject()
    await me({ sub, groups: ['acme'] })
    const token = await issuer.sign({ sub, groups: ['acme'] })
    expect((await testApp.request('GET', '/tenants/acme/users', { token })).status).toBe(200)
    await me({ sub, groups: [], iat: later() })
    expect(await testApp.request('GET', '/tenants/acme/users', { token })).toMatchObject({
      status: 403,
      body: { code: 'not_member' },
    })
  })
})

describe('the administrator flag', () => {
  const groups = ['platform-admins']

  it('follows the group of the token', async () => {
    const sub = subject()
    expect((await me({ sub, groups })).body.platformAdmin).toBe(true)
    expect((await me({ sub, groups: undefined, iat: later() })).body.platformAdmin).toBe(true)
    expect((await me({ sub, groups: [], iat: later() })).body.platformAdmin).toBe(false)
  })

  it('is given by no other group, the built-in administrators of the provider included', async () => {
    for (const name of ['authentik Admins', 'Platform-Admins', ' platform-admins', 'partner-staff'])
      expect((await me({ sub: subject(), groups: [name] })).body.platformAdmin, name).toBe(false)
  })

  it('that was withdrawn here is not given back by a token issued before', async () => {
    const sub = subject()
    await me({ sub, groups })
    await flag(sub, { platform_admin: false, platform_admin_changed_at: new Date() })
    expect((await me({ sub, groups, iat: earlier() })).body.platformAdmin).toBe(false)
    expect((await me({ sub, groups, iat: later() })).body.platformAdmin).toBe(true)
  })

  it('that was given here is not withdrawn by a token issued before', async () => {
    const sub = subject()
    await me({ sub, groups: [] })
    await flag(sub, { platform_admin: true, platform_admin_changed_at: new Date() })
    expect((await me({ sub, groups: [], iat: earlier() })).body.platformAdmin).toBe(true)
    expect((await me({ sub, groups: [], iat: later() })).body.platformAdmin).toBe(false)
  })
})
