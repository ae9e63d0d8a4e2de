import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followIdentities } from '../src/users/follow-identity.ts'
import { openHouse } from './house.ts'
import { identityRecords } from './outside.ts'
import { openUsersHouse, type UsersHouse } from './users-house.ts'

let house: UsersHouse

beforeAll(async () => {
  house = await openUsersHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.sandbox.clearFaults())

const idOf = async (email: string) =>
  (await house.database.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id

/** A minute, for what is due of somebody and for their record. */
async function passTime(id: string): Promise<void> {
  const { db } = house.database
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
    const made = await house.call('POST', '/users', {
      idpSubjectId: 'subject-1',
      email: 'Crud@Example.Test',
      name: ' Crud ',
      phone: '+49 30 1',
    })
    expect(made).toMatchObject({ status: 201, body: { email: 'crud@example.test', name: 'Crud', platformAdmin: false, status: 'active' } })
    const { id } = made.body
    expect(await house.call('GET', `/users/${id}`)).toMatchObject({ status: 200, body: made.body })
    const changed = await house.call('PATCH', `/users/${id}`, { firstName: 'C', lastName: null, alternativeEmail: 'Other@Example.test' })
    expect(changed).toMatchObject({ status: 200, body: { firstName: 'C', lastName: null, alternativeEmail: 'other@example.test' } })
    expect(await house.call('DELETE', `/users/${id}`)).toMatchObject({ status: 204, body: '' })
    expect(await house.call('GET', `/users/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await house.call('DELETE', `/users/${id}`)).toMatchObject({ status: 404 })
  })

  it('is refused for a subject or an address that is on record, in any case', async () => {
    await house.call('POST', '/users', { idpSubjectId: 'subject-2', email: 'taken@example.test', name: 'Taken' })
    expect(await house.call('POST', '/users', { idpSubjectId: 'subject-2', email: 'free@example.test', name: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
    expect(await house.call('POST', '/users', { idpSubjectId: 'subject-3', email: 'TAKEN@example.test', name: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'email_exists' },
    })
  })

  it('is made once when many ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        house.call('POST', '/users', { idpSubjectId: `race-${n}`, email: 'race@example.test', name: 'Race' }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  it('is changed by the person in the contact fields, which null clears', async () => {
    const { id, token } = await house.person('self')
    const filled = await house.call('PATCH', `/users/${id}`, { phone: '+1 555 0100', firstName: 'Se', lastName: 'Lf' }, await token())
    expect(filled).toMatchObject({ status: 200, body: { phone: '+1 555 0100', firstName: 'Se', lastName: 'Lf' } })
    expect(await house.call('PATCH', `/users/${id}`, { phone: null }, await token())).toMatchObject({
      body: { phone: null, firstName: 'Se' },
    })
    expect(await house.call('PATCH', `/users/${id}`, {}, await token())).toMatchObject({ status: 400 })
  })

  it('keeps a name that the person gave, which the identity provider is told', async () => {
    const { id, email, token } = await house.person('renamed')
    const before = await token()
    const saved = await house.call('PATCH', `/users/${id}`, { name: 'Given Here', phone: '+1 555 0199' }, before)
    expect(saved).toMatchObject({ status: 200, body: { name: 'Given Here' } })
    expect(identityRecords(house).users.find((user) => user.email === email)).toMatchObject({
      name: 'Given Here',
      attributes: { phone: '+1 555 0199' },
    })
    expect(await house.dueOf(id)).toBeUndefined()
    // The token of before still tells the old name, a new one the new.
    for (const at of [before, await token()]) expect((await house.call('GET', '/users/me', undefined, at)).body.name).toBe('Given Here')
  })

  it('keeps it while the identity provider cannot be told, and tells it later on', async () => {
    const { id, email, token } = await house.person('unheard')
    house.sandbox.fault({ system: 'identity', mode: 'error', status: 503, match: 'PATCH /api/v3/core/users/' })
    expect(await house.call('PATCH', `/users/${id}`, { name: 'Not Told Yet' }, await token())).toMatchObject({ status: 200 })
    house.sandbox.clearFaults()
    expect(await house.dueOf(id)).toMatchObject({ profile: true })
    // As after a minute: a newer token that tells the old name.
    await passTime(id)
    expect((await house.call('GET', '/users/me', undefined, await token())).body.name).toBe('Not Told Yet')
    await followIdentities(house.app.house)
    expect(identityRecords(house).users.find((user) => user.email === email)).toMatchObject({ name: 'Not Told Yet' })
    expect(await house.dueOf(id)).toBeUndefined()
    expect((await house.call('GET', '/users/me', undefined, await token())).body.name).toBe('Not Told Yet')
  })

  it('is attached to an active partner only', async () => {
    const { id } = await house.person('staff')
    const partners = await house.database.db
      .insertInto('partners')
      .values([
        { slug: 'over', name: 'Over', status: 'terminated' as const },
        { slug: 'live', name: 'Live' },
      ])
      .returning(['id', 'slug'])
      .execute()
    const [over, live] = partners
    expect(await house.call('PATCH', `/users/${id}`, { partnerId: over?.id })).toMatchObject({
      status: 409,
      body: { code: 'partner_unavailable' },
    })
    expect(await house.call('PATCH', `/users/${id}`, { partnerId: crypto.randomUUID() })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'partnerId' }] },
    })
    expect(await house.call('PATCH', `/users/${id}`, { partnerId: live?.id })).toMatchObject({
      status: 200,
      body: { partner: { slug: 'live' } },
    })
    expect(await house.call('PATCH', `/users/${id}`, { partnerId: null })).toMatchObject({ body: { partner: null } })
  })

  it('is kept while the person owns a tenant', async () => {
    const answer = await house.call('DELETE', `/users/${await idOf('owner@globex.test')}`)
    expect(answer).toMatchObject({ status: 409, body: { code: 'user_in_use' } })
    expect(answer.body.detail).toContain('globex')
  })

  it('is kept of oneself', async () => {
    expect(await house.call('DELETE', `/users/${await idOf('operator@atrium.test')}`)).toMatchObject({
      status: 409,
      body: { code: 'self_deactivate' },
    })
  })
})

describe('the list of users', () => {
  const emails = async (query: string) =>
    (await house.call('GET', `/users?${query}`)).body.items.map((user: { email: string }) => user.email)

  it('is filtered by every field', async () => {
    expect((await emails('tenantSlug=acme')).sort()).toEqual(['admin@acme.test', 'member@acme.test', 'owner@acme.test'])
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

  it('pages through everybody once', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: { items: { id: string }[]; nextCursor: string | null } } = await house.call(
        'GET',
        `/users?limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      )
      expect(body.items.length).toBeLessThanOrEqual(2)
      seen.push(...body.items.map(({ id }) => id))
      cursor = body.nextCursor
    }
    const stored = await house.database.db.selectFrom('users').select('id').orderBy('id', 'desc').execute()
    expect(seen).toEqual(stored.map(({ id }) => id))
  })
})

describe('deactivating', () => {
  it('shuts the person out at once, here and at the identity provider', async () => {
    const { id, email, token } = await house.person('leaver')
    const held = await token()
    const sessions = () => {
      const { users, logins } = house.sandbox.state().identity.records as {
        users: { pk: number; email: string }[]
        logins: { user: number }[]
      }
      const pk = users.find((user) => user.email === email)?.pk
      return logins.filter((login) => login.user === pk).length
    }
    expect(sessions()).toBe(1)
    const answer = await house.call('POST', `/users/${id}/deactivate`, { reason: 'Left the company' })
    expect(answer).toMatchObject({ status: 200, body: { status: 'deactivated' } })
    expect(sessions()).toBe(0)
    expect(identityRecords(house).users.find((user) => user.email === email)?.is_active).toBe(false)
    for (const path of ['/users/me', '/tenants', `/users/${id}`])
      expect(await house.call('GET', path, undefined, held), path).toMatchObject({ status: 403, body: { code: 'user_deactivated' } })
    await expect(token()).rejects.toThrow(/deactivated/)
  })

  it('ends the refresh tokens of that person, and nobody else’s', async () => {
    const [leaver, stayer] = [await house.person('refreshed'), await house.person('staying')]
    const records = house.sandbox.identity.save() as {
      users: { email: string; uid: string }[]
      artifacts: Record<string, { pk: number; model: string; id: string; expires: number; payload: object }>
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
    await house.call('POST', `/users/${leaver.id}/deactivate`, {})
    expect(Object.keys(records.artifacts)).not.toContain('RefreshToken:0')
    expect(Object.keys(records.artifacts)).toContain('RefreshToken:1')
    expect((await house.call('GET', '/users/me', undefined, await stayer.token())).status).toBe(200)
  })

  it('is undone by reactivating', async () => {
    const { id, token } = await house.person('back')
    const held = await token()
    await house.call('POST', `/users/${id}/deactivate`, {})
    expect(await house.call('POST', `/users/${id}/reactivate`, {})).toMatchObject({
      status: 200,
      body: { status: 'active', deactivatedAt: null },
    })
    expect((await house.call('GET', '/users/me', undefined, held)).status).toBe(200)
    expect((await house.call('GET', '/users/me', undefined, await token())).status).toBe(200)
  })

  it('may be repeated', async () => {
    const { id } = await house.person('twice')
    for (let n = 0; n < 2; n++) expect((await house.call('POST', `/users/${id}/deactivate`, {})).status).toBe(200)
  })

  it('stands here when the identity provider fails, and repeating finishes it', async () => {
    const { id, email, token } = await house.person('stuck')
    const held = await token()
    house.sandbox.fault({ system: 'identity', mode: 'error', status: 503, match: 'PATCH /api/v3/core/users/' })
    const answer = await house.call('POST', `/users/${id}/deactivate`, {})
    expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(answer.body.detail).toMatch(/identity provider.*repeat the call/)
    expect((await house.call('GET', '/tenants', undefined, held)).status).toBe(403)
    house.sandbox.clearFaults()
    expect((await house.call('POST', `/users/${id}/deactivate`, {})).status).toBe(200)
    expect(identityRecords(house).users.find((user) => user.email === email)?.is_active).toBe(false)
  })

  it('is not undone here while the identity provider cannot follow', async () => {
    const { id } = await house.person('waiting')
    await house.call('POST', `/users/${id}/deactivate`, {})
    house.sandbox.fault({ system: 'identity', mode: 'reset' })
    expect((await house.call('POST', `/users/${id}/reactivate`, {})).status).toBe(502)
    expect(await house.call('GET', `/users/${id}`)).toMatchObject({ body: { status: 'deactivated' } })
  })

  it('is refused for oneself', async () => {
    const answer = await house.call('POST', `/users/${await idOf('operator@atrium.test')}/deactivate`, {})
    expect(answer).toMatchObject({ status: 409, body: { code: 'self_deactivate' } })
  })
})

describe('the right of a platform administrator', () => {
  it('is given with the group of the identity provider and taken with it', async () => {
    const { id, email, token } = await house.operatorPerson('granted')
    expect(house.groupMembers('platform-admins')).toContain(email)
    expect((await house.call('GET', '/users', undefined, await token())).status).toBe(200)
    expect(await house.call('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({
      status: 200,
      body: { platformAdmin: false },
    })
    expect(house.groupMembers('platform-admins')).not.toContain(email)
    expect(await house.call('GET', '/users', undefined, await token())).toMatchObject({ status: 403, body: { code: 'not_platform_admin' } })
  })

  it('is not given while the identity provider fails', async () => {
    const { id } = await house.person('ungranted')
    house.sandbox.fault({ system: 'identity', mode: 'error', status: 500, match: 'add_user' })
    expect(await house.call('PATCH', `/users/${id}`, { platformAdmin: true })).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    expect(await house.call('GET', `/users/${id}`)).toMatchObject({ body: { platformAdmin: false } })
  })

  it('is not given to somebody whom the identity provider does not know', async () => {
    const { body } = await house.call('POST', '/users', { idpSubjectId: 'unknown-there', email: 'unknown@example.test', name: 'Unknown' })
    expect(await house.call('PATCH', `/users/${body.id}`, { platformAdmin: true })).toMatchObject({ status: 404 })
  })

  it('is taken here at once when the identity provider fails; no token gives it back, and repeating finishes it', async () => {
    const { id, email, token } = await house.operatorPerson('withdrawn')
    const held = await token()
    house.sandbox.fault({ system: 'identity', mode: 'reset', match: 'remove_user' })
    expect(await house.call('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({ status: 502 })
    expect(await house.call('GET', '/users', undefined, held)).toMatchObject({ status: 403 })
    // The group still names the person, so a new token does as well.
    expect(house.groupMembers('platform-admins')).toContain(email)
    expect(await house.call('GET', '/users/me', undefined, await token())).toMatchObject({ body: { platformAdmin: false } })
    const { rows } = await house.database.db
      .selectFrom('audit_events')
      .select('metadata')
      .where('resource_id', '=', id)
      .execute()
      .then((all) => ({ rows: all }))
    expect(rows.map(({ metadata }) => metadata.changes)).toContainEqual({ platformAdmin: [true, false] })
    house.sandbox.clearFaults()
    expect(await house.call('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({ status: 200 })
    expect(house.groupMembers('platform-admins')).not.toContain(email)
  })

  it.each(['deactivate', 'withdraw', 'delete'])('stays with one of two who %s each other at once', async (verb) => {
    await using other = await openHouse({ provisioned: false, sandbox: { identity: { accessTokenSeconds: 3600 } } })
    const first = await other.token('operator@atrium.test')
    const ids: Record<string, string> = {}
    for (const email of ['operator@atrium.test', 'member@acme.test']) {
      ids[email] = (await other.database.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id
    }
    const act = (id: string | undefined, token: string) =>
      verb === 'deactivate'
        ? other.request('POST', `/users/${id}/deactivate`, { token, body: {} })
        : verb === 'delete'
          ? other.request('DELETE', `/users/${id}`, { token })
          : other.request('PATCH', `/users/${id}`, { token, body: { platformAdmin: false } })
    await other.request('PATCH', `/users/${ids['member@acme.test']}`, { token: first, body: { platformAdmin: true } })
    const second = await other.token('member@acme.test', 'operator')
    const answers = await Promise.all([act(ids['member@acme.test'], first), act(ids['operator@atrium.test'], second)])
    const left = await other.database.db
      .selectFrom('users')
      .select('email')
      .where('platform_admin', '=', true)
      .where('deactivated_at', 'is', null)
      .execute()
    expect(left).toHaveLength(1)
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    const refused = answers.find(({ status }) => status >= 300)
    expect(['last_platform_admin', 'user_deactivated', 'not_platform_admin', 'not_found']).toContain(refused?.body.code)
  })
})
