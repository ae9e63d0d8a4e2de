import { findBooking } from '@atrium/db/scheduling/bookings'
import { tenant } from '@atrium/testing/bookings-test-app'
import { type EffectsTestApp, startEffectsTestApp } from '@atrium/testing/effects-test-app'
import { proveDomain } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { queueEffects, reportConflict } from '../src/scheduling/bookings/effects.ts'
import { expireBookings } from '../src/scheduling/bookings/expire.ts'
import { sendReminders } from '../src/scheduling/bookings/remind.ts'
import { withHosts } from '../src/scheduling/calendars/invitation.ts'

let testApp: EffectsTestApp

beforeAll(async () => {
  testApp = await startEffectsTestApp()
  await proveDomain(testApp, 'acme', 'acme.example')
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
beforeEach(() => testApp.startAnew())

const api = () => testApp.app.services
const utc = (at: Date) => at.toISOString().replace('.000', '')

describe('the mails of a booking', () => {
  it('invite the visitor, in the name of the host, with link and calendar file', async () => {
    const booking = await testApp.bookOne()
    const [mail, ...rest] = await testApp.mailsTo('vera@example.org')
    expect(rest).toEqual([])
    expect(mail).toMatchObject({
      from: { name: 'Anna Owner via Acme Engineering', address: 'no-reply@atrium.test' },
      to: [{ name: 'Vera Visitor', address: 'vera@example.org' }],
    })
    expect(mail?.headers).toContainEqual({
      name: 'Reply-To',
      value: expect.stringContaining(testApp.host.address),
    })
    expect(mail?.subject).toMatch(/^Confirmed: Introduction, /)
    const link = `http://booking.test/manage/${booking.token}`
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain(link)
      expect(part).toContain('Europe/Paris')
    }
    expect(await testApp.invitationIn(mail)).toMatchObject({
      method: 'REQUEST',
      uid: `${booking.id}@acme.tenants.local`,
      sequence: 0,
      status: 'CONFIRMED',
      start: utc(testApp.at(10)),
      organizer: `mailto:${testApp.host.address}`,
      attendees: [`mailto:${testApp.host.address}`, 'mailto:vera@example.org'],
    })
  })

  it('show day and hours in the zone and the language of the visitor', async () => {
    const { db } = testApp.database
    const made = await testApp.request('POST', '/api/v1/bookings', {
      headers: { 'idempotency-key': crypto.randomUUID() },
      body: {
        eventTypeId: testApp.eventTypeId,
        start: testApp.at(34).toISOString(),
        attendee: {
          name: 'Kenji',
          email: 'kenji@example.org',
          timeZone: 'Asia/Tokyo',
          locale: 'de-AT',
        },
      },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const [mail] = await testApp.mailsTo('kenji@example.org')
    const start = testApp.at(34)
    const day = new Intl.DateTimeFormat('de-AT', {
      dateStyle: 'full',
      timeZone: 'Asia/Tokyo',
    }).format(start)
    expect(mail?.subject).toBe(`Bestätigt: Introduction, ${day}`)
    expect(mail?.from?.name).toBe('Anna Owner über Acme Engineering')
    expect(mail?.html).toContain('<html lang="de">')
    expect(mail?.text).toContain('Verschieben oder absagen: http://booking.test/manage/')
    expect(mail?.text).toContain(`${day}, 19:00 bis 19:30 (Asia/Tokyo)`)
    expect(
      (await db.selectFrom('bookings').select('invited').executeTakeFirstOrThrow()).invited,
    ).toBe(true)
    const [notice] = await testApp.mailsTo(testApp.host.address)
    expect(notice?.text).toMatch(/1[12]:00 to 1[12]:30 \(Europe\/Berlin\)/)
  })

  it('tell guests without the link that opens the booking, and hosts without a calendar file', async () => {
    const made = await testApp.request('POST', '/api/v1/bookings', {
      headers: { 'idempotency-key': crypto.randomUUID() },
      body: {
        eventTypeId: testApp.eventTypeId,
        start: testApp.at(10).toISOString(),
        attendee: {
          name: 'Vera Visitor',
          email: 'vera@example.org',
          timeZone: 'Europe/Paris',
          locale: 'en',
        },
        guests: ['guest@example.org', 'vera@example.org'],
        note: 'We are three.',
      },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await testApp.inviteGuests(made.body.manageToken, 'vera@example.org')
    const [guestMail, ...more] = await testApp.mailsTo('guest@example.org')
    expect(more).toEqual([])
    const whole = JSON.stringify(guestMail)
    expect(whole).not.toContain('/manage/')
    expect(whole).not.toContain(made.body.manageToken)
    const invited = await testApp.invitationIn(guestMail)
    expect(invited?.attendees).toContain('mailto:guest@example.org')
    expect(invited?.text.replace(/\r?\n /g, '')).not.toContain('/manage/')
    expect(await testApp.mailsTo('vera@example.org')).toHaveLength(1)
    const [notice] = await testApp.mailsTo(testApp.host.address)
    expect(notice?.subject).toMatch(/^Booked: Introduction, Vera Visitor, /)
    expect(notice?.text).toContain('We are three.')
    expect(notice?.headers).toContainEqual({
      name: 'Reply-To',
      value: expect.stringContaining('vera@example.org'),
    })
    expect(notice?.attachments).toEqual([])
    expect(notice?.text).toContain(
      `https://portal.test/t/acme/scheduling/bookings?booking=${made.body.booking.id}`,
    )
    expect(JSON.stringify(notice)).not.toContain('/manage/')
  })

  it('show guests neither the number nor the answers of the visitor', async () => {
    const question = { key: 'phone', label: 'Phone', kind: 'phone', required: true }
    const place = {
      location_kind: 'visitor_phone',
      location: null,
      fields: JSON.stringify([question]),
    }
    const eventTypeId = await testApp.newEventType(testApp.host, { title: 'Call', ...place })
    const made = await testApp.request('POST', '/api/v1/bookings', {
      headers: { 'idempotency-key': crypto.randomUUID() },
      body: {
        eventTypeId,
        start: testApp.at(10).toISOString(),
        attendee: {
          name: 'Vera Visitor',
          email: 'vera@example.org',
          timeZone: 'Europe/Paris',
          locale: 'en',
        },
        guests: ['guest@example.org'],
        answers: { phone: '+49 30 1234567' },
        note: 'For your eyes alone.',
      },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const [toVisitor] = await testApp.mailsTo('vera@example.org')
    expect(toVisitor?.text).toContain('Anna Owner calls +49 30 1234567')
    // The address may be a stranger's: what the visitor wrote is on the page that the link opens.
    expect((await testApp.invitationIn(toVisitor))?.text).not.toContain('For your eyes alone.')
    expect((await testApp.visit('GET', '/calendar.ics', made.body.manageToken)).body).toContain(
      'For your eyes alone.',
    )
    await testApp.inviteGuests(made.body.manageToken, 'vera@example.org')
    const [toGuest] = await testApp.mailsTo('guest@example.org')
    const whole = `${JSON.stringify(toGuest)}${(await testApp.invitationIn(toGuest))?.text.replace(/\r?\n /g, '')}`
    expect(whole).toContain('Anna Owner calls vera@example.org')
    expect(whole).not.toContain('Vera Visitor')
    expect(whole).not.toContain('1234567')
    expect(whole).not.toContain('For your eyes alone.')
  })

  it('bring no calendar file with a request, and the first invitation with the confirmation', async () => {
    const booking = await testApp.bookOne({ status: 'pending' })
    const [requested] = await testApp.mailsTo('vera@example.org')
    expect(requested?.subject).toMatch(/^Requested: /)
    expect(requested?.attachments).toEqual([])
    expect((await testApp.mailsTo(testApp.host.address)).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^To confirm: /),
    ])
    expect(testApp.eventsOf(testApp.host)).toEqual([])
    const confirmed = await testApp.act(
      await testApp.host.token(),
      'POST',
      `/${booking.id}/confirm`,
    )
    expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200)
    const mails = await testApp.mailsTo('vera@example.org')
    expect(mails).toHaveLength(2)
    expect(await testApp.invitationIn(mails[1])).toMatchObject({ method: 'REQUEST', sequence: 0 })
    // The host did it and needs no mail about it.
    expect(await testApp.mailsTo(testApp.host.address)).toHaveLength(1)
    expect(testApp.eventsOf(testApp.host)).toMatchObject([
      { title: 'Introduction: Vera Visitor', start: testApp.at(10).getTime() },
    ])
  })

  it('tell a host in the language of the host', async () => {
    const { db } = testApp.database
    const speak = (language: 'de' | null) =>
      db
        .updateTable('users')
        .set({ language })
        .where('id', 'in', db.selectFrom('hosts').select('user_id'))
        .execute()
    await speak('de')
    await testApp.bookOne()
    await speak(null)
    const [notice] = await testApp.mailsTo(testApp.host.address)
    const day = testApp
      .at(10)
      .toLocaleDateString('de', { dateStyle: 'full', timeZone: 'Europe/Berlin' })
    expect(notice?.subject).toBe(`Gebucht: Introduction, Vera Visitor, ${day}`)
    expect(notice?.text).toContain('Buchung öffnen: ')
  })

  it('move and take back the same meeting', async () => {
    const booking = await testApp.bookOne()
    expect((await testApp.move(booking, testApp.at(12))).status).toBe(200)
    expect((await testApp.cancel(booking)).status).toBe(200)
    const mails = await testApp.mailsTo('vera@example.org')
    expect(mails.map(({ subject }) => subject.split(':')[0])).toEqual([
      'Confirmed',
      'Moved',
      'Cancelled',
    ])
    const uid = `${booking.id}@acme.tenants.local`
    const organizer = `mailto:${testApp.host.address}`
    expect(await testApp.invitationIn(mails[1])).toMatchObject({
      method: 'REQUEST',
      uid,
      sequence: 1,
      start: utc(testApp.at(12)),
      organizer,
    })
    expect(await testApp.invitationIn(mails[2])).toMatchObject({
      method: 'CANCEL',
      uid,
      sequence: 2,
      status: 'CANCELLED',
      organizer,
    })
    // The visitor's own words go to the host alone.
    expect(mails[2]?.text).not.toContain('I am ill.')
    expect(mails[2]?.text).not.toContain('/manage/')
    const toHost = await testApp.mailsTo(testApp.host.address)
    expect(toHost.map(({ subject }) => subject.split(':')[0])).toEqual([
      'Booked',
      'Moved',
      'Cancelled',
    ])
    expect(testApp.eventsOf(testApp.host)).toEqual([])
  })

  it('come from the same organizer when the host has another address since, and answers go to that one', async () => {
    const booking = await testApp.bookOne()
    const address = `new.${testApp.host.address}`
    await testApp.database.db
      .updateTable('hosts')
      .set({ mail_address: address })
      .where('id', '=', testApp.host.id)
      .execute()
    expect((await testApp.move(booking, testApp.at(12))).status).toBe(200)
    expect((await testApp.cancel(booking)).status).toBe(200)
    const organizer = `mailto:${testApp.host.address}`
    const [invited, ...changes] = await testApp.mailsTo('vera@example.org')
    expect(await testApp.invitationIn(invited)).toMatchObject({ method: 'REQUEST', organizer })
    expect(changes.map(({ subject }) => subject.split(':')[0])).toEqual(['Moved', 'Cancelled'])
    for (const mail of changes) {
      expect(await testApp.invitationIn(mail)).toMatchObject({ organizer })
      expect(mail.headers.find(({ name }) => name === 'Reply-To')?.value ?? '').toContain(address)
    }
  })

  it('tell the other side why a meeting was moved', async () => {
    const booking = await testApp.bookOne()
    const start = (hours: number) => testApp.at(hours).toISOString()
    const byHost = await testApp.act(
      await testApp.host.token(),
      'POST',
      `/${booking.id}/reschedule`,
      {
        start: start(12),
        reason: 'I am away.',
      },
    )
    expect(byHost.status, JSON.stringify(byHost.body)).toBe(200)
    const byVisitor = await testApp.visit('POST', '/reschedule', booking.token, {
      start: start(14),
      reason: 'My train is late.',
    })
    expect(byVisitor.status, JSON.stringify(byVisitor.body)).toBe(200)
    const moves = async (address: string) =>
      (await testApp.mailsTo(address)).filter(({ subject }) => subject.startsWith('Moved:'))
    const [first] = await moves('vera@example.org')
    for (const text of [first?.text, first?.html]) expect(text).toContain('Reason: I am away.')
    const toHost = await moves(testApp.host.address)
    expect(toHost.map(({ text }) => text?.includes('Reason: My train is late.'))).toEqual([true])
    const request = await testApp.bookOne({ status: 'pending', email: 'rita@example.org' })
    expect(
      (
        await testApp.act(await testApp.host.token(), 'POST', `/${request.id}/reschedule`, {
          start: start(16),
          reason: 'I am away.',
        })
      ).status,
    ).toBe(200)
    const requests = (await testApp.mailsTo('rita@example.org')).map(({ text }) =>
      text?.includes('Reason: I am away.'),
    )
    expect(requests).toEqual([false, true])
  })

  it('tell of a request that is declined, and whom nobody answered', async () => {
    const declined = await testApp.bookOne({ status: 'pending' })
    await testApp.act(await testApp.host.token(), 'POST', `/${declined.id}/decline`, {
      reason: 'We are closed.',
    })
    const [, mail] = await testApp.mailsTo('vera@example.org')
    expect(mail?.subject).toMatch(/^Not confirmed: /)
    expect(mail?.text).toContain('Reason: We are closed.')
    expect(mail?.text).toContain('http://booking.test/acme/')
    expect(mail?.attachments).toEqual([])
    const waiting = await testApp.bookOne({
      status: 'pending',
      start: testApp.at(12),
      email: 'ida@example.org',
    })
    testApp.later(13 * 60)
    await expireBookings(api())
    expect((await testApp.mailsTo('ida@example.org')).map(({ text }) => text)).toEqual([
      expect.stringContaining('received'),
      expect.stringContaining('has not answered'),
    ])
    expect(await testApp.stored(waiting)).toMatchObject({ calendar_state: 'none', active: false })
  })

  it('send a new link for the unchanged invitation', async () => {
    const booking = await testApp.bookOne()
    const { body } = await testApp.act(await testApp.admin(), 'POST', `/${booking.id}/new-link`)
    const mails = await testApp.mailsTo('vera@example.org')
    expect(mails).toHaveLength(2)
    expect(mails[1]?.text).toContain(`http://booking.test/manage/${body.manageToken}`)
    expect(mails[1]?.text).not.toContain(booking.token)
    expect(await testApp.invitationIn(mails[1])).toMatchObject({ method: 'REQUEST', sequence: 0 })
    expect(await testApp.mailsTo(testApp.host.address)).toHaveLength(1)
  })

  it('are queued once per version of a booking', async () => {
    const booking = await testApp.bookOne()
    await testApp.database.db.transaction().execute(async (trx) => {
      const row = await findBooking(trx, booking.id)
      if (!row) throw new Error('the booking is not there')
      const facts = await withHosts(trx, row)
      await queueEffects(trx, api(), {
        ...facts,
        event: 'confirmed',
        actor: { by: 'visitor', actorId: null },
      })
    })
    expect(await testApp.mailsTo('vera@example.org')).toHaveLength(1)
  })

  it('hold no token in the queue', async () => {
    const booking = await testApp.bookOne()
    const rows = await testApp.database.db.selectFrom('outbox').selectAll().execute()
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain(booking.token)
  })

  it('go out without the link once its key is gone', async () => {
    const booking = await testApp.bookOne()
    await testApp.database.db
      .updateTable('bookings')
      .set({ manage_sealed: Buffer.alloc(60, 1) })
      .where('id', '=', booking.id)
      .execute()
    const [mail] = await testApp.mailsTo('vera@example.org')
    expect(mail?.text).toContain('is confirmed')
    expect(mail?.text).not.toContain('Move or cancel')
    expect(mail?.html).not.toContain('href=""')
  })

  it('tell a host of an own entry in the same time, once', async () => {
    const booking = await testApp.bookOne()
    const conflict = () =>
      testApp.database.db
        .transaction()
        .execute((trx) =>
          reportConflict(trx, api(), { bookingId: booking.id, hostId: testApp.host.id }),
        )
    await conflict()
    await conflict()
    expect(
      (await testApp.mailsTo(testApp.host.address)).map(({ subject }) => subject.split(':')[0]),
    ).toEqual(['Booked', 'Overlapping entries'])
  })
})

describe('while the mail server is away', () => {
  it('a booking is kept, and its mail follows under the same Message-ID', async () => {
    testApp.sandbox.fault({ system: 'smtp', mode: 'reset', after: true, times: 2 })
    await testApp.bookOne()
    expect(await testApp.mailsTo('vera@example.org')).toHaveLength(1)
    testApp.later(1)
    const mails = await testApp.mailsTo('vera@example.org')
    expect(mails.map(({ messageId }) => messageId)).toEqual([
      mails[0]?.messageId,
      mails[0]?.messageId,
    ])
  })

  it('a mail that was held up is dropped when a later one says how things stand', async () => {
    testApp.sandbox.fault({ system: 'smtp', mode: 'error', status: 451 })
    const booking = await testApp.bookOne()
    expect(await testApp.mailsTo('vera@example.org')).toEqual([])
    await testApp.move(booking, testApp.at(12))
    testApp.sandbox.clearFaults()
    testApp.later(1)
    expect(
      (await testApp.mailsTo('vera@example.org')).map(({ subject }) => subject.split(':')[0]),
    ).toEqual(['Moved'])
    expect(
      (await testApp.mailsTo(testApp.host.address)).map(({ subject }) => subject.split(':')[0]),
    ).toEqual(['Moved'])
    const left = await testApp.database.db.selectFrom('outbox').select('state').execute()
    expect(left.map(({ state }) => state)).toEqual(['sent', 'sent'])
  })
})

describe('a reminder', () => {
  const reminders = async (address = 'vera@example.org') => {
    await Promise.all([sendReminders(api()), sendReminders(api())])
    return (await testApp.mailsTo(address)).filter(({ subject }) =>
      subject.startsWith('Reminder: '),
    )
  }

  it('comes once, at its time, with the link', async () => {
    const booking = await testApp.bookOne()
    testApp.later(9 * 60 - 1)
    expect(await reminders()).toEqual([])
    testApp.later(1)
    const [mail, ...rest] = await reminders()
    expect(rest).toEqual([])
    expect(mail?.text).toContain(`/manage/${booking.token}`)
    expect(mail?.attachments).toEqual([])
    testApp.later(5)
    expect(await reminders()).toHaveLength(1)
  })

  it('comes for the new time after a move, and no longer for the old one', async () => {
    const booking = await testApp.bookOne()
    await testApp.move(booking, testApp.at(15))
    testApp.later(9 * 60)
    expect(await reminders()).toEqual([])
    testApp.later(5 * 60)
    expect(await reminders()).toHaveLength(1)
    await testApp.act(await testApp.admin(), 'POST', `/${booking.id}/reschedule`, {
      start: testApp.at(18).toISOString(),
    })
    testApp.later(3 * 60)
    expect(await reminders()).toHaveLength(2)
  })

  it('does not come for a request, a cancelled booking, or a meeting that has begun', async () => {
    await testApp.bookOne({ status: 'pending' })
    await testApp.cancel(await testApp.bookOne({ start: testApp.at(12), email: 'ida@example.org' }))
    await testApp.bookOne({ start: testApp.at(14), email: 'late@example.org' })
    testApp.later(14 * 60)
    for (const address of ['vera@example.org', 'ida@example.org', 'late@example.org'])
      expect(await reminders(address)).toEqual([])
    const left = await testApp.database.db
      .selectFrom('booking_reminders')
      .selectAll()
      .where('sent_at', 'is', null)
      .execute()
    expect(left).toEqual([])
  })

  it('of a tenant that was deleted is taken off, not sent', async () => {
    const booking = await testApp.bookOne()
    const { db } = testApp.database
    const become = (status: 'deleted' | 'active') =>
      db
        .updateTable('tenants')
        .set({ status, deleted_at: status === 'deleted' ? new Date() : null })
        .where('slug', '=', tenant)
        .execute()
    await become('deleted')
    testApp.later(9 * 60)
    const sent = await reminders().finally(() => become('active'))
    expect(sent).toEqual([])
    const due = await db
      .selectFrom('booking_reminders')
      .select('sent_at')
      .where('booking_id', '=', booking.id)
      .execute()
    expect(due.map(({ sent_at }) => sent_at === null)).toEqual([false])
  })

  it('that was held up is not sent after the booking was cancelled', async () => {
    const booking = await testApp.bookOne()
    await testApp.mailsTo('vera@example.org')
    testApp.later(9 * 60)
    testApp.sandbox.fault({ system: 'smtp', mode: 'error', status: 451 })
    expect(await reminders()).toEqual([])
    await testApp.cancel(booking)
    testApp.sandbox.clearFaults()
    testApp.later(5)
    expect(await reminders()).toEqual([])
    expect(
      (await testApp.mailsTo('vera@example.org')).map(({ subject }) => subject.split(':')[0]),
    ).toEqual(['Confirmed', 'Cancelled'])
  })
})
