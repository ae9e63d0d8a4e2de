import { findBooking } from '@atrium/db/scheduling/bookings'
import { type EffectsTestApp, startEffectsTestApp } from '@atrium/testing/effects-test-app'
import { caughtMails } from '@atrium/testing/mails'
import { visit, wish } from '@atrium/testing/visitors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { drainOutbox } from '../src/outbox/drain.ts'
import { sendReminderMails } from '../src/scheduling/bookings/mails.ts'

let testApp: EffectsTestApp
const visitor = 'vera@example.org'
const guest = 'guest@example.org'
const secret = 'Buy now at the shop around the corner'

beforeAll(async () => {
  testApp = await startEffectsTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.startAnew())

const attendee = { name: 'Vera Visitor', email: visitor, timeZone: 'Europe/Paris', locale: 'en' }
const book = async (fields: Record<string, unknown> = {}, eventTypeId = testApp.eventTypeId) => {
  const { status, body } = await visit(testApp, 'POST', '/bookings', {
    body: wish(eventTypeId, testApp.at(10), { attendee, guests: [guest], note: secret, ...fields }),
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { booking: { id: string; guestsInvited: boolean }; manageToken: string }
}
const proofIn = async () =>
  /\?proof=([\w-]+)/.exec((await testApp.mailsTo(visitor)).at(-1)?.text ?? '')?.[1] ?? ''
const confirm = (token: string, proof: string) => testApp.visit('POST', '/guests', token, { proof })
const subjects = async (address: string) =>
  (await testApp.mailsTo(address)).map(({ subject }) => subject.split(':')[0])
const titles = (address: string) =>
  testApp
    .eventsOf(testApp.host)
    .filter(({ event }) => JSON.stringify(event).includes(`mailto:${address}`))

describe('guests of a visitor', () => {
  it('get nothing before the visitor has confirmed the own address, whatever becomes of the booking', async () => {
    const { booking, manageToken } = await book()
    expect(booking.guestsInvited).toBe(false)
    await testApp.visit('POST', '/reschedule', manageToken, { start: testApp.at(12).toISOString() })
    const row = await findBooking(testApp.database.db, booking.id)
    if (!row) throw new Error('the booking is gone')
    await testApp.database.db
      .transaction()
      .execute((trx) => sendReminderMails(trx, testApp.app.services, row, 60))
    await testApp.visit('POST', '/cancel', manageToken, { reason: secret })
    await drainOutbox(testApp.app.services)
    expect(await subjects(guest)).toEqual([])
    expect(await subjects(visitor)).toEqual(['Confirmed', 'Moved', 'Cancelled'])
    expect(titles(guest)).toEqual([])
  })

  it('are invited by the link in the mail to the visitor, once', async () => {
    const { booking, manageToken } = await book()
    const [mail] = await testApp.mailsTo(visitor)
    expect(mail?.text).toContain('Your guests are not invited yet.')
    const proof = await proofIn()
    expect(proof).toMatch(/^[\w-]{43}$/)
    const answers = [await confirm(manageToken, proof), await confirm(manageToken, proof)]
    expect(answers.map(({ status, body }) => [status, body.guestsInvited])).toEqual([
      [200, true],
      [200, true],
    ])
    expect(await subjects(guest)).toEqual(['Confirmed'])
    expect(await testApp.invitationIn((await testApp.mailsTo(guest))[0])).toMatchObject({
      method: 'REQUEST',
      sequence: 0,
    })
    expect(titles(guest)).toHaveLength(1)
    expect(await subjects(visitor)).toEqual(['Confirmed'])
    const audit = await testApp.database.db
      .selectFrom('audit_events')
      .select('action')
      .where('resource_id', '=', booking.id)
      .execute()
    expect(audit.map(({ action }) => action)).toEqual([
      'booking.confirmed',
      'booking.guests_invited',
    ])
    expect(JSON.stringify(testApp.logLines)).not.toContain(proof)
  })

  it('are not invited by a booking with another person’s address', async () => {
    const { manageToken } = await book()
    const other = await book({
      attendee: { ...attendee, email: 'eve@example.org' },
      start: testApp.at(14).toISOString(),
    })
    const ofOther =
      /\?proof=([\w-]+)/.exec((await testApp.mailsTo('eve@example.org'))[0]?.text ?? '')?.[1] ?? ''
    expect(ofOther).not.toBe('')
    for (const proof of ['', 'x', manageToken, ofOther, 'A'.repeat(43)])
      expect(await confirm(manageToken, proof)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'proof' }] },
      })
    expect((await testApp.visit('GET', `?proof=${await proofIn()}`, manageToken)).status).toBe(400)
    expect(await subjects(guest)).toEqual([])
    expect((await confirm(other.manageToken, ofOther)).status).toBe(200)
  })

  it('are invited with the confirmation of the host where the address was confirmed before', async () => {
    const asking = await testApp.newEventType(testApp.host, { requires_confirmation: true })
    const { booking, manageToken } = await book({}, asking)
    expect((await confirm(manageToken, await proofIn())).status).toBe(200)
    expect(await subjects(guest)).toEqual([])
    expect(
      (await testApp.act(await testApp.host.token(), 'POST', `/${booking.id}/confirm`)).status,
    ).toBe(200)
    expect(await subjects(guest)).toEqual(['Confirmed'])
  })

  it('are not invited to what is over', async () => {
    const { manageToken } = await book()
    const proof = await proofIn()
    await testApp.visit('POST', '/cancel', manageToken, {})
    expect(await confirm(manageToken, proof)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
    expect(await subjects(guest)).toEqual([])
  })

  it("are invited at once by the tenant's own people", async () => {
    const body = wish(testApp.eventTypeId, testApp.at(10), { attendee, guests: [guest] })
    const made = await testApp.act(await testApp.host.token(), 'POST', '', body)
    expect(made.body.booking).toMatchObject({ guestsInvited: true })
    expect(await subjects(guest)).toEqual(['Confirmed'])
    expect((await testApp.mailsTo(visitor))[0]?.text).not.toContain('proof=')
  })
})

describe('what a visitor writes', () => {
  it('never reaches a guest, nor the own address by mail', async () => {
    const { manageToken } = await book()
    await confirm(manageToken, await proofIn())
    await testApp.visit('POST', '/reschedule', manageToken, {
      start: testApp.at(12).toISOString(),
      reason: secret,
    })
    await testApp.visit('POST', '/cancel', manageToken, { reason: secret })
    expect(await subjects(guest)).toEqual(['Confirmed', 'Moved', 'Cancelled'])
    for (const mail of [...(await testApp.mailsTo(guest)), ...(await testApp.mailsTo(visitor))]) {
      const whole = `${JSON.stringify(mail)}${(await testApp.invitationIn(mail))?.text.replace(/\r?\n /g, '') ?? ''}`
      expect(whole).not.toContain(secret)
      if (mail.envelope.to.includes(guest)) expect(whole).not.toContain('Vera Visitor')
    }
    expect(
      (await testApp.mailsTo(testApp.host.address)).filter(({ text }) => text?.includes(secret)),
    ).toHaveLength(3)
    expect(caughtMails(testApp).length).toBeGreaterThan(6)
  })

  it('is no name that a mail program makes a link of', async () => {
    for (const name of ['evil.example.com', 'https://evil.test', 'Ask anna@evil.com']) {
      const rejected = await visit(testApp, 'POST', '/bookings', {
        body: wish(testApp.eventTypeId, testApp.at(10), { attendee: { ...attendee, name } }),
      })
      expect(rejected, name).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'attendee.name' }] },
      })
    }
  })
})

describe('moves', () => {
  it('are five for a visitor, and as many as needed for the host', async () => {
    const { booking, manageToken } = await book()
    const move = (hours: number) =>
      testApp.visit('POST', '/reschedule', manageToken, { start: testApp.at(hours).toISOString() })
    for (let n = 1; n <= 5; n++) expect((await move(10 + n)).status).toBe(200)
    const sixth = await move(20)
    expect(sixth).toMatchObject({ status: 409, body: { code: 'limit_reached' } })
    expect(sixth.body.detail).toContain('5 times')
    expect((await testApp.visit('GET', '', manageToken)).body.allowedActions).toEqual(['cancel'])
    const byHost = await testApp.act(
      await testApp.host.token(),
      'POST',
      `/${booking.id}/reschedule`,
      {
        start: testApp.at(20).toISOString(),
      },
    )
    expect(byHost.status).toBe(200)
  })
})

describe('a calendar entry', () => {
  const ask = (bookingId: string, email: string) =>
    visit(testApp, 'POST', '/manage-links', { body: { bookingId, email } })
  const textOf = async () =>
    (await testApp.invitationIn((await testApp.mailsTo(visitor))[0]))?.text.replace(
      /\r?\n /g,
      '',
    ) ?? ''

  it('holds no manage token, and leads to where the address is asked for', async () => {
    const { booking, manageToken } = await book({ guests: [] })
    expect(await textOf()).toContain(`/manage/link/${booking.id}`)
    expect(await textOf()).not.toContain(manageToken)
    expect((await testApp.mailsTo(visitor))[0]?.text).toContain(`/manage/${manageToken}`)
  })

  it('brings the link to the visitor alone, at most once an hour, and tells nobody else anything', async () => {
    const { booking, manageToken } = await book({ guests: [] })
    const statuses = [
      await ask(booking.id, 'eve@example.org'),
      await ask(crypto.randomUUID(), visitor),
    ].map(({ status }) => status)
    expect(statuses).toEqual([204, 204])
    expect(await testApp.mailsTo('eve@example.org')).toEqual([])
    expect(await testApp.mailsTo(visitor)).toHaveLength(1)
    for (let n = 0; n < 3; n++) expect((await ask(booking.id, 'VERA@example.org')).status).toBe(204)
    const mails = await testApp.mailsTo(visitor)
    expect(mails).toHaveLength(2)
    expect(mails[1]?.text).toContain(`/manage/${manageToken}`)
    testApp.later(61)
    await ask(booking.id, visitor)
    expect(await testApp.mailsTo(visitor)).toHaveLength(3)
    await testApp.visit('POST', '/cancel', manageToken, {})
    testApp.later(61)
    await ask(booking.id, visitor)
    expect(await subjects(visitor)).toEqual(['Confirmed', 'Confirmed', 'Confirmed', 'Cancelled'])
  })
})
