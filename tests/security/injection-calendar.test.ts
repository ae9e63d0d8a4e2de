import { calendarObject } from '@atrium/api/scheduling/calendars/calendar-object'
import { type EffectsTestApp, startEffectsTestApp } from '@atrium/testing/effects-test-app'
import { type CaughtMail, calendarFileOf } from '@atrium/testing/mails'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { proveDomain } from '@atrium/testing/test-app'
import ICAL from 'ical.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyText, lineText, longText, sample } from './hostile-texts.ts'

let testApp: EffectsTestApp
beforeAll(async () => {
  testApp = await startEffectsTestApp()
  // Without one a day's mails to visitors end after 150 bookings.
  await proveDomain(testApp, 'acme', 'acme-mails.test')
})
afterAll(() => testApp[Symbol.asyncDispose]())

function read(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const [event, ...others] = calendar.getAllSubcomponents('vevent')
  if (!event || others.length > 0) throw new Error(`${others.length + 1} events`)
  const names = (component: ICAL.Component) => component.getAllProperties().map(({ name }) => name)
  return {
    event,
    names: names(calendar),
    eventNames: names(event),
    components: [calendar, event].flatMap((one) => one.getAllSubcomponents()).length,
  }
}

/** How a validated name appears in one line of a calendar. */
const oneLine = (name: string) => name.replace(/\s+/g, ' ').trim()

it('keeps any text where it belongs in a calendar object', async () => {
  const count = rounds(400, 10_000)
  const texts = sample(anyText, count * 4)
  const faults: string[] = []
  for (let n = 0; n < count; n++) {
    const [summary = '', description = '', location = '', name = ''] = texts.slice(n * 4)
    const address = `somebody+${encodeURIComponent(name.toWellFormed()).slice(0, 40).replaceAll('%', '=')}@example.org`
    const attendees = [{ name, address }]
    const person = { name: summary, address: 'anna@acme.test' }
    const times = { start: Date.UTC(2027, 5, 4, 12), end: Date.UTC(2027, 5, 4, 13), stamp: 0 }
    const text = calendarObject({
      method: 'REQUEST',
      uid: `${n}@acme.test`,
      sequence: 0,
      ...times,
      summary,
      description,
      location,
      organizer: person,
      attendees,
    })
    try {
      const { event, names, eventNames, components } = read(text)
      const expected = [
        'uid',
        'summary',
        'dtstamp',
        'dtstart',
        'dtend',
        'sequence',
        'description',
        'location',
        'status',
        'organizer',
        'transp',
        'class',
        'attendee',
      ]
      expect(names).toEqual(['version', 'calscale', 'prodid', 'method'])
      expect(eventNames).toEqual(
        expected.filter(
          (one) =>
            kept(one === 'description' ? description : one === 'location' ? location : '-') !== '',
        ),
      )
      expect(components).toBe(1)
      expect(event.getFirstProperty('attendee')?.jCal[1]).toEqual({
        ...cn(name),
        cutype: 'INDIVIDUAL',
        role: 'REQ-PARTICIPANT',
        partstat: 'NEEDS-ACTION',
        rsvp: 'TRUE',
      })
      expect(String(event.getFirstPropertyValue('summary'))).toBe(kept(summary))
    } catch (error) {
      faults.push(
        `${JSON.stringify([summary, description, location, name])}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  await recordMeasurement({
    target: 'S8',
    what: 'calendar objects made of any text, read back with ical.js',
    measured: `${count * 4} values in ${count} objects, ${faults.length} with other properties or values`,
    reached: faults.length === 0,
  })
  expect(faults.slice(0, 3)).toEqual([])
})

/**
 * What a calendar can hold of a text: one kind of line end, no other controls, no half characters.
 */
function kept(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no calendar holds these
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')
  )
}
/**
 * The reader undoes in a parameter what RFC 5545 escapes in values alone, so that a name with a
 * backslash reads differently there.
 */
const cn = (name: string) => (oneLine(kept(name)) === '' ? {} : { cn: readName(kept(name)) })
const readName = (name: string) =>
  oneLine(name).replace(/\\([nN\\;,])/g, (_, character: string) =>
    /n/i.test(character) ? '\n' : character,
  )

const once = [
  'From',
  'To',
  'Subject',
  'Reply-To',
  'Message-ID',
  'Date',
  'MIME-Version',
  'Content-Type',
]

/** What is wrong with a booking's mail to one reader; empty when nothing is. */
async function mailFaults(
  mail: CaughtMail | undefined,
  address: string,
  attendees: number,
  facts: { name: string },
) {
  if (!mail) return [`no mail to ${address}`]
  const faults: string[] = []
  if (mail.envelope.to.join() !== address || mail.to.map((to) => to.address).join() !== address)
    faults.push(`recipients ${mail.envelope.to.join()}`)
  for (const header of once) {
    const found = mail.headers.filter(
      ({ name }) => name.toLowerCase() === header.toLowerCase(),
    ).length
    if (found !== 1) faults.push(`${found} times ${header}`)
  }
  if (mail.headers.some(({ name }) => /^(bcc|cc|set-cookie|x-)/i.test(name)))
    faults.push('a header of somebody else')
  if (mail.attachments.length !== 2) faults.push(`${mail.attachments.length} attachments`)
  const { event, eventNames } = read((await calendarFileOf(testApp, mail)) ?? '')
  if (eventNames.filter((name) => name === 'attendee').length !== attendees)
    faults.push('another number of attendees')
  const names = event
    .getAllProperties('attendee')
    .map((attendee) => attendee.getFirstParameter('cn') ?? '')
  if (!names.includes(readName(facts.name)))
    faults.push(`names ${JSON.stringify(names)} instead of ${JSON.stringify(facts.name)}`)
  const description = String(event.getFirstPropertyValue('description'))
  // A visitor enters the address of the mail, so it contains none of the visitor's note and
  // answers.
  if (!/^Move or cancel: http:\/\/booking\.test\/\S+$/.test(description))
    faults.push(`described ${JSON.stringify(description)}`)
  return faults
}

it('carries what a visitor wrote through API, mails, calendar file and calendar server', async () => {
  const count = rounds(12, 700)
  const wrong: string[] = []
  const tally = { values: 0, refused: 0, booked: 0 }
  const names = sample(lineText, count, 1)
  const notes = sample(longText, count, 2)
  const answers = sample(lineText, count, 3)
  let eventTypeId = ''
  for (let n = 0; n < count; n++) {
    if (n % 350 === 0) {
      await testApp.startAnew()
      const fields = [{ key: 'topic', label: 'Topic', kind: 'text', required: false }]
      eventTypeId = await testApp.newEventType(testApp.host, {
        title: 'Talk',
        durations: [30],
        fields: JSON.stringify(fields),
      })
    }
    const [name = '', note = '', topic = ''] = [names[n], notes[n], answers[n]]
    const address = `visitor-${n}@example.org`
    const made = await testApp.request('POST', '/api/v1/bookings', {
      headers: {
        'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
        'x-forwarded-for': `2001:db8:${(n + 1).toString(16)}::1`,
        'idempotency-key': crypto.randomUUID(),
      },
      body: {
        eventTypeId,
        start: testApp.at(10 + (n % 350)).toISOString(),
        note,
        answers: { topic },
        attendee: { name, email: address, timeZone: 'UTC', locale: 'en' },
      },
    })
    tally.values += 3
    if (made.status === 400) {
      tally.refused += 1
      continue
    }
    expect(made.status, JSON.stringify([made.body, name, note])).toBe(201)
    tally.booked += 1
    const { booking, manageToken } = made.body
    const report = (fault: string) => wrong.push(`${JSON.stringify([name, note, topic])}: ${fault}`)
    const view = (await testApp.visit('GET', '', manageToken)).body.booking
    const sent = { name: name.normalize('NFC').trim(), note, topic: topic.normalize('NFC').trim() }
    if (view.attendee.name !== sent.name) report(`name ${JSON.stringify(view.attendee.name)}`)
    if (view.note.trim() !== sent.note.normalize('NFC').trim() && view.note !== sent.note)
      report(`note ${JSON.stringify(view.note)}`)
    if (view.answers[0]?.value.trim() !== sent.topic)
      report(`answer ${JSON.stringify(view.answers)}`)
    const [mail] = await testApp.mailsTo(address)
    for (const fault of await mailFaults(mail, address, 2, { name: view.attendee.name }))
      report(fault)
    const events = testApp
      .eventsOf(testApp.host)
      .filter((event) => JSON.stringify(event).includes(address))
    if (events.length !== 1) report(`${events.length} events in the calendar`)
    const [event] = events as {
      title?: string
      participants?: Record<string, { calendarAddress?: string }>
    }[]
    if (event?.title?.trim() !== `${booking.title}: ${view.attendee.name}`.trim())
      report(`title ${JSON.stringify(event?.title)}`)
    for (const text of [`Topic: ${view.answers[0]?.value}`, view.note]) {
      if (!JSON.stringify(event).includes(JSON.stringify(text).slice(1, -1)))
        report(`the host does not read ${JSON.stringify(text)}`)
    }
    testApp.sandbox.smtp.reset()
  }
  await recordMeasurement({
    target: 'S8',
    what: 'names, answers and notes of bookings, through API, mail, .ics and JMAP',
    measured: `${tally.values} values, ${tally.booked} bookings, ${tally.refused} refused, ${wrong.length} read back otherwise`,
    reached: wrong.length === 0 && tally.booked > count / 2,
  })
  expect(wrong.slice(0, 5)).toEqual([])
  expect(tally.booked).toBeGreaterThan(count / 2)
})
