import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Calendars } from '../src/calendars/port.ts'
import { eventTime, participantKey } from '../src/calendars/stalwart-event.ts'
import {
  booking,
  type CalendarTestServer,
  day,
  type Host,
  hostPassword,
  hour,
  monday,
  startCalendarTestServer,
} from './calendars-sandbox.ts'
import { againstStalwart } from './mail-server.ts'

let testServer: CalendarTestServer
let calendars: Calendars
let anna: Host

beforeAll(async () => {
  testServer = await startCalendarTestServer()
})
afterAll(() => testServer.close(), 60_000)
beforeEach(async () => {
  await testServer.reset()
  calendars = testServer.calendars()
  anna = await testServer.host('anna')
}, 60_000)

const { at, timed } = {
  at: (instant: number) => new Date(instant).toISOString(),
  timed: (start: string, duration: string, more = {}) => ({
    title: 'Something',
    start,
    duration,
    timeZone: 'Europe/Berlin',
    ...more,
  }),
}
const busy = async (from = monday, to = monday + 7 * day, host = anna) =>
  (await calendars.busyPeriods({ ...host, from, to }))
    .sort((one, other) => one.start - other.start)
    .map(({ start, end }) => `${at(start).slice(0, 16)} ${at(end).slice(0, 16)}`)
const stored = () => testServer.events(anna)

describe('the calendar of a host', () => {
  it('is the default one, made by the first look at it', async () => {
    expect(anna.calendar).toEqual({ accountId: anna.accountId, calendarId: 'b', timeZone: null })
    expect(await calendars.open(anna.credential)).toEqual({
      ...anna.calendar,
      timeZone: 'Europe/Berlin',
    })
  })

  it('opens with the password of the mailbox too', async () => {
    expect(await calendars.open({ username: anna.address, secret: hostPassword })).toMatchObject({
      accountId: anna.accountId,
    })
  })

  it.each([
    ['a wrong secret', { secret: 'app_wrong' }],
    ['the secret of somebody else', { username: 'ben@acme.test' }],
    ['a name with a master behind it', { username: 'anna@acme.test%platform@atrium.test' }],
    ['a name that a colon ends', { username: 'anna@acme.test:x' }],
    ['no name', { username: '' }],
  ])('does not open with %s', async (_, change) => {
    await testServer.host('ben')
    const rejected = calendars.open({ ...anna.credential, ...change })
    await expect(rejected).rejects.toMatchObject({
      system: 'mail',
      call: 'openCalendar',
      kind: 'unauthorized',
    })
  })

  it('does not open with an app password that was revoked, nor while the mailbox is frozen', async () => {
    const mail = testServer.client()
    await mail.freezeAccount(anna.accountId)
    await expect(calendars.open(anna.credential)).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 403,
    })
    await mail.thawAccount({ id: anna.accountId })
    const { list } = await testServer.call('x:AppPassword/get', { accountId: anna.accountId })
    for (const { id } of list) await mail.removeAppPassword({ accountId: anna.accountId, id })
    await expect(calendars.open(anna.credential)).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 401,
    })
  })

  it('rejects a zone that it cannot have and a calendar that is gone', async () => {
    const { credential, calendar } = anna
    await expect(
      calendars.setTimeZone({ credential, calendar, timeZone: 'Mars/Olympus' }),
    ).rejects.toMatchObject({ kind: 'refused' })
    const gone = { ...calendar, calendarId: 'zz' }
    await expect(
      calendars.setTimeZone({ credential, calendar: gone, timeZone: 'UTC' }),
    ).rejects.toMatchObject({ kind: 'not_found' })
    await expect(
      calendars.putEvent({ ...anna, calendar: gone, event: booking(anna), eventId: null }),
    ).rejects.toMatchObject({
      kind: 'not_found',
    })
  })
})

describe('busy periods', () => {
  it('are what the owner has, each with the event behind it', async () => {
    const id = await testServer.add(anna, timed('2027-06-07T09:00:00', 'PT1H'))
    await testServer.add(anna, timed('2027-06-07T09:30:00', 'PT1H', { status: 'tentative' }))
    expect(await calendars.busyPeriods({ ...anna, from: monday, to: monday + day })).toContainEqual(
      {
        start: monday + 7 * hour,
        end: monday + 8 * hour,
        eventId: id,
      },
    )
    expect(await busy()).toEqual([
      '2027-06-07T07:00 2027-06-07T08:00',
      '2027-06-07T07:30 2027-06-07T08:30',
    ])
  })

  it('leave out what is free, cancelled or nothing long', async () => {
    await testServer.add(anna, timed('2027-06-07T09:00:00', 'PT1H', { freeBusyStatus: 'free' }))
    await testServer.add(anna, timed('2027-06-07T10:00:00', 'PT1H', { status: 'cancelled' }))
    await testServer.add(anna, timed('2027-06-07T11:00:00', 'PT0S'))
    expect(await busy()).toEqual([])
  })

  const invited = (participationStatus: string, address = 'anna@acme.test') => ({
    organizerCalendarAddress: 'mailto:boss@elsewhere.test',
    participants: {
      [participantKey(`mailto:${address}`)]: {
        '@type': 'Participant',
        calendarAddress: `mailto:${address}`,
        roles: { required: true },
        participationStatus,
      },
    },
  })

  it('leave out events that the owner declined, and no other invitation', async () => {
    await testServer.add(anna, timed('2027-06-07T09:00:00', 'PT1H', invited('declined')))
    await testServer.add(
      anna,
      timed('2027-06-07T09:00:00', 'PT1H', { ...invited('declined'), privacy: 'secret' }),
    )
    await testServer.add(anna, {
      title: 'Fair',
      start: '2027-06-09T00:00:00',
      duration: 'P1D',
      showWithoutTime: true,
      ...invited('declined'),
    })
    await testServer.add(anna, timed('2027-06-08T09:00:00', 'PT1H', invited('accepted')))
    await testServer.add(anna, timed('2027-06-08T11:00:00', 'PT1H', invited('needs-action')))
    await testServer.add(
      anna,
      timed('2027-06-08T13:00:00', 'PT1H', invited('declined', 'ben@acme.test')),
    )
    expect(await busy()).toEqual([
      '2027-06-08T07:00 2027-06-08T08:00',
      '2027-06-08T09:00 2027-06-08T10:00',
      '2027-06-08T11:00 2027-06-08T12:00',
    ])
  })

  it('leave out the declined occurrence of a series alone', async () => {
    await testServer.add(
      anna,
      timed('2027-06-07T09:00:00', 'PT1H', {
        ...invited('accepted'),
        recurrenceRule: { frequency: 'daily', count: 3 },
        recurrenceOverrides: {
          '2027-06-08T09:00:00': { participants: invited('declined').participants },
        },
      }),
    )
    expect(await busy()).toEqual([
      '2027-06-07T07:00 2027-06-07T08:00',
      '2027-06-09T07:00 2027-06-09T08:00',
    ])
  })

  it('know the owner by a further address', async () => {
    await testServer.add(
      anna,
      timed('2027-06-07T09:00:00', 'PT1H', invited('declined', 'a.berg@acme.test')),
    )
    const range = { from: monday, to: monday + day }
    expect(await calendars.busyPeriods({ ...anna, ...range })).toHaveLength(1)
    expect(
      await calendars.busyPeriods({ ...anna, ...range, addresses: ['A.Berg@acme.test'] }),
    ).toEqual([])
  })

  it('read all-day and floating events in the zone of the calendar', async () => {
    await testServer.add(anna, {
      title: 'Holiday',
      start: '2027-06-08T00:00:00',
      duration: 'P1D',
      showWithoutTime: true,
    })
    await testServer.add(anna, { title: 'Tea', start: '2027-06-07T16:00:00', duration: 'PT30M' })
    expect(await busy()).toEqual([
      '2027-06-07T14:00 2027-06-07T14:30',
      '2027-06-07T22:00 2027-06-08T22:00',
    ])
  })

  it('name the written event behind an occurrence of a series', async () => {
    const id = await testServer.add(
      anna,
      timed('2027-06-07T09:00:00', 'PT1H', { recurrenceRule: { frequency: 'daily', count: 3 } }),
    )
    const periods = await calendars.busyPeriods({ ...anna, from: monday, to: monday + 7 * day })
    expect(periods.map(({ eventId }) => eventId)).toEqual([id, id, id])
  })

  it('hold confidential events too, which the availability of the server leaves out', async () => {
    const id = await testServer.add(
      anna,
      timed('2027-06-07T09:00:00', 'PT1H', { privacy: 'secret' }),
    )
    await testServer.add(
      anna,
      timed('2027-06-08T09:00:00', 'PT1H', { privacy: 'secret', freeBusyStatus: 'free' }),
    )
    await testServer.add(
      anna,
      timed('2027-06-08T11:00:00', 'PT1H', { privacy: 'secret', status: 'cancelled' }),
    )
    await testServer.add(anna, {
      title: 'Clinic',
      start: '2027-06-09T00:00:00',
      duration: 'P1D',
      showWithoutTime: true,
      privacy: 'secret',
    })
    await testServer.add(
      anna,
      timed('2027-06-10T09:00:00', 'PT1H', {
        privacy: 'secret',
        recurrenceRule: { frequency: 'daily', count: 2 },
        recurrenceOverrides: { '2027-06-11T09:00:00': { start: '2027-06-11T15:00:00' } },
      }),
    )
    const periods = await calendars.busyPeriods({ ...anna, from: monday, to: monday + day })
    expect(periods).toEqual([{ start: monday + 7 * hour, end: monday + 8 * hour, eventId: id }])
    expect(await busy()).toEqual([
      '2027-06-07T07:00 2027-06-07T08:00',
      '2027-06-08T22:00 2027-06-09T22:00',
      '2027-06-10T07:00 2027-06-10T08:00',
      '2027-06-11T13:00 2027-06-11T21:59',
    ])
  })

  it('count confidential events of an attending calendar only where the owner takes part', async () => {
    await testServer.settings(anna, { includeInAvailability: 'attending' })
    const attended = (participationStatus: string, name = 'Anna') => ({
      privacy: 'secret',
      participants: {
        a: {
          '@type': 'Participant',
          calendarAddress: `mailto:${name}@acme.test`,
          participationStatus,
        },
      },
    })
    await testServer.add(anna, timed('2027-06-07T09:00:00', 'PT1H', { privacy: 'secret' }))
    await testServer.add(anna, timed('2027-06-08T09:00:00', 'PT1H', attended('declined')))
    await testServer.add(anna, timed('2027-06-09T09:00:00', 'PT1H', attended('accepted')))
    // The other address may be hers too.
    await testServer.add(anna, timed('2027-06-10T09:00:00', 'PT1H', attended('accepted', 'sales')))
    expect(await busy()).toEqual([
      '2027-06-09T07:00 2027-06-09T08:00',
      '2027-06-10T07:00 2027-06-10T08:00',
    ])
    await testServer.settings(anna, { includeInAvailability: 'none' })
    expect(await busy()).toEqual([])
  })

  it('find confidential events behind more than one page of others', async () => {
    const daily = (start: string, more = {}) =>
      timed(start, 'PT10M', { recurrenceRule: { frequency: 'daily', count: 60 }, ...more })
    for (let index = 0; index < 10; index += 1)
      await testServer.add(anna, daily(`2027-06-07T${String(index + 8).padStart(2, '0')}:00:00`))
    await testServer.add(anna, timed('2027-08-05T20:00:00', 'PT1H', { privacy: 'secret' }))
    const periods = await busy(monday, monday + 61 * day)
    expect(periods).toHaveLength(601)
    expect(periods).toContain('2027-08-05T18:00 2027-08-05T19:00')
  })

  it('come in parts when the server cannot expand the range at once', async () => {
    for (let index = 0; index < 11; index += 1)
      await testServer.add(
        anna,
        timed(`2027-06-07T${String(index + 8).padStart(2, '0')}:00:00`, 'PT10M', {
          recurrenceRule: { frequency: 'daily' },
        }),
      )
    const periods = await calendars.busyPeriods({ ...anna, from: monday, to: monday + 364 * day })
    expect(new Set(periods.map(({ start }) => start)).size).toBe(364 * 11)
  })

  it('reject a range that is empty or longer than the server takes', async () => {
    for (const to of [monday, monday - day, monday + 365 * day + 1, Number.NaN]) {
      await expect(calendars.busyPeriods({ ...anna, from: monday, to })).rejects.toMatchObject({
        kind: 'refused',
      })
    }
    expect(await busy(monday, monday + 365 * day)).toEqual([])
  })

  it('are never free time of a mailbox that the credential may not read', async () => {
    const ben = await testServer.host('ben')
    await testServer.add(ben, timed('2027-06-07T09:00:00', 'PT1H'))
    const asAnna = calendars.busyPeriods({
      credential: anna.credential,
      calendar: ben.calendar,
      from: monday,
      to: monday + day,
    })
    await expect(asAnna).rejects.toMatchObject({ kind: 'unauthorized' })
  })
})

describe('an event', () => {
  const put = (more = {}, eventId: string | null = null) =>
    calendars.putEvent({ ...anna, event: booking(anna, more), eventId })

  it('is in the calendar as given, with the server’s keys and organizer', async () => {
    const { eventId } = await put()
    expect(await stored()).toEqual([
      {
        '@type': 'Event',
        uid: 'bkg-1@atrium.test',
        title: 'Intro call: Paul Ito',
        description: 'Booked on the public page',
        start: '2027-06-07T10:00:00',
        timeZone: 'Europe/Berlin',
        duration: 'PT30M',
        showWithoutTime: false,
        status: 'confirmed',
        freeBusyStatus: 'busy',
        locations: { '1': { '@type': 'Location', name: 'Room 5' } },
        organizerCalendarAddress: 'mailto:anna@acme.test',
        participants: {
          [participantKey('anna@acme.test')]: expect.objectContaining({
            roles: { owner: true, chair: true },
            participationStatus: 'accepted',
          }),
          [participantKey('paul@elsewhere.test')]: expect.objectContaining({
            name: 'Paul Ito',
            roles: { required: true },
          }),
        },
        updated: expect.any(String),
      },
    ])
    expect(await calendars.busyPeriods({ ...anna, from: monday, to: monday + day })).toEqual([
      { start: monday + 8 * hour, end: monday + 8.5 * hour, eventId },
    ])
    expect(await calendars.readEvent({ ...anna, eventId })).toEqual({
      start: monday + 8 * hour,
      end: monday + 8.5 * hour,
    })
    if (!againstStalwart)
      expect(testServer.sandbox.state().mail.records).toMatchObject({
        calendars: { schedulingMessages: [] },
      })
  })

  it('has the keys that the server makes', () => {
    expect(participantKey('jdoe@example.com')).toBe('8584f8f9-5414-55e3-8a1c-ad6fc2f3ffb6')
  })

  it('moves, and is one event all the same', async () => {
    const { eventId } = await put()
    expect(
      await put({ start: monday + 33 * hour, end: monday + 34 * hour, location: null }, eventId),
    ).toEqual({ eventId })
    expect(await stored()).toMatchObject([{ start: '2027-06-08T11:00:00', duration: 'PT1H' }])
    expect((await stored())[0]).not.toHaveProperty('locations')
  })

  it.each([
    ['nothing is known but its uid', 0],
    ['it stood on another day', 40 * day],
  ])('is found again by its uid when %s', async (_, moved) => {
    const { eventId } = await put()
    const start = monday + 8 * hour + moved
    expect(await put({ start, end: start + hour })).toEqual({ eventId })
    expect(await stored()).toHaveLength(1)
  })

  it('is made again with the same uid when the host deleted it', async () => {
    const { eventId } = await put()
    await testServer.remove(anna, eventId)
    const again = await put({}, eventId)
    expect(again.eventId).not.toBe(eventId)
    expect(await stored()).toMatchObject([{ uid: 'bkg-1@atrium.test' }])
  })

  it('leaves another event alone whose id it was given', async () => {
    const other = await testServer.add(
      anna,
      timed('2027-06-07T15:00:00', 'PT1H', { title: 'Dentist', uid: 'dentist' }),
    )
    const { eventId } = await put({}, other)
    expect(eventId).not.toBe(other)
    expect((await stored()).map(({ title }) => title)).toEqual(['Intro call: Paul Ito', 'Dentist'])
    await calendars.removeEvent({
      ...anna,
      uid: 'bkg-1@atrium.test',
      start: monday + 8 * hour,
      eventId: other,
    })
    expect((await stored()).map(({ title }) => title)).toEqual(['Dentist'])
  })

  it('comes back when the host cancelled it, or made it last all day and every week', async () => {
    const { eventId } = await put()
    await testServer.change(anna, eventId, { status: 'cancelled' })
    expect(await calendars.readEvent({ ...anna, eventId })).toBeUndefined()
    const lasting = {
      start: '2027-06-07T00:00:00',
      timeZone: null,
      duration: 'P1D',
      showWithoutTime: true,
    }
    await testServer.change(anna, eventId, { ...lasting, recurrenceRule: { frequency: 'weekly' } })
    await put({}, eventId)
    expect(await calendars.readEvent({ ...anna, eventId })).toEqual({
      start: monday + 8 * hour,
      end: monday + 8.5 * hour,
    })
    expect(await busy(monday, monday + 30 * day)).toHaveLength(1)
  })

  it('tells where the host moved it, and that it is gone', async () => {
    const { eventId } = await put()
    await testServer.change(anna, eventId, { start: '2027-06-07T12:00:00' })
    expect(await calendars.readEvent({ ...anna, eventId })).toEqual({
      start: monday + 10 * hour,
      end: monday + 10.5 * hour,
    })
    await testServer.remove(anna, eventId)
    for (const id of [eventId, 'zz', '#x'])
      expect(await calendars.readEvent({ ...anna, eventId: id })).toBeUndefined()
  })

  it('goes, by its id or by its uid, and once more without harm', async () => {
    for (const known of [true, false]) {
      const { eventId } = await put()
      for (let round = 0; round < 2; round += 1)
        await calendars.removeEvent({
          ...anna,
          uid: 'bkg-1@atrium.test',
          start: monday + 8 * hour,
          eventId: known ? eventId : null,
        })
      expect(await stored()).toEqual([])
    }
  })

  it.each([
    // 31 October 2027: 02:00 to 03:00 comes twice.
    ['in the first of two hours of the same name', Date.UTC(2027, 9, 31, 0, 0)],
    ['in the second of them', Date.UTC(2027, 9, 31, 1, 15)],
    ['over the change back', Date.UTC(2027, 9, 31, 0, 45)],
    ['over the change forward', Date.UTC(2027, 2, 28, 0, 45)],
  ])('keeps its instants %s', async (_, start) => {
    const { eventId } = await put({ start, end: start + hour / 2 })
    expect(await calendars.readEvent({ ...anna, eventId })).toEqual({
      start,
      end: start + hour / 2,
    })
    expect(
      await calendars.busyPeriods({ ...anna, from: start - day, to: start + day }),
    ).toMatchObject([{ start, end: start + hour / 2 }])
  })

  it('is written in UTC where the wall time would be read otherwise', () => {
    const time = (start: number) =>
      eventTime({ start, end: start + hour / 2, timeZone: 'Europe/Berlin' })
    expect(time(Date.UTC(2027, 9, 31, 0, 0))).toEqual({
      start: '2027-10-31T00:00:00',
      timeZone: 'Etc/UTC',
      duration: 'PT30M',
    })
    expect(time(Date.UTC(2027, 9, 30, 22, 0))).toEqual({
      start: '2027-10-31T00:00:00',
      timeZone: 'Europe/Berlin',
      duration: 'PT30M',
    })
  })

  it('names the organizer once when the host books with the own address, and no more people than the server keeps', async () => {
    const guests = Array.from({ length: 30 }, (_, index) => ({
      address: `guest${index}@elsewhere.test`,
      name: `Guest ${index}`,
    }))
    await put({ participants: [{ address: 'Anna@acme.test', name: 'Anna' }, ...guests] })
    const participants = Object.values(
      ((await stored())[0]?.participants ?? {}) as Record<string, { calendarAddress: string }>,
    )
    expect(participants).toHaveLength(20)
    expect(
      participants.filter(({ calendarAddress }) => /anna/i.test(calendarAddress)),
    ).toHaveLength(1)
  })
})
