import { proveAddress } from '@atrium/testing/invitations'
import { identityRecords } from '@atrium/testing/outside'
import { userIdOf } from '@atrium/testing/records'
import { startTestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followIdentities } from '../src/users/follow-identity.ts'
import { startUsersTestApp, type UsersTestApp } from './users-test-app.ts'

let testApp: UsersTestApp

beforeAll(async () => {
  testApp = await startUsersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const idOf = (email: string) => userIdOf(testApp.database.db, email)

/** A minute, for what is due of somebody and for their record. */
async function passTime(id: string): Promise<void> {
  const { db } = testApp.database
  const ago = new Date(Date.now() - 60_000)
  await db.updateTable('identity_dues').set({ next_at: ago }).where('user_id', '=', id).execute()
  await db
    .updateTable('users')
    .set({ created_at: new Date(ago.getTime() - 1_000), updated_at: ago })
    .where('id', '=', id)
    .execute()
}

describe('the record of a user', () => {
  it('is made, read, listed, changed and removed', async () => {
    const made = await testApp.call('POST', '/users', {
      idpSubjectId: 'subject-1',
      email: 'Crud@Example.Test',
      name: ' Crud ',
      phone: '+49 30 1',
    })
    expect(made).toMatchObject({
      status: 201,
      body: { email: 'crud@example.test', name: 'Crud', platformAdmin: false, status: 'active' },
    })
    const { id } = made.body
    expect(await testApp.call('GET', `/users/${id}`)).toMatchObject({
      status: 200,
      body: made.body,
    })
    const changed = await testApp.call('PATCH', `/users/${id}`, {
      firstName: 'C',
      lastName: null,
      alternativeEmail: 'Other@Example.test',
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { firstName: 'C', lastName: null, alternativeEmail: 'other@example.test' },
    })
    expect(await testApp.call('DELETE', `/users/${id}`)).toMatchObject({ status: 204, body: '' })
    expect(await testApp.call('GET', `/users/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect(await testApp.call('DELETE', `/users/${id}`)).toMatchObject({ status: 404 })
  })

  it('is rejected for a subject or an address that is on record, in any case', async () => {
    await testApp.call('POST', '/users', {
      idpSubjectId: 'subject-2',
      email: 'taken@example.test',
      name: 'Taken',
    })
    expect(
      await testApp.call('POST', '/users', {
        idpSubjectId: 'subject-2',
        email: 'free@example.test',
        name: 'x',
      }),
    ).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
    expect(
      await testApp.call('POST', '/users', {
        idpSubjectId: 'subject-3',
        email: 'TAKEN@example.test',
        name: 'x',
      }),
    ).toMatchObject({
      status: 409,
      body: { code: 'email_exists' },
    })
  })

  it('is made once when many ask at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        testApp.call('POST', '/users', {
          idpSubjectId: `race-${n}`,
          email: 'race@example.test',
          name: 'Race',
        }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  it('is changed by the person in the contact fields, which null clears', async () => {
    const { id, token } = await testApp.person('self')
    const filled = await testApp.call(
      'PATCH',
      `/users/${id}`,
      { phone: '+1 555 0100', firstName: 'Se', lastName: 'Lf' },
      await token(),
    )
    expect(filled).toMatchObject({
      status: 200,
      body: { phone: '+1 555 0100', firstName: 'Se', lastName: 'Lf' },
    })
    expect(
      await testApp.call('PATCH', `/users/${id}`, { phone: null }, await token()),
    ).toMatchObject({
      body: { phone: null, firstName: 'Se' },
    })
    expect(await testApp.call('PATCH', `/users/${id}`, {}, await token())).toMatchObject({
      status: 400,
    })
  })

  it('has the language that the person chose, which operators see', async () => {
    const { id, token } = await testApp.person('speaker')
    expect((await testApp.call('GET', '/users/me', undefined, await token())).body.language).toBe(
      null,
    )
    const chosen = await testApp.call('PATCH', `/users/${id}`, { language: 'de' }, await token())
    expect(chosen).toMatchObject({ status: 200, body: { language: 'de' } })
    expect(await testApp.call('GET', `/users/${id}`)).toMatchObject({ body: { language: 'de' } })
    const { items } = (await testApp.call('GET', `/audit?action=user.updated&limit=1`)).body
    expect(items[0]).toMatchObject({
      resourceId: id,
      metadata: { changes: { language: [null, 'de'] } },
    })
    const unknown = await testApp.call('PATCH', `/users/${id}`, { language: 'fr' }, await token())
    expect(unknown).toMatchObject({ status: 400, body: { issues: [{ path: 'language' }] } })
    const unset = await testApp.call('PATCH', `/users/${id}`, { language: null }, await token())
    expect(unset).toMatchObject({ status: 200, body: { language: null } })
  })

  it('keeps a name that the person gave, which the identity provider is told', async () => {
    const { id, email, token } = await testApp.person('renamed')
    const before = await token()
    const saved = await testApp.call(
      'PATCH',
      `/users/${id}`,
      { name: 'Given Here', phone: '+1 555 0199' },
      before,
    )
    expect(saved).toMatchObject({ status: 200, body: { name: 'Given Here' } })
    expect(identityRecords(testApp).users.find((user) => user.email === email)).toMatchObject({
      name: 'Given Here',
      attributes: { phone: '+1 555 0199' },
    })
    expect(await testApp.dueOf(id)).toBeUndefined()
    // The token of before still tells the old name, a new one the new.
    for (const at of [before, await token()])
      expect((await testApp.call('GET', '/users/me', undefined, at)).body.name).toBe('Given Here')
  })

  it('keeps it while the identity provider cannot be told, and tells it later on', async () => {
    const { id, email, token } = await testApp.person('unheard')
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'error',
      status: 503,
      match: 'PATCH /api/v3/core/users/',
    })
    expect(
      await testApp.call('PATCH', `/users/${id}`, { name: 'Not Told Yet' }, await token()),
    ).toMatchObject({ status: 200 })
    testApp.sandbox.clearFaults()
    expect(await testApp.dueOf(id)).toMatchObject({ profile: true })
    // As after a minute: a newer token that tells the old name.
    await passTime(id)
    expect((await testApp.call('GET', '/users/me', undefined, await token())).body.name).toBe(
      'Not Told Yet',
    )
    await followIdentities(testApp.app.services)
    expect(identityRecords(testApp).users.find((user) => user.email === email)).toMatchObject({
      name: 'Not Told Yet',
    })
    expect(await testApp.dueOf(id)).toBeUndefined()
    expect((await testApp.call('GET', '/users/me', undefined, await token())).body.name).toBe(
      'Not Told Yet',
    )
  })

  it('is attached to an active partner only', async () => {
    const { id } = await testApp.person('staff')
    const partners = await testApp.database.db
      .insertInto('partners')
      .values([
        { slug: 'over', name: 'Over', status: 'terminated' as const },
        { slug: 'live', name: 'Live' },
      ])
      .returning(['id', 'slug'])
      .execute()
    const [over, live] = partners
    expect(await testApp.call('PATCH', `/users/${id}`, { partnerId: over?.id })).toMatchObject({
      status: 409,
      body: { code: 'partner_unavailable' },
    })
    expect(
      await testApp.call('PATCH', `/users/${id}`, { partnerId: crypto.randomUUID() }),
    ).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'partnerId' }] },
    })
    expect(await testApp.call('PATCH', `/users/${id}`, { partnerId: live?.id })).toMatchObject({
      status: 200,
      body: { partner: { slug: 'live' } },
    })
    expect(await testApp.call('PATCH', `/users/${id}`, { partnerId: null })).toMatchObject({
      body: { partner: null },
    })
  })

  it('is kept while the person owns a tenant', async () => {
    const response = await testApp.call('DELETE', `/users/${await idOf('owner@globex.test')}`)
    expect(response).toMatchObject({ status: 409, body: { code: 'user_in_use' } })
    expect(response.body.detail).toContain('globex')
  })

  it('is kept of oneself', async () => {
    expect(
      await testApp.call('DELETE', `/users/${await idOf('operator@atrium.test')}`),
    ).toMatchObject({
      status: 409,
      body: { code: 'self_deactivate' },
    })
  })
})

describe('the list of users', () => {
  const emails = async (query: string) =>
    (await testApp.call('GET', `/users?${query}`)).body.items.map(
      (user: { email: string }) => user.email,
    )

  it('is filtered by every field', async () => {
    expect((await emails('tenantSlug=acme')).sort()).toEqual([
      'admin@acme.test',
      'member@acme.test',
      'owner@acme.test',
    ])
    expect(await emails('tenantSlug=ACME&role=admin')).toEqual(['admin@acme.test'])
    expect((await emails('role=owner')).sort()).toEqual(['owner@acme.test', 'owner@globex.test'])
    expect(await emails('partnerSlug=north')).toEqual(['partner@north.test'])
    expect(await emails('platformAdmin=true')).toContain('operator@atrium.test')
    expect(await emails('platformAdmin=false')).not.toContain('operator@atrium.test')
    expect(await emails('q=MIRA')).toEqual(['member@acme.test'])
    expect(await emails('q=%25')).toEqual([])
    expect(await emails('status=deactivated')).toEqual([])
    expect(await emails('tenantSlug=nobody')).toEqual([])
  })

  it('pages through all people once', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: { items: { id: string }[]; nextCursor: string | null } } =
        await testApp.call('GET', `/users?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      expect(body.items.length).toBeLessThanOrEqual(2)
      seen.push(...body.items.map(({ id }) => id))
      cursor = body.nextCursor
    }
    const stored = await testApp.database.db
      .selectFrom('users')
      .select('id')
      .orderBy('id', 'desc')
      .execute()
    expect(seen).toEqual(stored.map(({ id }) => id))
  })
})

describe('deactivating', () => {
  it('shuts the person out at once, here and at the identity provider', async () => {
    const { id, email, token } = await testApp.person('leaver')
    const held = await token()
    const sessions = () => {
      const { users, logins } = testApp.sandbox.state().identity.records as {
        users: { pk: number; email: string }[]
        logins: { user: number }[]
      }
      const pk = users.find((user) => user.email === email)?.pk
      return logins.filter((login) => login.user === pk).length
    }
    expect(sessions()).toBe(1)
    const response = await testApp.call('POST', `/users/${id}/deactivate`, {
      reason: 'Left the company',
    })
    expect(response).toMatchObject({ status: 200, body: { status: 'deactivated' } })
    expect(sessions()).toBe(0)
    expect(identityRecords(testApp).users.find((user) => user.email === email)?.is_active).toBe(
      false,
    )
    for (const path of ['/users/me', '/tenants', `/users/${id}`])
      expect(await testApp.call('GET', path, undefined, held), path).toMatchObject({
        status: 403,
        body: { code: 'user_deactivated' },
      })
    await expect(token()).rejects.toThrow(/deactivated/)
  })

  it('ends only that person’s refresh tokens', async () => {
    const [leaver, stayer] = [await testApp.person('refreshed'), await testApp.person('staying')]
    const records = testApp.sandbox.identity.save() as {
      users: { email: string; uid: string }[]
      artifacts: Record<
        string,
        { pk: number; model: string; id: string; expires: number; payload: object }
      >
    }
    for (const [n, { email }] of [leaver, stayer].entries()) {
      const accountId = records.users.find((user) => user.email === email)?.uid
      const payload = { accountId, clientId: 'atrium-portal', scope: 'openid offline_access' }
      records.artifacts[`RefreshToken:${n}`] = {
        pk: 90_000 + n,
        model: 'RefreshToken',
        id: String(n),
        expires: Date.now() + 86_400_000,
        payload,
      }
    }
    await testApp.call('POST', `/users/${leaver.id}/deactivate`, {})
    expect(Object.keys(records.artifacts)).not.toContain('RefreshToken:0')
    expect(Object.keys(records.artifacts)).toContain('RefreshToken:1')
    expect((await testApp.call('GET', '/users/me', undefined, await stayer.token())).status).toBe(
      200,
    )
  })

  it('is undone by reactivating', async () => {
    const { id, token } = await testApp.person('back')
    const held = await token()
    await testApp.call('POST', `/users/${id}/deactivate`, {})
    expect(await testApp.call('POST', `/users/${id}/reactivate`, {})).toMatchObject({
      status: 200,
      body: { status: 'active', deactivatedAt: null },
    })
    expect((await testApp.call('GET', '/users/me', undefined, held)).status).toBe(200)
    expect((await testApp.call('GET', '/users/me', undefined, await token())).status).toBe(200)
  })

  it('may be repeated', async () => {
    const { id } = await testApp.person('twice')
    for (let n = 0; n < 2; n++)
      expect((await testApp.call('POST', `/users/${id}/deactivate`, {})).status).toBe(200)
  })

  it('stands here when the identity provider fails, and repeating finishes it', async () => {
    const { id, email, token } = await testApp.person('stuck')
    const held = await token()
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'error',
      status: 503,
      match: 'PATCH /api/v3/core/users/',
    })
    const response = await testApp.call('POST', `/users/${id}/deactivate`, {})
    expect(response).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(response.body.detail).toMatch(/identity provider.*Repeat the request/)
    expect((await testApp.call('GET', '/tenants', undefined, held)).status).toBe(403)
    testApp.sandbox.clearFaults()
    expect((await testApp.call('POST', `/users/${id}/deactivate`, {})).status).toBe(200)
    expect(identityRecords(testApp).users.find((user) => user.email === email)?.is_active).toBe(
      false,
    )
  })

  it('is not undone here while the identity provider cannot follow', async () => {
    const { id } = await testApp.person('waiting')
    await testApp.call('POST', `/users/${id}/deactivate`, {})
    testApp.sandbox.fault({ system: 'identity', mode: 'reset' })
    expect((await testApp.call('POST', `/users/${id}/reactivate`, {})).status).toBe(502)
    expect(await testApp.call('GET', `/users/${id}`)).toMatchObject({
      body: { status: 'deactivated' },
    })
  })

  it('is rejected for oneself', async () => {
    const response = await testApp.call(
      'POST',
      `/users/${await idOf('operator@atrium.test')}/deactivate`,
      {},
    )
    expect(response).toMatchObject({ status: 409, body: { code: 'self_deactivate' } })
  })
})

describe('the right of a platform administrator', () => {
  it('is given with the group of the identity provider and taken with it', async () => {
    const { id, email, token } = await testApp.operatorPerson('granted')
    expect(testApp.groupMembers('platform-admins')).toContain(email)
    expect((await testApp.call('GET', '/users', undefined, await token())).status).toBe(200)
    expect(await testApp.call('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({
      status: 200,
      body: { platformAdmin: false },
    })
    expect(testApp.groupMembers('platform-admins')).not.toContain(email)
    expect(await testApp.call('GET', '/users', undefined, await token())).toMatchObject({
      status: 403,
      body: { code: 'not_platform_admin' },
    })
  })

  it('is not given while the identity provider fails', async () => {
    const { id } = await testApp.person('ungranted')
    testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 500, match: 'add_user' })
    expect(await testApp.call('PATCH', `/users/${id}`, { platformAdmin: true })).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    expect(await testApp.call('GET', `/users/${id}`)).toMatchObject({
      body: { platformAdmin: false },
    })
  })

  it('is not given to a person unknown to the identity provider', async () => {
    const { body } = await testApp.call('POST', '/users', {
      idpSubjectId: 'unknown-there',
      email: 'unknown@example.test',
      name: 'Unknown',
    })
    const grant = () => testApp.call('PATCH', `/users/${body.id}`, { platformAdmin: true })
    expect(await grant()).toMatchObject({ body: { code: 'address_not_proved' } })
    await proveAddress(testApp, body.id)
    expect(await grant()).toMatchObject({ status: 404 })
  })

  it('is taken here at once when the identity provider fails; no token gives it back, and repeating finishes it', async () => {
    const { id, email, token } = await testApp.operatorPerson('withdrawn')
    const held = await token()
    testApp.sandbox.fault({ system: 'identity', mode: 'reset', match: 'remove_user' })
    expect(await testApp.call('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({
      status: 502,
    })
    expect(await testApp.call('GET', '/users', undefined, held)).toMatchObject({ status: 403 })
    // The group still names the person, so a new token does as well.
    expect(testApp.groupMembers('platform-admins')).toContain(email)
    expect(await testApp.call('GET', '/users/me', undefined, await token())).toMatchObject({
      body: { platformAdmin: false },
    })
    const { rows } = await testApp.database.db
      .selectFrom('audit_events')
      .select('metadata')
      .where('resource_id', '=', id)
      .execute()
      .then((all) => ({ rows: all }))
    expect(rows.map(({ metadata }) => metadata.changes)).toContainEqual({
      platformAdmin: [true, false],
    })
    testApp.sandbox.clearFaults()
    expect(await testApp.call('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({
      status: 200,
    })
    expect(testApp.groupMembers('platform-admins')).not.toContain(email)
  })

  it.each(['deactivate', 'withdraw', 'delete'])(
    'stays with one of two who %s each other at once',
    async (verb) => {
      await using other = await startTestApp({
        provisioned: false,
        sandbox: { identity: { accessTokenSeconds: 3600 } },
      })
      const first = await other.token('operator@atrium.test')
      const ids: Record<string, string> = {}
      for (const email of ['operator@atrium.test', 'member@acme.test']) {
        ids[email] = await userIdOf(other.database.db, email)
      }
      const act = (id: string | undefined, token: string) =>
        verb === 'deactivate'
          ? other.request('POST', `/users/${id}/deactivate`, { token, body: {} })
          : verb === 'delete'
            ? other.request('DELETE', `/users/${id}`, { token })
            : other.request('PATCH', `/users/${id}`, { token, body: { platformAdmin: false } })
      await other.request('PATCH', `/users/${ids['member@acme.test']}`, {
        token: first,
        body: { platformAdmin: true },
      })
      const second = await other.token('member@acme.test', 'operator')
      const responses = await Promise.all([
        act(ids['member@acme.test'], first),
        act(ids['operator@atrium.test'], second),
      ])
      const left = await other.database.db
        .selectFrom('users')
        .select('email')
        .where('platform_admin', '=', true)
        .where('deactivated_at', 'is', null)
        .execute()
      expect(left).toHaveLength(1)
      expect(responses.filter(({ status }) => status < 300)).toHaveLength(1)
      const rejected = responses.find(({ status }) => status >= 300)
      expect([
        'last_platform_admin',
        'user_deactivated',
        'not_platform_admin',
        'not_found',
      ]).toContain(rejected?.body.code)
    },
  )
})
