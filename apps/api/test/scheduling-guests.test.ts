import { findBooking } from '@atrium/db/bookings'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { drainOutbox } from '../src/outbox/drain.ts'
import { sendReminderMails } from '../src/scheduling/booking-mails.ts'
import { type EffectsHouse, openEffectsHouse } from './effects-house.ts'
import { caughtMails } from './mails.ts'
import { visit, wish } from './visitors.ts'

let house: EffectsHouse
const visitor = 'vera@example.org'
const guest = 'guest@example.org'
const secret = 'Buy now at the shop around the corner'

beforeAll(async () => {
  house = await openEffectsHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.startAnew())

const attendee = { name: 'Vera Visitor', email: visitor, timeZone: 'Europe/Paris', locale: 'en' }
const book = async (fields: Record<string, unknown> = {}, eventTypeId = house.eventTypeId) => {
  const { status, body } = await visit(house, 'POST', '/bookings', {
    body: wish(eventTypeId, house.at(10), { attendee, guests: [guest], note: secret, ...fields }),
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { booking: { id: string; guestsInvited: boolean }; manageToken: string }
}
const proofIn = async () => /\?proof=([\w-]+)/.exec((await house.mailsTo(visitor)).at(-1)?.text ?? '')?.[1] ?? ''
const confirm = (token: string, proof: string) => house.visit('POST', '/guests', token, { proof })
const subjects = async (address: string) => (await house.mailsTo(address)).map(({ subject }) => subject.split(':')[0])
const titles = (address: string) => house.eventsOf(house.host).filter(({ event }) => JSON.stringify(event).includes(`mailto:${address}`))

describe('guests of a visitor', () => {
  it('get nothing before the visitor has confirmed the own address, whatever becomes of the booking', async () => {
    const { booking, manageToken } = await book()
    expect(booking.guestsInvited).toBe(false)
    await house.visit('POST', '/reschedule', manageToken, { start: house.at(12).toISOString() })
    const row = await findBooking(house.database.db, booking.id)
    if (!row) throw new Error('the booking is gone')
    await house.database.db.transaction().execute((trx) => sendReminderMails(trx, house.app.house, row, 60))
    await house.visit('POST', '/cancel', manageToken, { reason: secret })
    await drainOutbox(house.app.house)
    expect(await subjects(guest)).toEqual([])
    expect(await subjects(visitor)).toEqual(['Confirmed', 'Moved', 'Cancelled'])
    expect(titles(guest)).toEqual([])
  })

  it('are invited by the link in the mail to the visitor, once', async () => {
    const { booking, manageToken } = await book()
    const [mail] = await house.mailsTo(visitor)
    expect(mail?.text).toContain('Your guests are not invited yet.')
    const proof = await proofIn()
    expect(proof).toMatch(/^[\w-]{43}$/)
    const answers = [await confirm(manageToken, proof), await confirm(manageToken, proof)]
    expect(answers.map(({ status, body }) => [status, body.guestsInvited])).toEqual([
      [200, true],
      [200, true],
    ])
    expect(await subjects(guest)).toEqual(['Confirmed'])
    expect(await house.invitationIn((await house.mailsTo(guest))[0])).toMatchObject({ method: 'REQUEST', sequence: 0 })
    expect(titles(guest)).toHaveLength(1)
    expect(await subjects(visitor)).toEqual(['Confirmed'])
    const audit = await house.database.db.selectFrom('audit_events').select('action').where('resource_id', '=', booking.id).execute()
    expect(audit.map(({ action }) => action)).toEqual(['booking.confirmed', 'booking.guests_invited'])
    expect(JSON.stringify(house.logLines)).not.toContain(proof)
  })

  it('are not invited by who booked with an address of somebody else', async () => {
    const { manageToken } = await book()
    const other = await book({ attendee: { ...attendee, email: 'eve@example.org' }, start: house.at(14).toISOString() })
    const ofOther = /\?proof=([\w-]+)/.exec((await house.mailsTo('eve@example.org'))[0]?.text ?? '')?.[1] ?? ''
    expect(ofOther).not.toBe('')
    for (const proof of ['', 'x', manageToken, ofOther, 'A'.repeat(43)])
      expect(await confirm(manageToken, proof)).toMatchObject({ status: 400, body: { issues: [{ path: 'proof' }] } })
    expect((await house.visit('GET', `?proof=${await proofIn()}`, manageToken)).status).toBe(400)
    expect(await subjects(guest)).toEqual([])
    expect((await confirm(other.manageToken, ofOther)).status).toBe(200)
  })

  it('are invited with the confirmation of the host where the address was confirmed before', async () => {
    const asking = await house.newEventType(house.host, { requires_confirmation: true })
    const { booking, manageToken } = await book({}, asking)
    expect((await confirm(manageToken, await proofIn())).status).toBe(200)
    expect(await subjects(guest)).toEqual([])
    expect((await house.act(await house.host.token(), 'POST', `/${booking.id}/confirm`)).status).toBe(200)
    expect(await subjects(guest)).toEqual(['Confirmed'])
  })

  it('are not invited to what is over', async () => {
    const { manageToken } = await book()
    const proof = await proofIn()
    await house.visit('POST', '/cancel', manageToken, {})
    expect(await confirm(manageToken, proof)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    expect(await subjects(guest)).toEqual([])
  })

  it("are invited at once by the tenant's own people", async () => {
    const body = wish(house.eventTypeId, house.at(10), { attendee, guests: [guest] })
    const made = await house.act(await house.host.token(), 'POST', '', body)
    expect(made.body.booking).toMatchObject({ guestsInvited: true })
    expect(await subjects(guest)).toEqual(['Confirmed'])
    expect((await house.mailsTo(visitor))[0]?.text).not.toContain('proof=')
  })
})

describe('what a visitor writes', () => {
  it('never reaches a guest, nor the own address by mail', async () => {
    const { manageToken } = await book()
    await confirm(manageToken, await proofIn())
    await house.visit('POST', '/reschedule', manageToken, { start: house.at(12).toISOString(), reason: secret })
    await house.visit('POST', '/cancel', manageToken, { reason: secret })
    expect(await subjects(guest)).toEqual(['Confirmed', 'Moved', 'Cancelled'])
    for (const mail of [...(await house.mailsTo(guest)), ...(await house.mailsTo(visitor))]) {
      const whole = `${JSON.stringify(mail)}${(await house.invitationIn(mail))?.text.replace(/\r?\n /g, '') ?? ''}`
      expect(whole).not.toContain(secret)
      if (mail.envelope.to.includes(guest)) expect(whole).not.toContain('Vera Visitor')
    }
    expect((await house.mailsTo(house.host.address)).filter(({ text }) => text?.includes(secret))).toHaveLength(3)
    expect(caughtMails(house).length).toBeGreaterThan(6)
  })

  it('is no name that a mail program makes a link of', async () => {
    for (const name of ['evil.example.com', 'https://evil.test', 'Ask anna@evil.com']) {
      const refused = await visit(house, 'POST', '/bookings', {
        body: wish(house.eventTypeId, house.at(10), { attendee: { ...attendee, name } }),
      })
      expect(refused, name).toMatchObject({ status: 400, body: { issues: [{ path: 'attendee.name' }] } })
    }
  })
})

describe('moves', () => {
  it('are five for a visitor, and as many as needed for the host', async () => {
    const { booking, manageToken } = await book()
    const move = (hours: number) => house.visit('POST', '/reschedule', manageToken, { start: house.at(hours).toISOString() })
    for (let n = 1; n <= 5; n++) expect((await move(10 + n)).status).toBe(200)
    const sixth = await move(20)
    expect(sixth).toMatchObject({ status: 409, body: { code: 'limit_reached' } })
    expect(sixth.body.detail).toContain('5 times')
    expect((await house.visit('GET', '', manageToken)).body.allowedActions).toEqual(['cancel'])
    const byHost = await house.act(await house.host.token(), 'POST', `/${booking.id}/reschedule`, { start: house.at(20).toISOString() })
    expect(byHost.status).toBe(200)
  })
})

describe('a calendar entry', () => {
  const ask = (bookingId: string, email: string) => visit(house, 'POST', '/manage-links', { body: { bookingId, email } })
  const textOf = async () => (await house.invitationIn((await house.mailsTo(visitor))[0]))?.text.replace(/\r?\n /g, '') ?? ''

  it('holds no manage token, and leads to where the address is asked for', async () => {
    const { booking, manageToken } = await book({ guests: [] })
    expect(await textOf()).toContain(`/manage/link/${booking.id}`)
    expect(await textOf()).not.toContain(manageToken)
    expect((await house.mailsTo(visitor))[0]?.text).toContain(`/manage/${manageToken}`)
  })

  it('brings the link to the visitor alone, at most once an hour, and tells nobody else anything', async () => {
    const { booking, manageToken } = await book({ guests: [] })
    const statuses = [await ask(booking.id, 'eve@example.org'), await ask(crypto.randomUUID(), visitor)].map(({ status }) => status)
    expect(statuses).toEqual([204, 204])
    expect(await house.mailsTo('eve@example.org')).toEqual([])
    expect(await house.mailsTo(visitor)).toHaveLength(1)
    for (let n = 0; n < 3; n++) expect((await ask(booking.id, 'VERA@example.org')).status).toBe(204)
    const mails = await house.mailsTo(visitor)
    expect(mails).toHaveLength(2)
    expect(mails[1]?.text).toContain(`/manage/${manageToken}`)
    house.later(61)
    await ask(booking.id, visitor)
    expect(await house.mailsTo(visitor)).toHaveLength(3)
    await house.visit('POST', '/cancel', manageToken, {})
    house.later(61)
    await ask(booking.id, visitor)
    expect(await subjects(visitor)).toEqual(['Confirmed', 'Confirmed', 'Confirmed', 'Cancelled'])
  })
})
