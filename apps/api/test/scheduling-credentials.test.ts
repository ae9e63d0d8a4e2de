import { createHash } from 'node:crypto'
import { createKeyring } from '@atrium/db/encryption'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { drainCalendars } from '../src/scheduling/calendar-sync.ts'
import { sweepCredentials } from '../src/scheduling/credential-jobs.ts'
import { rotateKeys } from '../src/scheduling/rotate-keys.ts'
import { testKey } from './house.ts'
import { auditOf, mailOf } from './mailboxes.ts'
import { mailFaults, upstreamWords } from './outside.ts'
import { type Host, openSchedulingHouse, type SchedulingHouse, storedCredential } from './scheduling-house.ts'

let house: SchedulingHouse

beforeAll(async () => {
  house = await openSchedulingHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.clear())

const connect = (host: Host, body: object = { mode: 'mint' }) => house.call('PUT', `/hosts/${host.id}/mail-credential`, body)
const disconnect = (host: Host) => house.call('DELETE', `/hosts/${host.id}/mail-credential`)
const check = (host: Host) => house.call('POST', `/hosts/${host.id}/mail-credential/check`)
const credentialOf = async (host: Host) => (await house.call('GET', `/hosts/${host.id}`)).body.credential
const removals = () => house.database.db.selectFrom('app_password_removals').selectAll().execute()
const makeRemovalsDue = () => house.database.db.updateTable('app_password_removals').set({ next_at: sql<Date>`now()` }).execute()
const calendars = () => {
  const { calendars: found } = house.app.house.systems
  if (!found) throw new Error('the house has no calendars')
  return found
}
const entered = () => ({ mode: 'enter', username: house.people.member.address, secret: house.people.member.password })

async function asOwner(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: house.ownerUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('connecting with one click', () => {
  it('makes an app password that opens the calendar, and never shows it', async () => {
    const { member } = house.people
    const host = await house.newHost(member)
    const answer = await connect(host)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: '' })
    const credential = await storedCredential(house, host.id)
    if (!credential) throw new Error('nothing is stored')
    expect(credential).toEqual({ username: member.address, secret: expect.stringMatching(/^app_/) })
    expect(await calendars().open(credential)).toMatchObject({ timeZone: 'Europe/Berlin' })
    expect(await house.appPasswords(member)).toMatchObject([{ description: expect.stringMatching(/^Atrium scheduling /) }])
    expect(await credentialOf(host)).toMatchObject({
      present: true,
      source: 'minted',
      ok: true,
      error: null,
      checkedAt: expect.any(String),
    })
    expect(await removals()).toEqual([])
    const everythingTold = JSON.stringify([
      (await house.call('GET', `/hosts/${host.id}`)).body,
      (await house.call('GET', '/hosts')).body,
      await house.database.db.selectFrom('audit_events').selectAll().execute(),
      house.logLines,
    ])
    expect(everythingTold).not.toContain(credential.secret)
    const { secret } = await house.database.db.selectFrom('mail_credentials').select('secret').executeTakeFirstOrThrow()
    expect(secret.toString('latin1')).not.toContain(credential.secret)
    expect(await auditOf(house, 'mail_credential.set')).toMatchObject([{ resource_id: host.id, metadata: { source: 'minted' } }])
  })

  it('again takes the place of the one before, which no longer opens anything', async () => {
    const host = await house.connectedHost(house.people.member)
    const before = await storedCredential(house, host.id)
    if (!before) throw new Error('nothing is stored')
    await connect(host)
    expect(await storedCredential(house, host.id)).not.toEqual(before)
    expect(await house.appPasswords(house.people.member)).toHaveLength(1)
    await expect(calendars().open(before)).rejects.toMatchObject({ kind: 'unauthorized' })
  })

  it('by several at the same time leaves one app password', async () => {
    const host = await house.newHost(house.people.member)
    const statuses = (await Promise.all([connect(host), connect(host), connect(host)])).map(({ status }) => status)
    expect(statuses).toEqual([204, 204, 204])
    await makeRemovalsDue()
    await sweepCredentials(house.app.house)
    expect(await house.appPasswords(house.people.member)).toHaveLength(1)
    const credential = await storedCredential(house, host.id)
    if (!credential) throw new Error('nothing is stored')
    await expect(calendars().open(credential)).resolves.toBeDefined()
  })

  it('says so when the mailbox has as many app passwords as it may have', async () => {
    const { member } = house.people
    for (let n = 0; n < 5; n++) await mailOf(house).createAppPassword({ accountId: member.accountId, description: `Phone ${n}` })
    const host = await house.newHost(member)
    expect((await connect(host)).body).toMatchObject({ code: 'limit_reached' })
    expect(await removals()).toEqual([])
    expect(await credentialOf(host)).toMatchObject({ present: false })
  })

  it('is not there for members without a mailbox', async () => {
    const host = await house.newHost(house.people.member)
    const { db } = house.database
    const own = { mailbox_address: house.people.member.address, mail_account_id: house.people.member.accountId }
    const { id } = house.people.member
    await db.updateTable('memberships').set({ mailbox_address: null, mail_account_id: null }).where('user_id', '=', id).execute()
    expect((await connect(host)).body.code).toBe('mailbox_missing')
    await db.updateTable('memberships').set(own).where('user_id', '=', id).execute()
  })

  it.each(mailFaults)(
    'takes back what was made when the mail server fails the mint: %j',
    async (fault) => {
      const { member } = house.people
      const host = await house.newHost(member)
      // The server does it and the answer is lost: nobody knows the id.
      house.sandbox.fault({ system: 'mail', match: 'x:AppPassword/set', ...fault, after: true })
      const { status, body } = await connect(host)
      house.sandbox.clearFaults()
      expect({ status, code: body.code }).toEqual({ status: 502, code: 'upstream_failed' })
      for (const word of upstreamWords) expect(JSON.stringify(body)).not.toContain(word)
      expect(await credentialOf(host)).toMatchObject({ present: false })
      await makeRemovalsDue()
      await sweepCredentials(house.app.house)
      expect(await removals()).toEqual([])
      // A refusal says that nothing was made; the sandbox made it all the same, which the real server does not.
      if (!('status' in fault) || fault.status !== 403) expect(await house.appPasswords(member)).toEqual([])
    },
    20_000,
  )

  it.each(mailFaults)(
    'takes it back when the calendar cannot be opened: %j',
    async (fault) => {
      const { member } = house.people
      const host = await house.newHost(member)
      house.sandbox.fault({ system: 'mail', match: 'Calendar/', ...fault })
      const { status, body } = await connect(host)
      house.sandbox.clearFaults()
      expect({ status, code: body.code }).toEqual({ status: 502, code: 'upstream_failed' })
      expect(await house.appPasswords(member)).toEqual([])
      expect(await removals()).toEqual([])
      expect(await credentialOf(host)).toMatchObject({ present: false })
    },
    20_000,
  )

  it('takes it back when it cannot be stored', async () => {
    const host = await house.newHost(house.people.member)
    const { db } = house.database
    await asOwner('alter table mail_credentials add constraint no_more check (false) not valid')
    const { status, body } = await connect(host)
    await asOwner('alter table mail_credentials drop constraint no_more')
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' })
    expect(await house.appPasswords(house.people.member)).toEqual([])
    expect(await removals()).toEqual([])
    expect(await db.selectFrom('mail_credentials').selectAll().execute()).toEqual([])
  })

  it('that is cut off midway leaves nothing behind for long', async () => {
    const { member } = house.people
    const host = await house.newHost(member)
    // What stands after the process died between the mail server's answer and the storing of it.
    const { id } = await mailOf(house).createAppPassword({ accountId: member.accountId, description: 'Atrium scheduling 1234abcd' })
    await mailOf(house).createAppPassword({ accountId: member.accountId, description: "The member's phone" })
    await house.database.db
      .insertInto('app_password_removals')
      .values({ host_id: host.id, account_id: member.accountId, description: 'Atrium scheduling 1234abcd', next_at: new Date() })
      .execute()
    await sweepCredentials(house.app.house)
    expect((await house.appPasswords(member)).map((one) => one.description)).toEqual(["The member's phone"])
    expect(id).toBeTruthy()
    expect(await removals()).toEqual([])
  })
})

describe('connecting by hand', () => {
  it('stores what the mail server accepts', async () => {
    const host = await house.newHost(house.people.member)
    expect((await connect(host, entered())).status).toBe(204)
    expect(await storedCredential(house, host.id)).toEqual({ username: entered().username, secret: entered().secret })
    expect(await credentialOf(host)).toMatchObject({ present: true, source: 'entered', ok: true })
    expect(await house.appPasswords(house.people.member)).toEqual([])
  })

  it('tells at the field that the password is wrong, and stores nothing', async () => {
    const host = await house.newHost(house.people.member)
    const { status, body } = await connect(host, { ...entered(), secret: 'not-the-password' })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'invalid_input', issues: [{ path: 'secret' }] } })
    expect(JSON.stringify([body, house.logLines])).not.toContain('not-the-password')
    expect(await credentialOf(host)).toMatchObject({ present: false })
  })

  it('keeps what was there when the new one is wrong', async () => {
    const host = await house.connectedHost(house.people.member)
    const before = await storedCredential(house, host.id)
    expect((await connect(host, { ...entered(), secret: 'not-the-password' })).status).toBe(400)
    expect(await storedCredential(house, host.id)).toEqual(before)
    expect(await house.appPasswords(house.people.member)).toHaveLength(1)
  })

  it.each([
    [{ mode: 'enter', username: 'mira' }, 'secret'],
    [{ mode: 'enter', username: 'mira\nx', secret: 'x' }, 'username'],
    [{ mode: 'enter', username: 'mira', secret: 'a\u0000b' }, 'secret'],
    [{ mode: 'enter', username: 'mira', secret: '' }, 'secret'],
    [{ mode: 'guess' }, 'mode'],
    [{ mode: 'mint', secret: 'x' }, 'secret'],
  ])('is refused with a reason at the field: %j', async (body, path) => {
    const host = await house.newHost(house.people.member)
    const answer = await connect(host, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', issues: [{ path }] } })
  })

  it.each(mailFaults.filter((fault) => fault.mode !== 'error' || fault.status === 503))(
    'asks to try again when the mail server fails: %j',
    async (fault) => {
      const host = await house.newHost(house.people.member)
      house.sandbox.fault({ system: 'mail', match: 'Calendar/', ...fault })
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
    const host = await house.connectedHost(house.people.member)
    const before = await storedCredential(house, host.id)
    if (!before) throw new Error('nothing is stored')
    expect((await disconnect(host)).status).toBe(204)
    expect(await credentialOf(host)).toEqual({ present: false, source: null, checkedAt: null, ok: null, error: null })
    await expect(calendars().open(before)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await disconnect(host)).status).toBe(204)
    expect(await auditOf(house, 'mail_credential.removed')).toHaveLength(1)
  })

  it('leaves a password alone that a person gave', async () => {
    const host = await house.newHost(house.people.member)
    await connect(host, entered())
    await disconnect(host)
    await expect(calendars().open({ username: entered().username, secret: entered().secret })).resolves.toBeDefined()
  })

  it.each(mailFaults)(
    'erases at once and revokes later when the mail server fails: %j',
    async (fault) => {
      const { member } = house.people
      const host = await house.connectedHost(member)
      house.sandbox.fault({ system: 'mail', match: 'x:AppPassword/set', ...fault })
      expect((await disconnect(host)).status).toBe(204)
      house.sandbox.clearFaults()
      expect(await credentialOf(host)).toMatchObject({ present: false })
      expect(await removals()).toMatchObject([{ host_id: host.id, error: expect.any(String) }])
      expect(await house.appPasswords(member)).toHaveLength(1)
      await sweepCredentials(house.app.house)
      expect(await house.appPasswords(member)).toHaveLength(1)
      await makeRemovalsDue()
      await sweepCredentials(house.app.house)
      expect(await house.appPasswords(member)).toEqual([])
      expect(await removals()).toEqual([])
    },
    20_000,
  )
})

describe('a stored credential', () => {
  it('is found out when it stops working, and when it works again', async () => {
    const host = await house.connectedHost(house.people.member)
    const [made] = await house.appPasswords(house.people.member)
    expect((await check(host)).body).toMatchObject({ ok: true })
    await mailOf(house).removeAppPassword({ accountId: house.people.member.accountId, id: made?.id ?? '' })
    const { status, body } = await check(host)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { present: true, ok: false, error: expect.stringContaining('Connect the mailbox again') },
    })
    expect(await credentialOf(host)).toEqual(body)
    await connect(host)
    expect(await credentialOf(host)).toMatchObject({ ok: true, error: null })
  })

  it('that was refused while its person was suspended is used again as soon as the mailbox is open', async () => {
    const { member } = house.people
    const host = await house.connectedHost(member)
    const bookingId = await house.book(host)
    const path = `/tenants/acme/users/${member.id}`
    const suspended = await house.request('POST', `${path}/suspend`, { token: house.as.admin })
    expect(suspended.status, JSON.stringify(suspended.body)).toBe(200)
    const cancelled = await house.call('POST', `/bookings/${bookingId}/cancel`, { reason: 'On leave' })
    expect(cancelled.body).toMatchObject({ status: 'cancelled', calendarSync: 'failed' })
    expect(await credentialOf(host)).toMatchObject({ ok: false })
    await house.request('POST', `${path}/resume`, { token: house.as.admin })
    expect(await credentialOf(host)).toMatchObject({ present: true, ok: null, error: null })
    await drainCalendars(house.app.house)
    // Nothing is left in the calendar.
    expect((await house.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({ calendarSync: 'none' })
    expect(await credentialOf(host)).toMatchObject({ ok: true })
  })

  it('that was refused is not tried on and on, lest the mail server shut everybody out', async () => {
    const { member } = house.people
    const host = await house.newHost(member)
    await connect(host, entered())
    const freeBusy = async () =>
      (await house.call('GET', `/hosts/${host.id}/free-busy?from=2027-01-04T00:00:00Z&to=2027-01-05T00:00:00Z`)).status
    await mailOf(house).setAccountPassword({ id: member.accountId, password: 'Another-password-of-mira-1!' })
    expect(await freeBusy()).toBe(503)
    expect(await credentialOf(host)).toMatchObject({ ok: false })
    await mailOf(house).setAccountPassword({ id: member.accountId, password: member.password })
    // It would work again, and nobody asks the mail server.
    expect(await freeBusy()).toBe(503)
    expect((await check(host)).body).toMatchObject({ ok: true, error: null })
    expect(await freeBusy()).toBe(200)
  })

  it('cannot be guessed: one person is let in at the mail server twenty times an hour', async () => {
    const host = await house.newHost(house.people.member)
    const wrong = (n: number) => connect(host, { ...entered(), secret: `guess-${n}` })
    let answer = await wrong(0)
    let tries = 1
    for (; answer.status === 400 && tries <= 40; tries++) answer = await wrong(tries)
    const { status, body, headers } = answer
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    // More than twenty only where a new hour began midway.
    expect(tries).toBeGreaterThan(20)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    // One click makes no guess.
    expect((await connect(host)).status).toBe(204)
    expect((await check(host)).body.code).toBe('rate_limited')
  }, 30_000)

  it('is not blamed for a mail server that is away', async () => {
    const host = await house.connectedHost(house.people.member)
    house.sandbox.fault({ system: 'mail', match: 'Calendar/', mode: 'error', status: 503 })
    expect((await check(host)).body.code).toBe('calendar_unavailable')
    expect(await credentialOf(host)).toMatchObject({ ok: true, error: null })
  })

  it('goes when its host is removed, and when its person leaves', async () => {
    const first = await house.connectedHost(house.people.owner)
    const second = await house.connectedHost(house.people.member)
    expect((await house.call('DELETE', `/hosts/${first.id}`)).status).toBe(204)
    expect(await house.appPasswords(house.people.owner)).toEqual([])
    const { db } = house.database
    const memberships = () => db.updateTable('memberships').where('user_id', '=', house.people.member.id)
    await memberships().set({ status: 'removing' }).execute()
    await sweepCredentials(house.app.house)
    await memberships().set({ status: 'active' }).execute()
    expect(await house.appPasswords(house.people.member)).toEqual([])
    expect(await storedCredential(house, second.id)).toBeUndefined()
  })

  it('is encrypted with the newest key by the clean-up, as are the tokens of manage links, so that the old key can go', async () => {
    const host = await house.connectedHost(house.people.member)
    const before = await storedCredential(house, host.id)
    const bookingId = await house.book(host)
    const sealedLink = () => house.database.db.selectFrom('bookings').select(['manage_sealed', 'manage_hash']).executeTakeFirstOrThrow()
    const app = house.app.house
    const kept = app.config
    try {
      const both = createKeyring(`next:${testKey(8)},test:${testKey(7)}`)
      app.config = { ...kept, keyring: both }
      expect(await rotateKeys(app)).toEqual({ renewed: 2, unreadable: 0 })
      expect(await rotateKeys(app)).toEqual({ renewed: 0, unreadable: 0 })
      const { secret } = await house.database.db.selectFrom('mail_credentials').select('secret').executeTakeFirstOrThrow()
      const newAlone = createKeyring(`next:${testKey(8)}`)
      expect(newAlone.decrypt(secret, `mail_credentials.secret:${host.id}`)).toBe(before?.secret)
      const link = await sealedLink()
      const token = newAlone.decrypt(link.manage_sealed ?? Buffer.of(), `bookings.manage:${bookingId}`)
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
    const mine = await house.connectedHost(house.people.member)
    const other = await house.connectedHost(house.people.owner)
    const { db } = house.database
    const { secret } = await db.selectFrom('mail_credentials').select('secret').where('host_id', '=', mine.id).executeTakeFirstOrThrow()
    await db.updateTable('mail_credentials').set({ secret }).where('host_id', '=', other.id).execute()
    expect((await check(other)).body.code).toBe('calendar_unavailable')
  })
})

describe('when a host is not free', () => {
  const range = 'from=2027-01-04T00:00:00Z&to=2027-01-06T00:00:00Z'
  const freeBusy = (host: Host, query = range, token?: string) =>
    house.call('GET', `/hosts/${host.id}/free-busy?${query}`, undefined, token)

  async function busy(host: Host, start: string, end: string): Promise<void> {
    const credential = await storedCredential(house, host.id)
    if (!credential) throw new Error('nothing is stored')
    const calendar = await calendars().open(credential)
    const at = { start: Date.parse(start), end: Date.parse(end), timeZone: 'Europe/Berlin' }
    const organizer = { address: host.mailAddress, name: host.name }
    const event = { uid: `${start}@test`, title: 'Dentist', description: '', location: null, organizer, participants: [organizer], ...at }
    await calendars().putEvent({ credential, calendar, event, eventId: null })
  }

  it('is told to members as joined times without titles', async () => {
    const host = await house.connectedHost(house.people.owner)
    await busy(host, '2027-01-04T10:00:00Z', '2027-01-04T11:00:00Z')
    await busy(host, '2027-01-04T11:00:00Z', '2027-01-04T11:30:00Z')
    await busy(host, '2027-01-05T23:00:00Z', '2027-01-06T02:00:00Z')
    const { body } = await freeBusy(host, range, house.as.member)
    expect(body).toEqual({
      ...{ from: '2027-01-04T00:00:00.000Z', to: '2027-01-06T00:00:00.000Z', zone: 'Europe/Berlin' },
      busy: [
        { start: '2027-01-04T10:00:00.000Z', end: '2027-01-04T11:30:00.000Z' },
        { start: '2027-01-05T23:00:00.000Z', end: '2027-01-06T00:00:00.000Z' },
      ],
    })
  })

  it('is never made up: without an answer of the calendar there is none', async () => {
    const host = await house.newHost(house.people.owner)
    expect((await freeBusy(host)).body.code).toBe('host_not_connected')
    await connect(host)
    house.sandbox.fault({ system: 'mail', match: 'Principal/getAvailability', mode: 'error', status: 503 })
    const { status, body } = await freeBusy(host)
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'calendar_unavailable' })
  })

  it.each([
    ['from=2027-01-04T00:00:00Z&to=2027-03-08T00:00:00Z', 'range_too_long'],
    ['from=2027-01-04T00:00:00Z&to=2027-01-04T00:00:00Z', 'invalid_input'],
    ['from=2027-01-04&to=2027-01-05', 'invalid_input'],
    ['from=2027-01-04T00:00:00Z', 'invalid_input'],
  ])('is refused for %s', async (query, code) => {
    const host = await house.newHost(house.people.owner)
    expect((await freeBusy(host, query)).body.code).toBe(code)
  })
})
