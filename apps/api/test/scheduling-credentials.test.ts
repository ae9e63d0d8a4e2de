import { createHash } from 'node:crypto'
import { createKeyring } from '@atrium/db/platform/encryption'
import { auditOf, mailOf } from '@atrium/testing/mailboxes'
import { mailFaults, upstreamText } from '@atrium/testing/outside'
import {
  type Host,
  type SchedulingTestApp,
  startSchedulingTestApp,
  storedCredential,
} from '@atrium/testing/scheduling-test-app'
import { testKey } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepCredentials } from '../src/scheduling/calendars/credential-jobs.ts'
import { rotateKeys } from '../src/scheduling/calendars/rotate-keys.ts'
import { drainCalendars } from '../src/scheduling/calendars/sync.ts'

let testApp: SchedulingTestApp

beforeAll(async () => {
  testApp = await startSchedulingTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.clear())

const connect = (host: Host, body: object = { mode: 'mint' }) =>
  testApp.call('PUT', `/hosts/${host.id}/mail-credential`, body)
const disconnect = (host: Host) => testApp.call('DELETE', `/hosts/${host.id}/mail-credential`)
const check = (host: Host) => testApp.call('POST', `/hosts/${host.id}/mail-credential/check`)
const credentialOf = async (host: Host) =>
  (await testApp.call('GET', `/hosts/${host.id}`)).body.credential
const removals = () => testApp.database.db.selectFrom('app_password_removals').selectAll().execute()
const makeRemovalsDue = () =>
  testApp.database.db
    .updateTable('app_password_removals')
    .set({ next_at: sql<Date>`now()` })
    .execute()
const calendars = () => {
  const { calendars: found } = testApp.app.services.systems
  if (!found) throw new Error('the test app has no calendars')
  return found
}
const entered = () => ({
  mode: 'enter',
  username: testApp.people.member.address,
  secret: testApp.people.member.password,
})

async function asOwner(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testApp.ownerUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('connecting with one click', () => {
  it('makes an app password that opens the calendar, and never shows it', async () => {
    const { member } = testApp.people
    const host = await testApp.newHost(member)
    const response = await connect(host)
    expect({ status: response.status, body: response.body }).toEqual({ status: 204, body: '' })
    const credential = await storedCredential(testApp, host.id)
    if (!credential) throw new Error('nothing is stored')
    expect(credential).toEqual({ username: member.address, secret: expect.stringMatching(/^app_/) })
    expect(await calendars().open(credential)).toMatchObject({ timeZone: 'Europe/Berlin' })
    expect(await testApp.appPasswords(member)).toMatchObject([
      { description: expect.stringMatching(/^Atrium scheduling /) },
    ])
    expect(await credentialOf(host)).toMatchObject({
      present: true,
      source: 'minted',
      ok: true,
      error: null,
      checkedAt: expect.any(String),
    })
    expect(await removals()).toEqual([])
    const everythingTold = JSON.stringify([
      (await testApp.call('GET', `/hosts/${host.id}`)).body,
      (await testApp.call('GET', '/hosts')).body,
      await testApp.database.db.selectFrom('audit_events').selectAll().execute(),
      testApp.logLines,
    ])
    expect(everythingTold).not.toContain(credential.secret)
    const { secret } = await testApp.database.db
      .selectFrom('mail_credentials')
      .select('secret')
      .executeTakeFirstOrThrow()
    expect(secret.toString('latin1')).not.toContain(credential.secret)
    expect(await auditOf(testApp, 'mail_credential.set')).toMatchObject([
      { resource_id: host.id, metadata: { source: 'minted' } },
    ])
  })

  it('again takes the place of the one before, which no longer opens anything', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    const before = await storedCredential(testApp, host.id)
    if (!before) throw new Error('nothing is stored')
    await connect(host)
    expect(await storedCredential(testApp, host.id)).not.toEqual(before)
    expect(await testApp.appPasswords(testApp.people.member)).toHaveLength(1)
    await expect(calendars().open(before)).rejects.toMatchObject({ kind: 'unauthorized' })
  })

  it('by several at the same time leaves one app password', async () => {
    const host = await testApp.newHost(testApp.people.member)
    const statuses = (await Promise.all([connect(host), connect(host), connect(host)])).map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([204, 204, 204])
    await makeRemovalsDue()
    await sweepCredentials(testApp.app.services)
    expect(await testApp.appPasswords(testApp.people.member)).toHaveLength(1)
    const credential = await storedCredential(testApp, host.id)
    if (!credential) throw new Error('nothing is stored')
    await expect(calendars().open(credential)).resolves.toBeDefined()
  })

  it('says so when the mailbox has as many app passwords as it may have', async () => {
    const { member } = testApp.people
    for (let n = 0; n < 5; n++)
      await mailOf(testApp).createAppPassword({
        accountId: member.accountId,
        description: `Phone ${n}`,
      })
    const host = await testApp.newHost(member)
    expect((await connect(host)).body).toMatchObject({ code: 'limit_reached' })
    expect(await removals()).toEqual([])
    expect(await credentialOf(host)).toMatchObject({ present: false })
  })

  it('is not there for members without a mailbox', async () => {
    const host = await testApp.newHost(testApp.people.member)
    const { db } = testApp.database
    const own = {
      mailbox_address: testApp.people.member.address,
      mail_account_id: testApp.people.member.accountId,
    }
    const { id } = testApp.people.member
    await db
      .updateTable('memberships')
      .set({ mailbox_address: null, mail_account_id: null })
      .where('user_id', '=', id)
      .execute()
    expect((await connect(host)).body.code).toBe('mailbox_missing')
    await db.updateTable('memberships').set(own).where('user_id', '=', id).execute()
  })

  it.each(mailFaults)(
    'takes back what was made when the mail server fails the mint: %j',
    async (fault) => {
      const { member } = testApp.people
      const host = await testApp.newHost(member)
      // The server does it and the answer is lost: nobody knows the id.
      testApp.sandbox.fault({ system: 'mail', match: 'x:AppPassword/set', ...fault, after: true })
      const { status, body } = await connect(host)
      testApp.sandbox.clearFaults()
      expect({ status, code: body.code }).toEqual({ status: 502, code: 'upstream_failed' })
      for (const word of upstreamText) expect(JSON.stringify(body)).not.toContain(word)
      expect(await credentialOf(host)).toMatchObject({ present: false })
      await makeRemovalsDue()
      await sweepCredentials(testApp.app.services)
      expect(await removals()).toEqual([])
      // A rejection says that nothing was made; the sandbox made it all the same, which the real
      // server does not.
      if (!('status' in fault) || fault.status !== 403)
        expect(await testApp.appPasswords(member)).toEqual([])
    },
    20_000,
  )

  it.each(mailFaults)(
    'takes it back when the calendar cannot be opened: %j',
    async (fault) => {
      const { member } = testApp.people
      const host = await testApp.newHost(member)
      testApp.sandbox.fault({ system: 'mail', match: 'Calendar/', ...fault })
      const { status, body } = await connect(host)
      testApp.sandbox.clearFaults()
      expect({ status, code: body.code }).toEqual({ status: 502, code: 'upstream_failed' })
      expect(await testApp.appPasswords(member)).toEqual([])
      expect(await removals()).toEqual([])
      expect(await credentialOf(host)).toMatchObject({ present: false })
    },
    20_000,
  )

  it('takes it back when it cannot be stored', async () => {
    const host = await testApp.newHost(testApp.people.member)
    const { db } = testApp.database
    await asOwner('alter table mail_credentials add constraint no_more check (false) not valid')
    const { status, body } = await connect(host)
    await asOwner('alter table mail_credentials drop constraint no_more')
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' })
    expect(await testApp.appPasswords(testApp.people.member)).toEqual([])
    expect(await removals()).toEqual([])
    expect(await db.selectFrom('mail_credentials').selectAll().execute()).toEqual([])
  })

  it('that is cut off midway leaves nothing behind for long', async () => {
    const { member } = testApp.people
    const host = await testApp.newHost(member)
    // What stands after the process died between the mail server's answer and the storing of it.
    const { id } = await mailOf(testApp).createAppPassword({
      accountId: member.accountId,
      description: 'Atrium scheduling 1234abcd',
    })
    await mailOf(testApp).createAppPassword({
      accountId: member.accountId,
      description: "The member's phone",
    })
    await testApp.database.db
      .insertInto('app_password_removals')
      .values({
        host_id: host.id,
        account_id: member.accountId,
        description: 'Atrium scheduling 1234abcd',
        next_at: new Date(),
      })
      .execute()
    await sweepCredentials(testApp.app.services)
    expect((await testApp.appPasswords(member)).map((one) => one.description)).toEqual([
      "The member's phone",
    ])
    expect(id).toBeTruthy()
    expect(await removals()).toEqual([])
  })
})

describe('connecting by hand', () => {
  it('stores what the mail server accepts', async () => {
    const host = await testApp.newHost(testApp.people.member)
    expect((await connect(host, entered())).status).toBe(204)
    expect(await storedCredential(testApp, host.id)).toEqual({
      username: entered().username,
      secret: entered().secret,
    })
    expect(await credentialOf(host)).toMatchObject({ present: true, source: 'entered', ok: true })
    expect(await testApp.appPasswords(testApp.people.member)).toEqual([])
  })

  it('tells at the field that the password is wrong, and stores nothing', async () => {
    const host = await testApp.newHost(testApp.people.member)
    const { status, body } = await connect(host, { ...entered(), secret: 'not-the-password' })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: 'secret' }] },
    })
    expect(JSON.stringify([body, testApp.logLines])).not.toContain('not-the-password')
    expect(await credentialOf(host)).toMatchObject({ present: false })
  })

  it('keeps what was there when the new one is wrong', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    const before = await storedCredential(testApp, host.id)
    expect((await connect(host, { ...entered(), secret: 'not-the-password' })).status).toBe(400)
    expect(await storedCredential(testApp, host.id)).toEqual(before)
    expect(await testApp.appPasswords(testApp.people.member)).toHaveLength(1)
  })

  it.each([
    [{ mode: 'enter', username: 'mira' }, 'secret'],
    [{ mode: 'enter', username: 'mira\nx', secret: 'x' }, 'username'],
    [{ mode: 'enter', username: 'mira', secret: 'a\u0000b' }, 'secret'],
    [{ mode: 'enter', username: 'mira', secret: '' }, 'secret'],
    [{ mode: 'guess' }, 'mode'],
    [{ mode: 'mint', secret: 'x' }, 'secret'],
  ])('is refused with a reason at the field: %j', async (body, path) => {
    const host = await testApp.newHost(testApp.people.member)
    const response = await connect(host, body)
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path }] },
    })
  })

  it.each(mailFaults.filter((fault) => fault.mode !== 'error' || fault.status === 503))(
    'asks to try again when the mail server fails: %j',
    async (fault) => {
      const host = await testApp.newHost(testApp.people.member)
      testApp.sandbox.fault({ system: 'mail', match: 'Calendar/', ...fault })
      const { status, body, headers } = await connect(host, entered())
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'calendar_unavailable' })
      expect(headers.get('retry-after')).toBe('5')
      expect(await credentialOf(host)).toMatchObject({ present: false })
    },
    20_000,
  )
})

describe('disconnecting', () => {
  it('erases the secret and revokes the app password, and does so once', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    const before = await storedCredential(testApp, host.id)
    if (!before) throw new Error('nothing is stored')
    expect((await disconnect(host)).status).toBe(204)
    expect(await credentialOf(host)).toEqual({
      present: false,
      source: null,
      checkedAt: null,
      ok: null,
      error: null,
    })
    await expect(calendars().open(before)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await disconnect(host)).status).toBe(204)
    expect(await auditOf(testApp, 'mail_credential.removed')).toHaveLength(1)
  })

  it('leaves a password alone that a person gave', async () => {
    const host = await testApp.newHost(testApp.people.member)
    await connect(host, entered())
    await disconnect(host)
    await expect(
      calendars().open({ username: entered().username, secret: entered().secret }),
    ).resolves.toBeDefined()
  })

  it.each(mailFaults)(
    'erases at once and revokes later when the mail server fails: %j',
    async (fault) => {
      const { member } = testApp.people
      const host = await testApp.connectedHost(member)
      testApp.sandbox.fault({ system: 'mail', match: 'x:AppPassword/set', ...fault })
      expect((await disconnect(host)).status).toBe(204)
      testApp.sandbox.clearFaults()
      expect(await credentialOf(host)).toMatchObject({ present: false })
      expect(await removals()).toMatchObject([{ host_id: host.id, error: expect.any(String) }])
      expect(await testApp.appPasswords(member)).toHaveLength(1)
      await sweepCredentials(testApp.app.services)
      expect(await testApp.appPasswords(member)).toHaveLength(1)
      await makeRemovalsDue()
      await sweepCredentials(testApp.app.services)
      expect(await testApp.appPasswords(member)).toEqual([])
      expect(await removals()).toEqual([])
    },
    20_000,
  )
})

describe('a stored credential', () => {
  it('is found out when it stops working, and when it works again', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    const [made] = await testApp.appPasswords(testApp.people.member)
    expect((await check(host)).body).toMatchObject({ ok: true })
    await mailOf(testApp).removeAppPassword({
      accountId: testApp.people.member.accountId,
      id: made?.id ?? '',
    })
    const { status, body } = await check(host)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        present: true,
        ok: false,
        error: expect.stringContaining('Connect the mailbox again'),
      },
    })
    expect(await credentialOf(host)).toEqual(body)
    await connect(host)
    expect(await credentialOf(host)).toMatchObject({ ok: true, error: null })
  })

  it('that was rejected while its person was suspended is used again as soon as the mailbox is open', async () => {
    const { member } = testApp.people
    const host = await testApp.connectedHost(member)
    const bookingId = await testApp.book(host)
    const path = `/tenants/acme/users/${member.id}`
    const suspended = await testApp.request('POST', `${path}/suspend`, { token: testApp.as.admin })
    expect(suspended.status, JSON.stringify(suspended.body)).toBe(200)
    const cancelled = await testApp.call('POST', `/bookings/${bookingId}/cancel`, {
      reason: 'On leave',
    })
    expect(cancelled.body).toMatchObject({ status: 'cancelled', calendarSync: 'failed' })
    expect(await credentialOf(host)).toMatchObject({ ok: false })
    await testApp.request('POST', `${path}/resume`, { token: testApp.as.admin })
    expect(await credentialOf(host)).toMatchObject({ present: true, ok: null, error: null })
    await drainCalendars(testApp.app.services)
    // Nothing is left in the calendar.
    expect((await testApp.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({
      calendarSync: 'none',
    })
    expect(await credentialOf(host)).toMatchObject({ ok: true })
  })

  it('that was rejected is not tried on and on, lest the mail server shut everybody out', async () => {
    const { member } = testApp.people
    const host = await testApp.newHost(member)
    await connect(host, entered())
    const freeBusy = async () =>
      (
        await testApp.call(
          'GET',
          `/hosts/${host.id}/free-busy?from=2027-01-04T00:00:00Z&to=2027-01-05T00:00:00Z`,
        )
      ).status
    await mailOf(testApp).setAccountPassword({
      id: member.accountId,
      password: 'Another-password-of-mira-1!',
    })
    expect(await freeBusy()).toBe(503)
    expect(await credentialOf(host)).toMatchObject({ ok: false })
    await mailOf(testApp).setAccountPassword({ id: member.accountId, password: member.password })
    // It would work again, and nobody asks the mail server.
    expect(await freeBusy()).toBe(503)
    expect((await check(host)).body).toMatchObject({ ok: true, error: null })
    expect(await freeBusy()).toBe(200)
  })

  it('cannot be guessed: one person is let in at the mail server twenty times an hour', async () => {
    const host = await testApp.newHost(testApp.people.member)
    const wrong = (n: number) => connect(host, { ...entered(), secret: `guess-${n}` })
    let response = await wrong(0)
    let tries = 1
    for (; response.status === 400 && tries <= 40; tries++) response = await wrong(tries)
    const { status, body, headers } = response
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    // More than twenty only where a new hour began midway.
    expect(tries).toBeGreaterThan(20)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    // One click makes no guess.
    expect((await connect(host)).status).toBe(204)
    expect((await check(host)).body.code).toBe('rate_limited')
  }, 30_000)

  it('is not blamed for a mail server that is away', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    testApp.sandbox.fault({ system: 'mail', match: 'Calendar/', mode: 'error', status: 503 })
    expect((await check(host)).body.code).toBe('calendar_unavailable')
    expect(await credentialOf(host)).toMatchObject({ ok: true, error: null })
  })

  it('goes when its host is removed, and when its person leaves', async () => {
    const first = await testApp.connectedHost(testApp.people.owner)
    const second = await testApp.connectedHost(testApp.people.member)
    expect((await testApp.call('DELETE', `/hosts/${first.id}`)).status).toBe(204)
    expect(await testApp.appPasswords(testApp.people.owner)).toEqual([])
    const { db } = testApp.database
    const memberships = () =>
      db.updateTable('memberships').where('user_id', '=', testApp.people.member.id)
    await memberships().set({ status: 'removing' }).execute()
    await sweepCredentials(testApp.app.services)
    await memberships().set({ status: 'active' }).execute()
    expect(await testApp.appPasswords(testApp.people.member)).toEqual([])
    expect(await storedCredential(testApp, second.id)).toBeUndefined()
  })

  it('is encrypted with the newest key by the clean-up, as are the tokens of manage links, so that the old key can go', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    const before = await storedCredential(testApp, host.id)
    const bookingId = await testApp.book(host)
    const sealedLink = () =>
      testApp.database.db
        .selectFrom('bookings')
        .select(['manage_sealed', 'manage_hash'])
        .executeTakeFirstOrThrow()
    const app = testApp.app.services
    const kept = app.config
    try {
      const both = createKeyring(`next:${testKey(8)},test:${testKey(7)}`)
      app.config = { ...kept, keyring: both }
      expect(await rotateKeys(app)).toEqual({ renewed: 2, unreadable: 0 })
      expect(await rotateKeys(app)).toEqual({ renewed: 0, unreadable: 0 })
      const { secret } = await testApp.database.db
        .selectFrom('mail_credentials')
        .select('secret')
        .executeTakeFirstOrThrow()
      const newAlone = createKeyring(`next:${testKey(8)}`)
      expect(newAlone.decrypt(secret, `mail_credentials.secret:${host.id}`)).toBe(before?.secret)
      const link = await sealedLink()
      const token = newAlone.decrypt(
        link.manage_sealed ?? Buffer.of(),
        `bookings.manage:${bookingId}`,
      )
      expect(createHash('sha256').update(token).digest()).toEqual(link.manage_hash)
      app.config = { ...kept, keyring: newAlone }
      expect((await check(host)).body).toMatchObject({ ok: true })
      app.config = { ...kept, keyring: createKeyring(`third:${testKey(9)}`) }
      expect(await rotateKeys(app)).toEqual({ renewed: 0, unreadable: 2 })
      expect((await check(host)).body.code).toBe('calendar_unavailable')
    } finally {
      app.config = kept
    }
  })

  it('cannot be moved to another host', async () => {
    const mine = await testApp.connectedHost(testApp.people.member)
    const other = await testApp.connectedHost(testApp.people.owner)
    const { db } = testApp.database
    const { secret } = await db
      .selectFrom('mail_credentials')
      .select('secret')
      .where('host_id', '=', mine.id)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('mail_credentials')
      .set({ secret })
      .where('host_id', '=', other.id)
      .execute()
    expect((await check(other)).body.code).toBe('calendar_unavailable')
  })
})

describe('when a host is not free', () => {
  const range = 'from=2027-01-04T00:00:00Z&to=2027-01-06T00:00:00Z'
  const freeBusy = (host: Host, query = range, token?: string) =>
    testApp.call('GET', `/hosts/${host.id}/free-busy?${query}`, undefined, token)

  async function busy(host: Host, start: string, end: string): Promise<void> {
    const credential = await storedCredential(testApp, host.id)
    if (!credential) throw new Error('nothing is stored')
    const calendar = await calendars().open(credential)
    const at = { start: Date.parse(start), end: Date.parse(end), timeZone: 'Europe/Berlin' }
    const organizer = { address: host.mailAddress, name: host.name }
    const event = {
      uid: `${start}@test`,
      title: 'Dentist',
      description: '',
      location: null,
      organizer,
      participants: [organizer],
      ...at,
    }
    await calendars().putEvent({ credential, calendar, event, eventId: null })
  }

  it('is shown to members as merged times without titles', async () => {
    const host = await testApp.connectedHost(testApp.people.owner)
    await busy(host, '2027-01-04T10:00:00Z', '2027-01-04T11:00:00Z')
    await busy(host, '2027-01-04T11:00:00Z', '2027-01-04T11:30:00Z')
    await busy(host, '2027-01-05T23:00:00Z', '2027-01-06T02:00:00Z')
    const { body } = await freeBusy(host, range, testApp.as.member)
    expect(body).toEqual({
      from: '2027-01-04T00:00:00.000Z',
      to: '2027-01-06T00:00:00.000Z',
      zone: 'Europe/Berlin',
      busy: [
        { start: '2027-01-04T10:00:00.000Z', end: '2027-01-04T11:30:00.000Z' },
        { start: '2027-01-05T23:00:00.000Z', end: '2027-01-06T00:00:00.000Z' },
      ],
    })
  })

  it('is never made up: without an answer of the calendar there is none', async () => {
    const host = await testApp.newHost(testApp.people.owner)
    expect((await freeBusy(host)).body.code).toBe('host_not_connected')
    await connect(host)
    testApp.sandbox.fault({
      system: 'mail',
      match: 'Principal/getAvailability',
      mode: 'error',
      status: 503,
    })
    const { status, body } = await freeBusy(host)
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'calendar_unavailable' })
  })

  it.each([
    ['from=2027-01-04T00:00:00Z&to=2027-03-08T00:00:00Z', 'range_too_long'],
    ['from=2027-01-04T00:00:00Z&to=2027-01-04T00:00:00Z', 'invalid_input'],
    ['from=2027-01-04&to=2027-01-05', 'invalid_input'],
    ['from=2027-01-04T00:00:00Z', 'invalid_input'],
  ])('is refused for %s', async (query, code) => {
    const host = await testApp.newHost(testApp.people.owner)
    expect((await freeBusy(host, query)).body.code).toBe(code)
  })
})
