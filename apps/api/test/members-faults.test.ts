import { passwordMatches } from '@atrium/sandbox/identity/passwords'
import {
  expectNowhere,
  fileUser,
  identityUser,
  type MembersTestApp,
  mailbox,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ integrations: clientsWithDeadline(1_000) })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

let made = 0
const address = () => {
  made += 1
  return `fault${made}`
}
const create = (body: object) => testApp.call('POST', '/users', body)
const retry = (id: string) => testApp.call('POST', `/users/${id}/retry`)

/** Whether the identity provider accepts this password. */
function identityOpens(email: string, password: string): boolean {
  const { users } = testApp.sandbox.identity.save() as {
    users: { email: string; password: string | null; is_active: boolean }[]
  }
  const user = users.find((one) => one.email === email)
  return user?.is_active === true && passwordMatches(user.password, password)
}

/** Lets the sandbox carry a call out and lose the answer, or not carry it out at all. */
const failures = [
  ['an error', { mode: 'error' }],
  ['a broken connection', { mode: 'reset' }],
  ['an answer that is no JSON', { mode: 'garbage' }],
  ['an answer of another shape', { mode: 'shape' }],
  ['no answer', { mode: 'timeout' }],
  ['a lost answer', { mode: 'reset', after: true }],
] as const

const whole = {
  status: 'active',
  outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
  errors: {},
}

/** One of everything, and nothing twice. */
async function expectWhole(email: string): Promise<void> {
  expect(await identityUser(testApp, email)).toMatchObject({
    is_active: true,
    path: 'tenants/acme',
  })
  expect((await identityUser(testApp, email))?.groups).toHaveLength(1)
  expect(mailbox(testApp, email)).toBeDefined()
  expect(await fileUser(testApp, email)).toBeDefined()
}

describe.each([
  ['identity', 'making the user', 'POST /api/v3/core/users/'],
  ['identity', 'setting the password', 'set_password'],
  ['identity', 'adding to the group', 'add_user'],
  ['identity', 'letting the user in', 'PATCH /api/v3/core/users/'],
  ['mail', 'making the mailbox', 'x:Account/set'],
  ['files', 'making the account', 'POST /graph/v1.0/users'],
  ['files', 'adding to the space', '/permissions'],
] as const)('a creation in which the %s system fails at %s', (system, _, match) => {
  it.each(failures)(
    'with %s keeps the record, tells the outcome and is completed by a retry',
    async (__, fault) => {
      const email = `${address()}@acme.tenants.local`
      testApp.sandbox.fault({ system, match, ...fault })
      const created = await create({ email, name: 'Faulty', firstName: 'Faulty' })
      expect(created.status).toBe(201)
      const { member } = created.body
      expect(testApp.sandbox.state()[system].calls.filter((call) => call.fault)).not.toEqual([])
      // A lost answer may be made up for at once: then nothing is left to do.
      if (member.outcomes[system] !== 'ok') {
        expect(member).toMatchObject({
          status: 'provisioning',
          outcomes: { [system]: 'error' },
          errors: { [system]: expect.stringMatching(/^The /) },
        })
        expect(JSON.stringify(member.errors)).not.toMatch(/token|Bearer|API_/)
      }
      testApp.sandbox.clearFaults()
      const done = await retry(member.id)
      expect(done).toMatchObject({ status: 200, body: { member: whole } })
      await expectWhole(email)
      const passwords = [created.body.oneTimePassword, done.body.oneTimePassword].filter(
        (one) => one !== null,
      )
      const newest = passwords.at(-1)
      expect([identityOpens(email, newest), await mailboxOpens(testApp, email, newest)]).toEqual([
        true,
        true,
      ])
      expect(done.body.member.needsPassword).toBe(false)
      for (const password of passwords) await expectNowhere(testApp, password)
    },
  )
})

it('two systems that fail one after the other, in any order, end with one password for both', async () => {
  for (const order of [
    ['mail', 'identity'],
    ['identity', 'mail'],
  ] as const) {
    const email = `${address()}@acme.tenants.local`
    testApp.sandbox.fault({ system: order[0], mode: 'error' })
    const { id } = (await create({ email })).body.member
    testApp.sandbox.clearFaults()
    testApp.sandbox.fault({ system: order[1], mode: 'error' })
    const between = (await retry(id)).body
    testApp.sandbox.clearFaults()
    expect(between.member).toMatchObject({ status: 'provisioning', needsPassword: true })
    const done = (await retry(id)).body
    expect(done.member).toMatchObject({ ...whole, needsPassword: false })
    expect(identityOpens(email, done.oneTimePassword)).toBe(true)
    expect(await mailboxOpens(testApp, email, done.oneTimePassword)).toBe(true)
  }
})

it('a creation in which the files alone failed keeps the password that was shown', async () => {
  const email = `${address()}@acme.tenants.local`
  testApp.sandbox.fault({ system: 'files', mode: 'error' })
  const { member, oneTimePassword } = (await create({ email })).body
  testApp.sandbox.clearFaults()
  expect((await retry(member.id)).body).toMatchObject({ member: whole, oneTimePassword: null })
  expect(identityOpens(email, oneTimePassword)).toBe(true)
  expect(await mailboxOpens(testApp, email, oneTimePassword)).toBe(true)
})

describe('a failure while looking whether an address is free', () => {
  it.each(['identity', 'mail'] as const)(
    'of the %s system does not stop a creation, and adopts nobody else',
    async (system) => {
      const email = `${address()}@acme.tenants.local`
      const { identity, mail } = testApp.app.services.systems
      const { mail_domain_id: domainId } = await testApp.database.db
        .selectFrom('domains')
        .select('mail_domain_id')
        .where('name', '=', 'acme.tenants.local')
        .executeTakeFirstOrThrow()
      if (system === 'identity')
        await identity?.createUser({ email, name: 'Somebody Else', groupIds: [] })
      else
        await mail?.createAccount({
          localPart: email.split('@')[0] ?? '',
          domainId: domainId ?? '',
          displayName: 'Else',
          password: 'Their-own-password-1',
        })
      // The look fails with its second try; the step that comes after it meets a system that
      // answers.
      testApp.sandbox.fault({ system, mode: 'error', times: 2 })
      const { status, body } = await create({ email, name: 'Newcomer' })
      expect(status).toBe(201)
      expect(body.member).toMatchObject({
        outcomes: { [system]: 'error' },
        errors: { [system]: expect.stringContaining('address') },
      })
      expect((await retry(body.member.id)).body.member.outcomes[system]).toBe('error')
      if (system === 'identity')
        expect(await identityUser(testApp, email)).toMatchObject({
          name: 'Somebody Else',
          groups: [],
        })
      else expect(await mailboxOpens(testApp, email, 'Their-own-password-1')).toBe(true)
    },
  )
})

describe('a suspension and a resume', () => {
  it.each([
    ['identity', 'an error', { mode: 'error' }],
    ['mail', 'a broken connection', { mode: 'reset' }],
    ['mail', 'a lost answer', { mode: 'reset', after: true }],
    ['files', 'no answer', { mode: 'timeout' }],
  ] as const)(
    'stand when the %s system fails with %s, and come back whole',
    async (system, _, fault) => {
      const { member, oneTimePassword } = await testApp.newMember()
      testApp.sandbox.fault({ system, ...fault })
      expect(await testApp.call('POST', `/users/${member.id}/suspend`)).toMatchObject({
        status: 200,
        body: { status: 'suspended', outcomes: { [system]: 'error' } },
      })
      testApp.sandbox.clearFaults()
      expect((await retry(member.id)).body.member).toMatchObject({
        status: 'suspended',
        outcomes: { [system]: 'ok' },
      })
      expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
      expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: false })
      testApp.sandbox.fault({ system, ...fault })
      expect(await testApp.call('POST', `/users/${member.id}/resume`)).toMatchObject({
        status: 200,
        body: { status: 'active', outcomes: { [system]: 'error' } },
      })
      testApp.sandbox.clearFaults()
      expect((await retry(member.id)).body.member).toMatchObject(whole)
      expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    },
  )
})

describe('a removal', () => {
  it.each(['identity', 'mail', 'files'] as const)(
    'that the %s system fails shows as removing, holds no seat, and ends with a retry',
    async (system) => {
      const { member } = await testApp.newMember()
      const { memberCount } = (await testApp.call('GET', '')).body
      testApp.sandbox.fault({ system, mode: 'error' })
      expect((await testApp.call('DELETE', `/users/${member.id}`)).status).toBe(204)
      expect(await testApp.member(member.id)).toMatchObject({
        status: 'removing',
        outcomes: { [system]: 'error' },
      })
      expect((await testApp.call('GET', '')).body.memberCount).toBe(memberCount - 1)
      expect(await create({ email: member.email })).toMatchObject({
        status: 409,
        body: { code: 'email_taken' },
      })
      testApp.sandbox.clearFaults()
      expect(
        await testApp.call('POST', `/users/${member.id}/aliases`, { address: `late-${system}` }),
      ).toMatchObject({
        status: 409,
        body: { code: 'member_not_active' },
      })
      expect((await retry(member.id)).status).toBe(200)
      expect((await testApp.call('GET', `/users/${member.id}`)).status).toBe(404)
      expect([
        mailbox(testApp, member.email),
        await identityUser(testApp, member.email),
        await fileUser(testApp, member.email),
      ]).toEqual([undefined, undefined, undefined])
    },
  )
})

describe('a change of the person', () => {
  it('stands when a mirror fails, says which, and is mirrored by a retry', async () => {
    const { member } = await testApp.newMember()
    testApp.sandbox.fault({ system: 'identity', mode: 'error' })
    const response = await testApp.call('PATCH', `/users/${member.id}`, { name: 'Mirrored Later' })
    expect(response).toMatchObject({
      status: 200,
      body: {
        member: { name: 'Mirrored Later' },
        mirrors: {
          identity: { state: 'error', error: expect.stringContaining('identity provider') },
          mail: { state: 'ok' },
        },
      },
    })
    testApp.sandbox.clearFaults()
    await retry(member.id)
    expect(await identityUser(testApp, member.email)).toMatchObject({ name: 'Mirrored Later' })
  })

  it('of the address is rejected while nobody can say whether it is free, and told when a system fails afterwards', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const to = `${address()}@acme.tenants.local`
    testApp.sandbox.fault({ system: 'mail', mode: 'error' })
    expect(await testApp.call('PUT', `/users/${member.id}/email`, { email: to })).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    expect((await testApp.member(member.id)).email).toBe(member.email)
    testApp.sandbox.clearFaults()
    testApp.sandbox.fault({ system: 'mail', match: 'x:Account/set', mode: 'error' })
    expect(await testApp.call('PUT', `/users/${member.id}/email`, { email: to })).toMatchObject({
      status: 200,
      body: { email: to, outcomes: { mail: 'error', identity: 'ok' } },
    })
    testApp.sandbox.clearFaults()
    expect((await retry(member.id)).body.member).toMatchObject(whole)
    expect(await mailboxOpens(testApp, to, oneTimePassword)).toBe(true)
  })
})

describe('an alias', () => {
  it('that the mail server fails is reported, recorded and not created', async () => {
    const { member } = await testApp.newMember()
    testApp.sandbox.fault({ system: 'mail', match: 'x:Account/set', mode: 'error' })
    expect(
      await testApp.call('POST', `/users/${member.id}/aliases`, { address: address() }),
    ).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    testApp.sandbox.clearFaults()
    expect((await testApp.call('GET', `/users/${member.id}/aliases`)).body.items).toEqual([])
    const [entry] = await testApp.database.db
      .selectFrom('audit_events')
      .select(['action', 'outcome'])
      .orderBy('at', 'desc')
      .limit(1)
      .execute()
    expect(entry).toEqual({ action: 'member.alias_added', outcome: 'failure' })
  })
})

describe('the job engine', () => {
  it('completes a member, with longer pauses while the fault lasts, and reports that no one knows the password', async () => {
    await using started = await startMembersTestApp({ started: true })
    started.sandbox.fault({ system: 'mail', mode: 'reset' })
    const { body } = await started.call('POST', '/users', { email: 'by-job' })
    expect(body.member).toMatchObject({
      status: 'provisioning',
      outcomes: { identity: 'ok', mail: 'error', files: 'ok' },
    })
    const { id } = body.member
    const { db } = started.database
    const plan = () =>
      db
        .selectFrom('memberships')
        .select([
          'attempt',
          sql<number>`round(extract(epoch from next_at - updated_at))::int`.as('pause'),
        ])
        .where('user_id', '=', id)
        .executeTakeFirstOrThrow()
    const now = async () => {
      await db
        .updateTable('memberships')
        .set({ next_at: new Date() })
        .where('user_id', '=', id)
        .execute()
      await sql`update jobs.job set start_after = now() where name = 'members' and state in ('created', 'retry')`.execute(
        db,
      )
    }
    expect(await plan()).toEqual({ attempt: 1, pause: 30 })
    await now()
    await expect.poll(plan, { timeout: 20_000 }).toEqual({ attempt: 2, pause: 60 })
    started.sandbox.clearFaults()
    await now()
    await expect
      .poll(() => started.member(id), { timeout: 20_000 })
      .toMatchObject({ ...whole, needsPassword: true })
    expect(await mailboxOpens(started, 'by-job@acme.tenants.local', body.oneTimePassword)).toBe(
      false,
    )
    const reset = await started.call('POST', `/users/${id}/reset-password`)
    expect(reset.body.member.needsPassword).toBe(false)
    expect(
      await mailboxOpens(started, 'by-job@acme.tenants.local', reset.body.oneTimePassword),
    ).toBe(true)
  }, 60_000)

  it('finds a member whose process was killed after the record', async () => {
    await using started = await startMembersTestApp({ started: true })
    const { db } = started.database
    const { member } = await started.newMember()
    await db
      .updateTable('memberships')
      .set({
        status: 'removing',
        mail_state: 'pending',
        files_state: 'pending',
        identity_state: 'pending',
        run: null,
        lease_until: null,
      })
      .where('user_id', '=', member.id)
      .execute()
    await sql`insert into jobs.job (name) values ('member-sweep') on conflict do nothing`.execute(
      db,
    )
    await sql`update jobs.job set start_after = now() where name = 'member-sweep' and state = 'created'`.execute(
      db,
    )
    await expect
      .poll(async () => (await started.call('GET', `/users/${member.id}`)).status, {
        timeout: 25_000,
      })
      .toBe(404)
    expect(mailbox(started, member.email)).toBeUndefined()
  }, 60_000)
})

describe('a test app without mail or files', () => {
  it('makes members without them, and rejects what needs them', async () => {
    await using lean = await startMembersTestApp({
      env: {
        MAIL_PROVISIONING_ENABLED: 'off',
        FILES_API_URL: '',
        FILES_API_USER: '',
        FILES_API_TOKEN: '',
      },
    })
    const { body } = await lean.call('POST', '/users', { email: 'lean' })
    expect(body.member).toMatchObject({
      status: 'active',
      mailboxAddress: null,
      outcomes: { identity: 'ok', mail: 'skipped', files: 'skipped' },
    })
    expect(await lean.call('POST', `/users/${body.member.id}/mailbox`, {})).toMatchObject({
      status: 409,
      body: { code: 'integration_off' },
    })
    expect((await lean.call('DELETE', `/users/${body.member.id}`)).status).toBe(204)
    expect(lean.sandbox.state().mail.calls).toEqual([])
  })
})
