import { randomBytes } from 'node:crypto'
import { cleanUp } from '@atrium/api/clean-up'
import { accept, follow, invite, linkToken } from '@atrium/testing/invitations'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ sandbox: { identity: { accessTokenSeconds: 3600 } } })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const fresh = () => `guest-${randomBytes(5).toString('hex')}@elsewhere.example`
const post = (path: string, body: object = {}, token = testApp.as.admin) =>
  testApp.request('POST', path, { token, body })
const get = (path: string, token = testApp.as.admin) => testApp.request('GET', path, { token })
const open = async (email = fresh()) => {
  const { body } = await invite(testApp, 'acme', { email, name: 'Guest' }, testApp.as.admin)
  return {
    email,
    id: body.invitation.id as string,
    path: `/tenants/acme/invitations/${body.invitation.id}`,
  }
}
const actionsOf = async (email: string) => {
  const { body } = await get(`/audit?q=${encodeURIComponent(email)}&limit=50`, testApp.as.operator)
  return body.items.map(({ action }: { action: string }) => action).reverse()
}
const expire = (id: string) =>
  testApp.database.db
    .updateTable('invitations')
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .where('id', '=', id)
    .execute()
const memberCount = async () => (await get('/tenants/acme')).body.memberCount as number
async function withSeats<Result>(seats: number, work: () => Promise<Result>): Promise<Result> {
  const set = (count: number) =>
    testApp.database.db
      .updateTable('tenants')
      .set({ seats: count })
      .where('slug', '=', 'acme')
      .execute()
  await set(seats)
  return work().finally(() => set(0))
}

describe('inviting', () => {
  it('many addresses at once says of each what became of it', async () => {
    const [one, two] = [fresh(), fresh()]
    const { status, body } = await post('/tenants/acme/invitations', {
      invitees: [
        { email: one, name: 'One' },
        { email: two },
        { email: one.toUpperCase() },
        { email: 'member@acme.test' },
        { email: 'new@acme.tenants.local' },
      ],
      role: 'admin',
      language: 'de',
      message: 'See you on Monday.',
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        items: [
          {
            email: one,
            code: null,
            invitation: {
              name: 'One',
              role: 'admin',
              language: 'de',
              message: 'See you on Monday.',
            },
          },
          { email: two, invitation: { name: two.split('@')[0], state: 'pending' } },
          { email: one, invitation: null, code: 'email_taken' },
          { email: 'member@acme.test', invitation: null, code: 'email_taken' },
          { email: 'new@acme.tenants.local', invitation: null, code: 'invalid_input' },
        ],
      },
    })
    expect(await actionsOf(one)).toEqual(['invitation.created'])
    // Nobody is anything before accepting.
    const { db } = testApp.database
    expect(
      await db.selectFrom('users').select('id').where('email', 'in', [one, two]).execute(),
    ).toEqual([])
  })

  it('rejects more than 200 addresses and several owners', async () => {
    const invitees = Array.from({ length: 201 }, () => ({ email: fresh() }))
    expect((await post('/tenants/acme/invitations', { invitees })).status).toBe(400)
    expect(
      await post('/tenants/acme/invitations', { invitees: invitees.slice(0, 2), role: 'owner' }),
    ).toMatchObject({ status: 400, body: { issues: [{ path: 'invitees' }] } })
  })

  it('lists by state, text and kind, page by page', async () => {
    const mark = randomBytes(4).toString('hex')
    const emails = [1, 2, 3].map((n) => `${mark}-${n}@elsewhere.example`)
    for (const email of emails) await open(email)
    const first = await get(`/tenants/acme/invitations?q=${mark}&limit=2`)
    expect(first.body.items).toMatchObject([{ email: emails[2] }, { email: emails[1] }])
    const path = `/tenants/acme/invitations?q=${mark}&limit=2&cursor=${first.body.nextCursor}`
    expect((await get(path)).body).toMatchObject({
      items: [{ email: emails[0] }],
      nextCursor: null,
    })
    const revoked = first.body.items[0].id
    await post(`/tenants/acme/invitations/${revoked}/revoke`)
    const states = async (state: string) =>
      (await get(`/tenants/acme/invitations?q=${mark}&state=${state}`)).body.items.length
    expect([await states('revoked'), await states('pending')]).toEqual([1, 2])
    const all = await get(`/invitations?q=${mark}&kind=member`, testApp.as.operator)
    expect(all.body.items).toHaveLength(3)
  })
})

describe('the page of the link', () => {
  it('shows who invites to what, and changes nothing before the person continues', async () => {
    const { email, path, id } = await open()
    const token = await linkToken(testApp, email)
    const shown = await get('/invitations/link', token)
    expect(shown).toMatchObject({
      status: 200,
      body: { kind: 'member', email, place: 'Acme Engineering', role: 'member' },
    })
    const stateOf = async () =>
      (await get('/tenants/acme/invitations?limit=200')).body.items.find(
        (one: { id: string }) => one.id === id,
      )
    expect(await stateOf()).toMatchObject({ state: 'pending', openedAt: null })
    expect((await post('/invitations/open', {}, token)).status).toBe(200)
    expect((await post('/invitations/open', {}, token)).status).toBe(200)
    expect(await stateOf()).toMatchObject({ state: 'opened' })
    expect(await actionsOf(email)).toEqual(['invitation.created', 'invitation.opened'])
    expect((await post(`${path}/revoke`)).body.state).toBe('revoked')
    for (const way of ['open', 'decline', 'accept'])
      expect((await post(`/invitations/${way}`, {}, token)).status, way).toBe(404)
  })

  it('declines once, and then opens nothing', async () => {
    const { email, path } = await open()
    const token = await linkToken(testApp, email)
    expect((await post('/invitations/decline', {}, token)).status).toBe(204)
    expect((await post('/invitations/decline', {}, token)).status).toBe(404)
    expect((await follow(testApp, token)).status).toBe(404)
    expect(await post(`${path}/resend`)).toMatchObject({ body: { code: 'invitation_ended' } })
    expect(await actionsOf(email)).toEqual(['invitation.created', 'invitation.declined'])
  })

  it('expires by its time, is recorded once by the job, and can be sent again', async () => {
    const { email, id, path } = await open()
    const token = await linkToken(testApp, email)
    await expire(id)
    expect((await follow(testApp, token)).status).toBe(404)
    await cleanUp(testApp.app.services)
    await cleanUp(testApp.app.services)
    expect(await actionsOf(email)).toEqual(['invitation.created', 'invitation.expired'])
    expect(await post(`${path}/resend`)).toMatchObject({ status: 200, body: { state: 'pending' } })
    expect((await accept(testApp, email)).status).toBe(200)
  })

  it('makes way for a new invitation once it has expired', async () => {
    const { email, id, path } = await open()
    await expire(id)
    expect((await open(email)).id).not.toBe(id)
    expect(await post(`${path}/resend`)).toMatchObject({ body: { code: 'email_taken' } })
  })
})

describe('accepting', () => {
  it('happens once when eight follow one link at once', async () => {
    const before = await memberCount()
    const { email } = await open()
    const token = await linkToken(testApp, email)
    const responses = await Promise.all(Array.from({ length: 8 }, () => follow(testApp, token)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
    expect(await memberCount()).toBe(before + 1)
  })

  it('never exceeds the seats when eight accept at once', async () => {
    const emails: string[] = []
    for (let n = 0; n < 8; n++) emails.push((await open()).email)
    const tokens: string[] = []
    for (const email of emails) tokens.push(await linkToken(testApp, email))
    const before = await memberCount()
    await withSeats(before + 3, async () => {
      const responses = await Promise.all(tokens.map((token) => follow(testApp, token)))
      expect(responses.map(({ body }) => body.code ?? 'ok').sort()).toEqual([
        ...Array(3).fill('ok'),
        ...Array(5).fill('seats_exhausted'),
      ])
      expect(await memberCount()).toBe(before + 3)
    })
  })

  it('uses the seat that the invitation has held, also from members who are created', async () => {
    const { db } = testApp.database
    await db.deleteFrom('invitations').where('tenant_id', '=', testApp.acmeId).execute()
    const before = await memberCount()
    await withSeats(before + 1, async () => {
      const seats = async () => {
        const { reservedSeats, freeSeats } = (await get('/tenants/acme/invitations')).body
        return { reservedSeats, freeSeats }
      }
      expect(await seats()).toEqual({ reservedSeats: 0, freeSeats: 1 })
      const { email } = await open()
      expect(await seats()).toEqual({ reservedSeats: 1, freeSeats: 0 })
      const full = { code: 'seats_exhausted' }
      expect((await testApp.call('POST', '/users', { email: 'no-seat' })).body).toMatchObject(full)
      const other = await invite(testApp, 'acme', { email: fresh() }, testApp.as.admin)
      expect(other.body).toMatchObject(full)
      expect((await accept(testApp, email)).status).toBe(200)
      expect(await seats()).toEqual({ reservedSeats: 0, freeSeats: 0 })
    })
  })

  it('adds the person to the lists of the invitation that are there still', async () => {
    const list = (address: string) =>
      testApp.call('POST', '/lists', {
        address,
        name: address,
        recipients: ['somebody@elsewhere.example'],
      })
    const [kept, gone] = [(await list('kept')).body, (await list('gone')).body]
    const email = fresh()
    await post('/tenants/acme/invitations', {
      invitees: [{ email }],
      listIds: [kept.id, gone.id],
    })
    await testApp.call('DELETE', `/lists/${gone.id}`)
    expect((await accept(testApp, email)).status).toBe(200)
    expect((await testApp.call('GET', `/lists/${kept.id}`)).body.recipients).toContain(email)
  })

  it('makes an invited owner of a tenant that has one its owner instead', async () => {
    const { body: tenant } = await post('/tenants', { name: 'Handed over' }, testApp.as.outsider)
    const email = fresh()
    const asked = { email, role: 'owner' }
    const { body } = await invite(testApp, tenant.slug, asked, testApp.as.outsider)
    expect(body.invitation).toMatchObject({ kind: 'owner' })
    const second = { email: fresh(), role: 'owner' }
    expect((await invite(testApp, tenant.slug, second, testApp.as.outsider)).body).toMatchObject({
      code: 'email_taken',
    })
    expect((await accept(testApp, email)).status).toBe(200)
    const users = (await get(`/tenants/${tenant.slug}/users`, testApp.as.operator)).body.items
    expect(
      users.map(({ email: address, role }: Record<string, string>) => [address, role]).sort(),
    ).toEqual([
      [email, 'owner'],
      ['owner@globex.test', 'admin'],
    ])
  })

  it('makes an operator, whose identity is in the group of administrators', async () => {
    const email = fresh()
    const { body } = await post(
      '/invitations',
      { invitees: [{ email, name: 'Olga' }] },
      testApp.as.operator,
    )
    expect(body.items).toMatchObject([{ code: null, invitation: { kind: 'operator' } }])
    expect((await accept(testApp, email)).body).toMatchObject({ joined: null, path: '/' })
    const me = await get('/users/me', await testApp.token(email))
    expect(me.body).toMatchObject({ email, platformAdmin: true })
    const again = await post('/invitations', { invitees: [{ email }] }, testApp.as.operator)
    expect(again.body.items).toMatchObject([{ code: 'email_exists' }])
  })
})

describe('a person who is signed in', () => {
  it('sees and accepts invitations to the proved address, and no others', async () => {
    const { email } = await open()
    const { tempPassword } = (await accept(testApp, email)).body
    expect(tempPassword).toHaveLength(16)
    const token = await testApp.token(email)
    const { body: globex } = await invite(testApp, 'globex', { email }, testApp.as.outsider)
    expect((await get('/invitations/mine', token)).body.items).toMatchObject([
      { id: globex.invitation.id, kind: 'member', place: 'Globex' },
    ])
    expect((await get('/invitations/mine', testApp.as.member)).body.items).toEqual([])
    const path = `/invitations/mine/${globex.invitation.id}`
    for (const way of ['accept', 'decline'])
      expect((await post(`${path}/${way}`, {}, testApp.as.member)).status).toBe(404)
    expect(await post(`${path}/accept`, {}, token)).toMatchObject({
      status: 200,
      body: { joined: 'Globex', path: '/t/globex' },
    })
    expect((await post(`${path}/accept`, {}, token)).status).toBe(404)
    expect((await get('/users/me', token)).body.tenants).toHaveLength(2)
  })

  it('without a proved address sees none, although the address is the same', async () => {
    const token = await testApp.token('newcomer@example.test')
    await get('/users/me', token)
    const { id } = await open('newcomer@example.test')
    expect((await get('/invitations/mine', token)).body.items).toEqual([])
    expect((await post(`/invitations/mine/${id}/accept`, {}, token)).status).toBe(404)
  })
})

describe('a workplace that a partner sets up for somebody', () => {
  it('has no owner until the invitation is accepted; until then the partner acts as its admin', async () => {
    const partner = await testApp.token('partner@north.test')
    const email = fresh()
    const { status, body } = await post(
      '/tenants',
      { name: 'For Olga', ownerEmail: email },
      partner,
    )
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { owner: null, awaitsOwner: true, role: null, partnerSlug: 'north', memberCount: 0 },
    })
    const path = `/tenants/${body.slug}`
    expect((await get(path, partner)).body).toMatchObject({ role: null, custodian: true })
    expect((await get(path, testApp.as.operator)).body).toMatchObject({
      awaitsOwner: true,
      custodian: false,
    })
    expect((await get(`${path}/invitations`, partner)).body.items).toMatchObject([
      { email, kind: 'owner', state: 'pending' },
    ])
    expect((await post(`${path}/users`, { email: 'first', role: 'admin' }, partner)).status).toBe(
      201,
    )
    expect((await post(`${path}/domains`, { domain: 'olga.example.com' }, partner)).status).toBe(
      201,
    )
    expect((await get(`${path}/invitations`, testApp.as.outsider)).status).toBe(403)
    expect((await accept(testApp, email)).body).toMatchObject({ joined: 'For Olga' })
    expect((await get(path, partner)).body).toMatchObject({
      owner: { email },
      awaitsOwner: false,
      custodian: false,
    })
    // The owner decides from here on.
    expect((await get(`${path}/invitations`, partner)).status).toBe(403)
    expect((await post(`${path}/users`, { email: 'second' }, partner)).status).toBe(403)
    const { body: audit } = await get(`${path}/audit`, await testApp.token(email))
    expect(audit.items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['invitation.created', 'invitation.accepted']),
    )
  })

  it('without an invitation awaits its owner as well, and gets one of its members', async () => {
    const partner = await testApp.token('partner@north.test')
    const { body } = await post('/tenants', { name: 'For nobody yet' }, partner)
    expect(body).toMatchObject({ owner: null, awaitsOwner: true })
    const path = `/tenants/${body.slug}`
    const { body: made } = await post(`${path}/users`, { email: 'first' }, partner)
    const moved = await post(`${path}/transfer-ownership`, { userId: made.member.id }, partner)
    expect(moved).toMatchObject({
      status: 200,
      body: { owner: { role: 'owner' }, previousOwner: null },
    })
    expect((await get(path, partner)).body.awaitsOwner).toBe(false)
  })
})
