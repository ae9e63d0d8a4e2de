import { randomBytes } from 'node:crypto'
import { passwordMatches } from '@atrium/sandbox/identity/passwords'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clientsWithDeadline, identityApi, identityRecords } from './outside.ts'
import { openPartnersHouse, type PartnersHouse } from './partners-house.ts'

let house: PartnersHouse
beforeAll(async () => {
  house = await openPartnersHouse({ integrations: clientsWithDeadline(800) })
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.sandbox.clearFaults())

const fresh = () => `staff-${randomBytes(4).toString('hex')}@example.test`
const staffOf = async (slug: string) => (await house.call('GET', `/partners/${slug}/users`)).body.items
const identityOf = (email: string) => identityRecords(house).users.filter((user) => user.email === email)
const groupsOf = (email: string) => {
  const { groups, users } = identityRecords(house)
  return users
    .filter((user) => user.email === email)
    .flatMap((user) => user.groups.map((pk) => groups.find((group) => group.pk === pk)?.name))
}
async function partnerWithOwner() {
  const partner = await house.newPartner()
  return { ...partner, path: `/partners/${partner.slug}/users`, owner: await house.newPerson({ partnerId: partner.id, access: 'owner' }) }
}
async function teamAudit(slug: string) {
  const { body } = await house.call('GET', `/audit?partnerSlug=${slug}&action=partner_team.`)
  return body.items.reverse()
}

describe('inviting', () => {
  it('somebody new makes an identity in the shared group and hands over a temporary password once', async () => {
    const { path, slug, owner } = await partnerWithOwner()
    const email = fresh()
    const answer = await house.call('POST', path, { name: 'Nia New', email: email.toUpperCase(), access: 'manager' }, owner.token)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    expect(answer.body).toEqual({
      ...{ userId: expect.any(String), subject: expect.any(String), access: 'manager' },
      ...{ handoff: 'tempPassword', tempPassword: expect.stringMatching(/^.{16}$/) },
    })
    expect(identityOf(email)).toMatchObject([{ uid: answer.body.subject, name: 'Nia New', is_active: true }])
    const saved = house.sandbox.identity.save() as { users: { email: string; password: string | null }[] }
    const stored = saved.users.find((user) => user.email === email)
    expect(passwordMatches(stored?.password ?? null, answer.body.tempPassword)).toBe(true)
    expect(groupsOf(email)).toEqual(['partner-staff'])
    const token = await house.tokenOf(answer.body.subject)
    expect((await house.call('GET', `/partners/${slug}`, undefined, token)).body).toMatchObject({ access: 'manager' })
    const [entry] = await teamAudit(slug)
    expect(entry).toMatchObject({
      ...{ action: 'partner_team.invited', actorType: 'partner', actorEmail: owner.email, resourceName: email },
      metadata: { access: 'manager', handoff: 'tempPassword' },
    })
    expect(JSON.stringify(entry)).not.toContain(answer.body.tempPassword)
    expect(house.logLines.join('\n')).not.toContain(answer.body.tempPassword)
  })

  it('hands over a recovery link where the provider has such a flow', async () => {
    await using other = await openPartnersHouse({ sandbox: { identity: { recoveryFlow: true } } })
    const { status, body } = await other.call('POST', '/partners/north/users', { name: 'Lin', email: fresh(), access: 'viewer' })
    expect([status, body.handoff]).toEqual([201, 'link'])
    expect(Object.keys(body).sort()).toEqual(['access', 'handoff', 'link', 'subject', 'userId'])
    const secret = new URL(body.link).searchParams.get('flow_token') ?? 'none'
    expect(other.logLines.join('')).not.toContain(secret)
    expect(JSON.stringify((await other.call('GET', '/audit')).body)).not.toContain(secret)
  })

  it('somebody who has a record or an identity attaches it, and changes no password', async () => {
    const { path, slug, owner } = await partnerWithOwner()
    const attached = await house.call('POST', path, { name: 'Ignored', email: 'owner@globex.test', access: 'support' }, owner.token)
    expect(attached).toMatchObject({ status: 201, body: { handoff: 'existing', access: 'support' } })
    expect(Object.keys(attached.body).sort()).toEqual(['access', 'handoff', 'subject', 'userId'])
    expect(groupsOf('owner@globex.test').sort()).toEqual(['globex', 'partner-staff'])
    const stranger = await house.call('POST', path, { name: 'Nico', email: 'newcomer@example.test', access: 'viewer' }, owner.token)
    expect(stranger).toMatchObject({ status: 201, body: { handoff: 'existing' } })
    expect((await staffOf(slug)).map((one: { email: string }) => one.email)).toEqual(
      expect.arrayContaining(['newcomer@example.test', 'owner@globex.test']),
    )
  })

  it('is refused with a reason at the address', async () => {
    const { path, owner } = await partnerWithOwner()
    const elsewhere = await partnerWithOwner()
    const deactivated = await house.newPerson(undefined, { deactivated_at: new Date() })
    const refusals = [
      [elsewhere.owner.email, 'email_exists'],
      [owner.email, 'already_exists'],
      [deactivated.email, 'email_exists'],
      ['operator@atrium.test', 'email_exists'],
    ] as const
    for (const [email, code] of refusals) {
      expect(await house.call('POST', path, { name: 'X', email, access: 'viewer' }, owner.token), email).toMatchObject({
        ...{ status: 409, body: { code, issues: [{ path: 'email' }] } },
      })
    }
    for (const body of [
      { name: 'X', email: fresh() },
      { name: 'X', email: 'nobody', access: 'viewer' },
      { name: 'X', email: fresh(), access: 'root' },
    ])
      expect(await house.call('POST', path, body, owner.token)).toMatchObject({ status: 400 })
  })

  it('takes over who worked for a partner that was terminated', async () => {
    const before = await house.newPartner()
    const person = await house.newPerson({ partnerId: before.id, access: 'owner' })
    await house.call('DELETE', `/partners/${before.slug}`)
    const { path, owner, slug } = await partnerWithOwner()
    expect(await house.call('POST', path, { name: 'X', email: person.email, access: 'viewer' }, owner.token)).toMatchObject({ status: 201 })
    expect((await house.call('GET', '/users/me', undefined, person.token)).body.partner).toMatchObject({ slug, access: 'viewer' })
  })

  it('goes on with what an invitation has left whose process died, and hands over anew', async () => {
    const { path, slug, owner } = await partnerWithOwner()
    const groups = await identityApi(house, 'GET', '/core/groups/?name=partner-staff')
    const shut = async (email: string, name: string) => {
      const group = groups.results[0].pk
      return identityApi(house, 'POST', '/core/users/', { username: email, email, name, is_active: false, groups: [group] })
    }
    const [identityAlone, withRecord] = [fresh(), fresh()]
    await shut(identityAlone, 'Left Over')
    const { uid, pk } = await shut(withRecord, 'Left Over')
    const at = new Date()
    const record = {
      idp_subject_id: uid,
      idp_user_id: String(pk),
      email: withRecord,
      name: 'Left Over',
      created_at: at,
      deactivated_at: at,
    }
    await house.database.db.insertInto('users').values(record).execute()
    for (const email of [identityAlone, withRecord]) {
      const answer = await house.call('POST', path, { name: 'Left Over', email, access: 'viewer' }, owner.token)
      expect(answer, email).toMatchObject({ status: 201, body: { handoff: 'tempPassword', tempPassword: expect.any(String) } })
      expect(identityOf(email)).toMatchObject([{ uid: answer.body.subject, is_active: true }])
      const saved = house.sandbox.identity.save() as { users: { email: string; password: string | null }[] }
      const stored = saved.users.find((user) => user.email === email)?.password ?? null
      expect(passwordMatches(stored, answer.body.tempPassword)).toBe(true)
    }
    const staff = (await staffOf(slug)).filter(({ email }: { email: string }) => email !== owner.email)
    expect(staff).toMatchObject([
      { email: identityAlone, status: 'active' },
      { email: withRecord, status: 'active' },
    ])
    const mails = await house.database.db.selectFrom('outbox').select('recipient').where('template', '=', 'partner.invited').execute()
    expect(mails.map(({ recipient }) => recipient)).toEqual(expect.arrayContaining([identityAlone, withRecord]))
  })

  it('leaves the shut account of somebody else alone', async () => {
    const { path, owner } = await partnerWithOwner()
    const email = fresh()
    await identityApi(house, 'POST', '/core/users/', { username: email, email, name: 'Somebody', is_active: false, groups: [] })
    expect(await house.call('POST', path, { name: 'Somebody', email, access: 'viewer' }, owner.token)).toMatchObject({
      ...{ status: 409, body: { code: 'email_exists', issues: [{ path: 'email' }] } },
    })
    expect(identityOf(email)).toMatchObject([{ is_active: false, groups: [] }])
  })

  it.each([
    'GET /api/v3/core/users/',
    'GET /api/v3/core/groups/',
    'POST /api/v3/core/users/',
    '/recovery/',
    '/set_password/',
    'PATCH /api/v3/core/users/',
  ])('leaves nothing behind when the provider fails at %s, and can be repeated', async (match) => {
    const { path, owner, slug } = await partnerWithOwner()
    const email = fresh()
    const invite = () => house.call('POST', path, { name: 'Unlucky', email, access: 'viewer' }, owner.token)
    house.sandbox.fault({ system: 'identity', match, mode: 'error', status: 503, times: 2 })
    expect(await invite()).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    house.sandbox.clearFaults()
    expect(identityOf(email)).toEqual([])
    expect((await staffOf(slug)).map((one: { email: string }) => one.email)).toEqual([owner.email])
    expect(await invite()).toMatchObject({ status: 201 })
  })

  it('attaches nobody whom the provider does not put into the group', async () => {
    const { path, owner, slug } = await partnerWithOwner()
    house.sandbox.fault({ system: 'identity', match: '/add_user/', mode: 'error', status: 503 })
    const invite = () => house.call('POST', path, { name: 'X', email: 'admin@acme.test', access: 'viewer' }, owner.token)
    expect(await invite()).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    house.sandbox.clearFaults()
    expect(await staffOf(slug)).toHaveLength(1)
    expect(await invite()).toMatchObject({ status: 201 })
  })

  it('twice at once makes one person', async () => {
    const { path, owner } = await partnerWithOwner()
    const email = fresh()
    const answers = await Promise.all([1, 2, 3].map(() => house.call('POST', path, { name: 'Once', email, access: 'viewer' }, owner.token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(identityOf(email)).toHaveLength(1)
  })
})

describe('the staff list', () => {
  it('tells level, second factors and when somebody was last there', async () => {
    const north = await house.demoToken('partner@north.test')
    await house.call('GET', '/users/me', undefined, north)
    const { body } = await house.call('GET', '/partners/north/users', undefined, north)
    expect(body).toMatchObject({ nextCursor: null, refreshing: false })
    expect(body.items).toEqual([
      {
        ...{ userId: expect.any(String), email: 'partner@north.test', name: 'Pia Partner', access: 'owner', status: 'active' },
        mfa: { state: expect.stringMatching(/enrolled/), factors: expect.any(Object), checkedAt: expect.any(String), reason: null },
        lastSeenAt: expect.any(String),
      },
    ])
  })

  it('says unknown, with the reason, of whom the provider tells nothing', async () => {
    const { slug } = await partnerWithOwner()
    expect(await staffOf(slug)).toMatchObject([{ mfa: { state: 'unknown', factors: null, reason: expect.any(String) } }])
  })

  it('is read page by page', async () => {
    const { path, id, owner } = await partnerWithOwner()
    for (let n = 0; n < 3; n++) await house.newPerson({ partnerId: id, access: 'viewer' })
    const first = (await house.call('GET', `${path}?limit=2`, undefined, owner.token)).body
    const second = (await house.call('GET', `${path}?limit=2&cursor=${first.nextCursor}`, undefined, owner.token)).body
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 2, null])
    expect(new Set([...first.items, ...second.items].map((one: { userId: string }) => one.userId)).size).toBe(4)
  })
})

describe('changing and removing staff', () => {
  it('acts with the next request and is recorded', async () => {
    const { path, id, slug, owner } = await partnerWithOwner()
    const person = await house.newPerson({ partnerId: id, access: 'viewer' })
    expect(await house.call('PATCH', `${path}/${person.id}`, { access: 'manager' }, owner.token)).toMatchObject({
      ...{ status: 200, body: { userId: person.id, access: 'manager' } },
    })
    expect((await house.call('GET', `/partners/${slug}`, undefined, person.token)).body).toMatchObject({ access: 'manager' })
    expect(await house.call('DELETE', `${path}/${person.id}`, undefined, owner.token)).toMatchObject({ status: 204 })
    expect(await house.call('GET', `/partners/${slug}`, undefined, person.token)).toMatchObject({ status: 403 })
    expect(await house.call('DELETE', `${path}/${person.id}`, undefined, owner.token)).toMatchObject({ status: 404 })
    expect(await teamAudit(slug)).toMatchObject([
      { action: 'partner_team.access_changed', metadata: { changes: { access: ['viewer', 'manager'] } } },
      { action: 'partner_team.removed', metadata: { access: 'manager' } },
    ])
  })

  it('takes the person out of the group at the provider, or says that it could not', async () => {
    const { path, owner, slug } = await partnerWithOwner()
    const invited: string[] = []
    for (const email of [fresh(), fresh()]) {
      const { body } = await house.call('POST', path, { name: 'Leaving', email, access: 'viewer' }, owner.token)
      invited.push(body.userId)
      if (invited.length === 2) house.sandbox.fault({ system: 'identity', mode: 'error', status: 503 })
      expect(await house.call('DELETE', `${path}/${body.userId}`, undefined, owner.token)).toMatchObject({ status: 204 })
      house.sandbox.clearFaults()
      expect(groupsOf(email)).toEqual(invited.length === 2 ? ['partner-staff'] : [])
    }
    expect(await staffOf(slug)).toHaveLength(1)
    const removals = (await teamAudit(slug)).filter(({ action }: { action: string }) => action === 'partner_team.removed')
    expect(removals.map(({ metadata }: { metadata: object }) => Reflect.get(metadata, 'leftGroup'))).toEqual([undefined, false])
  })

  it('keeps the last owner who is not shut out', async () => {
    const { path, id, owner } = await partnerWithOwner()
    await house.newPerson({ partnerId: id, access: 'owner' }, { deactivated_at: new Date() })
    const refused = { status: 409, body: { code: 'last_partner_owner' } }
    expect(await house.call('PATCH', `${path}/${owner.id}`, { access: 'manager' }, owner.token)).toMatchObject(refused)
    expect(await house.call('DELETE', `${path}/${owner.id}`)).toMatchObject(refused)
    expect(await house.call('PATCH', `/users/${owner.id}`, { partnerId: null })).toMatchObject(refused)
    expect(await house.call('PATCH', `/users/${owner.id}`, { partnerAccess: 'viewer' })).toMatchObject(refused)
    expect(await house.call('DELETE', `/users/${owner.id}`)).toMatchObject(refused)
    await house.newPerson({ partnerId: id, access: 'owner' })
    expect(await house.call('PATCH', `${path}/${owner.id}`, { access: 'manager' }, owner.token)).toMatchObject({ status: 200 })
  })

  it('leaves one owner when two remove or demote each other at once', async () => {
    for (let round = 0; round < 6; round++) {
      const { path, id, owner } = await partnerWithOwner()
      const other = await house.newPerson({ partnerId: id, access: 'owner' })
      const act = (by: typeof owner, of: typeof owner) =>
        round % 2 === 0
          ? house.call('DELETE', `${path}/${of.id}`, undefined, by.token)
          : house.call('PATCH', `${path}/${of.id}`, { access: 'viewer' }, by.token)
      const answers = await Promise.all([act(owner, other), act(other, owner)])
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
      const owners = await house.database.db
        .selectFrom('users')
        .select('id')
        .where('partner_id', '=', id)
        .where('partner_access', '=', 'owner')
        .execute()
      expect(owners).toHaveLength(1)
    }
  })

  it('knows nobody of another partner', async () => {
    const [here, there] = [await partnerWithOwner(), await partnerWithOwner()]
    expect(await house.call('DELETE', `${here.path}/${there.owner.id}`, undefined, here.owner.token)).toMatchObject({ status: 404 })
    expect(await house.call('PATCH', `${here.path}/${there.owner.id}`, { access: 'viewer' })).toMatchObject({ status: 404 })
  })
})

describe('an operator, by the user’s record', () => {
  it('puts somebody on a staff as viewer, changes the level, and takes the person off', async () => {
    const { id, slug } = await partnerWithOwner()
    const person = await house.newPerson()
    const patch = (body: object) => house.call('PATCH', `/users/${person.id}`, body)
    expect(await patch({ partnerAccess: 'owner' })).toMatchObject({ status: 400, body: { issues: [{ path: 'partnerAccess' }] } })
    expect((await patch({ partnerId: id })).body.partner).toEqual({ id, slug, name: slug, status: 'active', access: 'viewer' })
    expect((await patch({ partnerAccess: 'owner' })).body.partner).toMatchObject({ access: 'owner' })
    expect((await patch({ partnerId: null })).body.partner).toBeNull()
    expect((await house.call('GET', `/users?partnerSlug=${slug}`)).body.items).toHaveLength(1)
  })
})
