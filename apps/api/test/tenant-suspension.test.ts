import {
  type MembersTestApp,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { tenantIdOf } from '@atrium/testing/records'
import { editor, outsideOf, settleTenant, viewer } from '@atrium/testing/suspension-test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepMembers } from '../src/members/jobs.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    integrations: clientsWithDeadline(1_000),
    manyChanges: true,
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  testApp.sandbox.clearFaults()
  await testApp.request('POST', '/tenants/acme/resume', { token: testApp.as.operator })
  await settleTenant(testApp, 'acme')
})

const suspend = (mode?: string, token = testApp.as.operator) =>
  testApp.request('POST', '/tenants/acme/suspend', {
    token,
    body: { reason: 'Unpaid.', ...(mode ? { mode } : {}) },
  })
const resume = () => testApp.request('POST', '/tenants/acme/resume', { token: testApp.as.operator })
const look = (email: string) => outsideOf(testApp, 'acme', email)
const access = async () => (await testApp.call('GET', '?expand=access')).body.expanded.access

const open = {
  active: true,
  groups: 1,
  mailOff: [],
  fileAccount: true,
  spaceDisabled: false,
  grant: editor,
}

describe('a tenant suspended without sign-in', () => {
  it('is shut in every system, and a resume brings the same state back', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const { member: alone } = await testApp.newMember()
    await testApp.call('POST', `/users/${alone.id}/suspend`)
    expect(await look(member.email)).toEqual(open)
    const before = await look(alone.email)
    expect(before).toMatchObject({ active: false, mailOff: ['authenticate'], fileAccount: false })

    expect((await suspend()).body).toMatchObject({
      status: 'suspended',
      suspensionMode: 'no_sign_in',
      suspendedReason: 'Unpaid.',
    })
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toMatchObject({
      active: false,
      mailOff: ['authenticate'],
      fileAccount: false,
      spaceDisabled: true,
    })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await access()).toMatchObject({
      wanted: 'shut',
      identity: { waiting: 0, failed: 0 },
      mail: { waiting: 0 },
      files: { waiting: 0 },
    })

    expect((await resume()).body).toMatchObject({ status: 'active', suspensionMode: null })
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toEqual(open)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    expect(await look(alone.email)).toEqual(before)
    expect((await testApp.member(alone.id)).status).toBe('suspended')
    expect(await access()).toMatchObject({ wanted: 'open', identity: { waiting: 0, failed: 0 } })
  })

  it('lets owner and admins read in the portal, and nobody else', async () => {
    await suspend()
    await settleTenant(testApp, 'acme')
    expect(await look('admin@acme.test')).toMatchObject({ active: true, groups: 0 })
    for (const [token, status] of [
      [testApp.as.owner, 200],
      [testApp.as.admin, 200],
      [testApp.as.member, 404],
    ] as const) {
      expect((await testApp.request('GET', '/tenants/acme', { token })).status).toBe(status)
    }
    const mine = await testApp.request('GET', '/tenants', { token: testApp.as.member })
    expect(mine.body.items).toEqual([])
    expect(
      (await testApp.request('GET', '/tenants/acme/users', { token: testApp.as.member })).status,
    ).toBe(403)
    expect(await look('member@acme.test')).toMatchObject({ active: false })
    // A token that was issued while the group was left takes no membership away.
    const late = await testApp.token('admin@acme.test')
    await testApp.request('GET', '/users/me', { token: late })
    await resume()
    await settleTenant(testApp, 'acme')
    await testApp.request('GET', '/users/me', { token: late })
    const { role } = (await testApp.request('GET', '/tenants/acme', { token: late })).body
    expect(role).toBe('admin')
  })

  it('leaves the sign-in of somebody whose other tenant is open, until that one is shut too', async () => {
    const { member } = await testApp.newMember()
    const globex = await tenantIdOf(testApp.database.db, 'globex')
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: globex, user_id: member.id, role: 'member', identity_state: 'ok' })
      .execute()
    const at = (path: string) =>
      testApp.request('POST', `/tenants/globex/${path}`, { token: testApp.as.operator })
    await suspend()
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toMatchObject({ active: true, mailOff: ['authenticate'] })
    await at('suspend')
    await settleTenant(testApp, 'globex')
    expect(await look(member.email)).toMatchObject({ active: false })
    await at('resume')
    await settleTenant(testApp, 'globex')
    expect(await look(member.email)).toMatchObject({ active: true, mailOff: ['authenticate'] })
    await resume()
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toMatchObject({
      active: true,
      mailOff: [],
      spaceDisabled: false,
    })
    await testApp.database.db
      .deleteFrom('memberships')
      .where('tenant_id', '=', globex)
      .where('user_id', '=', member.id)
      .execute()
  })

  it('keeps what protects accounts possible for its admins, and gives nobody sign-in back by it', async () => {
    const people = [await testApp.newMember(), await testApp.newMember(), await testApp.newMember()]
    const [reset, shut, gone] = people.map(({ member }) => member.id)
    await suspend()
    await settleTenant(testApp, 'acme')
    const response = await testApp.call('POST', `/users/${reset}/reset-password`)
    expect(response).toMatchObject({
      status: 200,
      body: { outcomes: { identity: { state: 'ok' }, mail: { state: 'ok' } } },
    })
    const email = people[0]?.member.email ?? ''
    expect(await look(email)).toMatchObject({ active: false, mailOff: ['authenticate'] })
    expect(await mailboxOpens(testApp, email, response.body.oneTimePassword)).toBe(false)
    expect((await testApp.call('POST', `/users/${reset}/force-logout`)).status).toBe(200)
    expect(await look(email)).toMatchObject({ active: false })
    // An admin is signed out as well, and signs in to the portal again.
    const admin = await testApp.idOf('admin@acme.test')
    expect(
      (await testApp.call('POST', `/users/${admin}/force-logout`, undefined, testApp.as.owner))
        .status,
    ).toBe(200)
    expect(await look('admin@acme.test')).toMatchObject({ active: true })
    expect((await testApp.call('POST', `/users/${shut}/suspend`)).body.status).toBe('suspended')
    expect((await testApp.call('DELETE', `/users/${gone}`)).status).toBe(204)
    expect(await look(people[2]?.member.email ?? '')).toMatchObject({
      active: undefined,
      fileAccount: false,
    })
    for (const [method, path, body] of [
      ['POST', `/users/${shut}/resume`, undefined],
      ['POST', '/users', { email: 'late', name: 'Late' }],
      ['PATCH', `/users/${reset}`, { name: 'Other' }],
    ] as const) {
      expect(await testApp.call(method, path, body)).toMatchObject({
        status: 409,
        body: { code: 'tenant_suspended' },
      })
    }
    await resume()
    await settleTenant(testApp, 'acme')
    expect(await mailboxOpens(testApp, email, response.body.oneTimePassword)).toBe(true)
    expect(await look(people[1]?.member.email ?? '')).toMatchObject({
      active: false,
      mailOff: ['authenticate'],
    })
  })

  it.each([
    ['identity', 'PATCH /api/v3/core/users/', 'active'],
    ['mail', 'x:Account/set', 'mailOff'],
    ['files', 'PATCH /graph/v1.0/users', 'fileAccount'],
    ['files', 'DELETE /graph/v1.0/drives', 'spaceDisabled'],
  ] as const)('says what %s did not do at %s, and does it later', async (system, match, fact) => {
    const { member } = await testApp.newMember()
    testApp.sandbox.fault({ system, match, mode: 'error', status: 503, times: 1_000 })
    expect((await suspend()).status).toBe(200)
    await settleTenant(testApp, 'acme')
    expect((await look(member.email))[fact]).toEqual(open[fact])
    const said = (await access())[system]
    expect(fact === 'spaceDisabled' ? said.tenant.error : said.error).toMatch(/^The /)
    const { body } = await testApp.request('GET', '/tenants/acme?expand=access', {
      token: testApp.as.operator,
      headers: { 'accept-language': 'de' },
    })
    const german = body.expanded.access[system]
    expect(fact === 'spaceDisabled' ? german.tenant.error : german.error).toMatch(/^Der /)
    testApp.sandbox.clearFaults()
    await settleTenant(testApp, 'acme')
    expect((await look(member.email))[fact]).not.toEqual(open[fact])

    testApp.sandbox.fault({
      system,
      match: fact === 'spaceDisabled' ? 'PATCH /graph/v1.0/drives' : match,
      mode: 'error',
      status: 503,
      times: 1_000,
    })
    expect((await resume()).status).toBe(200)
    await settleTenant(testApp, 'acme')
    expect((await look(member.email))[fact]).not.toEqual(open[fact])
    testApp.sandbox.clearFaults()
    await settleTenant(testApp, 'acme')
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toEqual(open)
  })
})

describe('a tenant that may only read', () => {
  it('goes on signing in, sends no mail and changes no file', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    expect((await suspend('read_only')).body.suspensionMode).toBe('read_only')
    await settleTenant(testApp, 'acme')
    const muted = ['calendarSchedulingSend', 'emailSend', 'jmapEmailSubmissionCreate']
    expect(await look(member.email)).toEqual({ ...open, mailOff: muted, grant: viewer })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    expect(
      (await testApp.request('GET', '/tenants/acme', { token: testApp.as.member })).status,
    ).toBe(200)

    expect((await suspend('no_sign_in')).body.suspensionMode).toBe('no_sign_in')
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toMatchObject({ active: false, spaceDisabled: true })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    await suspend('read_only')
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toEqual({ ...open, mailOff: muted, grant: viewer })
    await resume()
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toEqual(open)
  })
})

it('is suspended once by eight who ask at the same time', async () => {
  const responses = await Promise.all(Array.from({ length: 8 }, () => suspend()))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  expect(await suspend()).toMatchObject({ status: 409, body: { code: 'already_suspended' } })
})

it('lets nobody who owns a workplace that an operator suspended open another one', async () => {
  const token = await testApp.token('newcomer@example.test')
  const create = (name: string) => testApp.request('POST', '/tenants', { token, body: { name } })
  const first = (await create('First')).body.slug
  await testApp.request('POST', `/tenants/${first}/suspend`, { token: testApp.as.operator })
  expect(await create('Second')).toMatchObject({
    status: 403,
    body: { code: 'workplace_suspended' },
  })
  await testApp.request('POST', `/tenants/${first}/resume`, { token: testApp.as.operator })
  expect((await create('Second')).status).toBe(201)
  await testApp.request('POST', `/tenants/${first}/suspend`, { token: testApp.as.operator })
  // One that is open is left.
  expect((await create('Third')).status).toBe(201)
})

it('shuts a member out although the process died before any system was told', async () => {
  const { member } = await testApp.newMember()
  await suspend()
  const { rows } = await sql<{ due: boolean }>`
    select bool_and(next_at is null) as due from memberships where user_id = ${member.id}`.execute(
    testApp.database.db,
  )
  expect(rows[0]?.due).toBe(true)
  await sweepMembers(testApp.app.services)
  const { rows: jobs } = await sql<{ count: number }>`
    select count(*)::int as count from jobs.job where name = 'members' and data->>'userId' = ${member.id} and state = 'created'`.execute(
    testApp.database.db,
  )
  expect(jobs[0]?.count).toBe(1)
})

describe('a deleted tenant', () => {
  const remove = () => testApp.request('DELETE', '/tenants/acme', { token: testApp.as.operator })
  const restore = () =>
    testApp.request('POST', '/tenants/acme/restore', { token: testApp.as.operator })
  beforeEach(async () => {
    await restore()
    await resume()
    await settleTenant(testApp, 'acme')
  })

  it('is shut in every system, and comes back as it was', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const { member: alone } = await testApp.newMember()
    await testApp.call('POST', `/users/${alone.id}/suspend`)
    const list = await testApp.call('POST', '/lists', {
      address: 'all@acme.tenants.local',
      name: 'All',
      recipients: [member.email],
    })
    const before = [await look(member.email), await look(alone.email)]
    expect((await remove()).status).toBe(204)
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toMatchObject({
      active: false,
      mailOff: ['authenticate'],
      fileAccount: false,
      spaceDisabled: true,
    })
    const seen = await testApp.request('GET', '/tenants/acme', { token: testApp.as.owner })
    const days = (Date.parse(seen.body.restoreUntil) - Date.parse(seen.body.deletedAt)) / 86_400_000
    expect(Math.round(days)).toBe(30)

    const response = await restore()
    expect(response).toMatchObject({
      status: 200,
      body: { tenant: { status: 'active', deletedAt: null }, endedSubscription: null },
    })
    await settleTenant(testApp, 'acme')
    expect([await look(member.email), await look(alone.email)]).toEqual(before)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    expect((await testApp.call('GET', `/lists/${list.body.id}`)).body).toMatchObject({
      recipients: [member.email],
      state: 'ok',
    })
    expect(await restore()).toMatchObject({ status: 409, body: { code: 'not_deleted' } })
    expect(await testApp.auditActions()).toEqual(expect.arrayContaining(['tenant.restored']))
  })

  it('is suspended again when it was', async () => {
    const { member } = await testApp.newMember()
    await suspend('read_only')
    await remove()
    await settleTenant(testApp, 'acme')
    expect(
      (await testApp.request('GET', '/tenants/acme', { token: testApp.as.owner })).body
        .suspensionMode,
    ).toBeNull()
    expect((await restore()).body.tenant).toMatchObject({
      status: 'suspended',
      suspensionMode: 'read_only',
      suspendedReason: 'Unpaid.',
    })
    await settleTenant(testApp, 'acme')
    expect(await look(member.email)).toMatchObject({ active: true, grant: viewer })
  })

  it('is restored once by eight concurrent calls, and by none after the period', async () => {
    await remove()
    const responses = await Promise.all(Array.from({ length: 8 }, restore))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    await remove()
    const over = testApp.database.db.updateTable('tenants').where('slug', '=', 'acme')
    await over.set({ restore_until: new Date(Date.now() - 1000) }).execute()
    expect(await restore()).toMatchObject({ status: 409, body: { code: 'restore_expired' } })
    await over.set({ restore_until: new Date(Date.now() + 60_000) }).execute()
    expect(
      (await testApp.request('POST', '/tenants/acme/restore', { token: testApp.as.owner })).status,
    ).toBe(403)
  })

  it('loses members whom an operator removes', async () => {
    const { member } = await testApp.newMember()
    await remove()
    await settleTenant(testApp, 'acme')
    expect(
      (await testApp.call('DELETE', `/users/${member.id}`, undefined, testApp.as.operator)).status,
    ).toBe(204)
    expect(await look(member.email)).toMatchObject({
      active: undefined,
      mailOff: [],
      fileAccount: false,
    })
  })
})
