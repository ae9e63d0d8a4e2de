import { fc, test } from '@fast-check/vitest'
import ICAL from 'ical.js'
import { describe, expect, it } from 'vitest'
import { type CalendarObject, calendarObject } from '../src/scheduling/calendars/calendar-object.ts'

const base: CalendarObject = {
  method: 'REQUEST',
  uid: '0198f1c2-7f5e-7cc3-98c4-dc0c0c07398f@acme.test',
  sequence: 0,
  stamp: Date.UTC(2027, 5, 1, 10, 0, 0, 123),
  start: Date.UTC(2027, 5, 4, 12, 0),
  end: Date.UTC(2027, 5, 4, 12, 30),
  summary: 'Introduction call',
  description: 'Topic: mail',
  location: 'https://meet.acme.test/intro',
  organizer: { name: 'Anna Owner', address: 'anna@acme.test' },
  attendees: [
    { name: 'Anna Owner', address: 'anna@acme.test', chair: true },
    { name: 'Vera Visitor', address: 'vera@example.org' },
    { name: '', address: 'guest@example.org' },
  ],
}

function parse(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const events = calendar.getAllSubcomponents('vevent')
  const [event] = events
  if (!event || events.length !== 1) throw new Error('not one event')
  return { calendar, event }
}

const octets = (line: string) => new TextEncoder().encode(line).length

/** What holds for every object, whatever stands in it. */
function expectWellFormed(text: string) {
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true)
  const lines = text.split('\r\n')
  expect(lines.pop()).toBe('')
  for (const line of lines) {
    expect(octets(line)).toBeLessThanOrEqual(75)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no control may be left
    expect(line).not.toMatch(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/)
    expect(line.isWellFormed()).toBe(true)
  }
}

describe('an invitation', () => {
  it('is read by another parser as it was meant', () => {
    const text = calendarObject(base)
    expectWellFormed(text)
    const { calendar, event } = parse(text)
    const value = (name: string) => String(event.getFirstPropertyValue(name))
    expect(calendar.getFirstPropertyValue('version')).toBe('2.0')
    expect(calendar.getFirstPropertyValue('method')).toBe('REQUEST')
    expect(value('uid')).toBe(base.uid)
    expect(event.getFirstPropertyValue('sequence')).toBe(0)
    expect(value('dtstamp')).toBe('2027-06-01T10:00:00Z')
    expect(value('dtstart')).toBe('2027-06-04T12:00:00Z')
    expect(value('dtend')).toBe('2027-06-04T12:30:00Z')
    expect([value('summary'), value('description'), value('location')]).toEqual([
      base.summary,
      base.description,
      base.location,
    ])
    expect([value('status'), value('class'), value('transp')]).toEqual([
      'CONFIRMED',
      'PUBLIC',
      'OPAQUE',
    ])
    expect(event.getFirstProperty('organizer')?.getFirstParameter('cn')).toBe('Anna Owner')
    expect(value('organizer')).toBe('mailto:anna@acme.test')
    const attendees = event.getAllProperties('attendee').map((attendee) => ({
      address: attendee.getFirstValue(),
      name: attendee.getFirstParameter('cn'),
      state: attendee.getFirstParameter('partstat'),
      role: attendee.getFirstParameter('role'),
      rsvp: attendee.getFirstParameter('rsvp'),
    }))
    expect(attendees).toEqual([
      {
        address: 'mailto:anna@acme.test',
        name: 'Anna Owner',
        state: 'ACCEPTED',
        role: 'CHAIR',
        rsvp: undefined,
      },
      {
        address: 'mailto:vera@example.org',
        name: 'Vera Visitor',
        state: 'NEEDS-ACTION',
        role: 'REQ-PARTICIPANT',
        rsvp: 'TRUE',
      },
      {
        address: 'mailto:guest@example.org',
        name: undefined,
        state: 'NEEDS-ACTION',
        role: 'REQ-PARTICIPANT',
        rsvp: 'TRUE',
      },
    ])
    expect(event.getAllSubcomponents('valarm')).toEqual([])
  })

  it('that is taken back names the same meeting, the status, and its people', () => {
    const { calendar, event } = parse(calendarObject({ ...base, method: 'CANCEL', sequence: 2 }))
    expect(calendar.getFirstPropertyValue('method')).toBe('CANCEL')
    expect(event.getFirstPropertyValue('status')).toBe('CANCELLED')
    expect(event.getFirstPropertyValue('sequence')).toBe(2)
    expect(event.getFirstPropertyValue('uid')).toBe(base.uid)
    expect(String(event.getFirstPropertyValue('organizer'))).toBe('mailto:anna@acme.test')
    expect(event.getAllProperties('attendee')).toHaveLength(3)
  })

  it('that is only to be kept has an organizer and no attendees', () => {
    const { event } = parse(calendarObject({ ...base, method: 'PUBLISH' }))
    expect(event.getAllProperties('attendee')).toEqual([])
    expect(event.getAllProperties('organizer')).toHaveLength(1)
  })

  it('names who sends for the organizer, unless it is the organizer', () => {
    const sent = (sentBy: string) =>
      parse(calendarObject({ ...base, sentBy }))
        .event.getFirstProperty('organizer')
        ?.getFirstParameter('sent-by')
    expect(sent('no-reply@atrium.test')).toBe('mailto:no-reply@atrium.test')
    expect(sent('anna@acme.test')).toBeUndefined()
  })

  it('asks for no refresh and quotes no keyword', () => {
    const text = calendarObject(base).replaceAll('\r\n ', '')
    expect(
      parse(text)
        .calendar.getAllProperties()
        .map(({ name }) => name),
    ).toEqual(['version', 'calscale', 'prodid', 'method'])
    expect(text).toContain(
      ';CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;CN="Vera Visitor":mailto:',
    )
  })

  it('has no empty description and no empty place', () => {
    const { event } = parse(calendarObject({ ...base, description: '', location: '' }))
    expect([event.hasProperty('description'), event.hasProperty('location')]).toEqual([
      false,
      false,
    ])
  })
})

describe('addresses', () => {
  it.each([
    ['vera@bücher.example', 'mailto:vera@xn--bcher-kva.example'],
    ['vera@例え.テスト', 'mailto:vera@xn--r8jz45g.xn--zckzah'],
    ["o'brien+tag@example.org", "mailto:o'brien+tag@example.org"],
    ['vera(home)@example.org', 'mailto:vera%28home%29@example.org'],
    ['a&b=c?d/e#f%g@example.org', 'mailto:a%26b%3Dc%3Fd%2Fe%23f%25g@example.org'],
    [
      'vera"x;y:z\r\nATTENDEE:mailto:eve@evil.test',
      'mailto:vera%22x%3By%3Az%40ATTENDEE%3Amailto%3Aeve@evil.test',
    ],
  ])('%s becomes %s', (address, expected) => {
    const [organizer, ...rest] = parse(
      calendarObject({ ...base, organizer: { name: '', address }, attendees: [] }),
    )
      .event.getAllProperties()
      .filter(({ name }) => name === 'organizer' || name === 'attendee')
    expect(rest).toEqual([])
    const text = String(organizer?.getFirstValue())
    if (address.includes('\r\n')) expect(text).toMatch(/^mailto:[^\s"]+@evil\.test$/)
    else expect(text).toBe(expected)
  })

  it.each(['anna', 'anna@', 'anna@a b..c', 'anna@[', '@acme.test'])('%s is rejected', (address) => {
    const organizer = { name: 'Anna', address }
    expect(() => calendarObject({ ...base, organizer })).toThrow(RangeError)
    const attendees = [{ name: 'Anna', address }]
    expect(() => calendarObject({ ...base, attendees })).toThrow(RangeError)
  })
})

describe('names and texts', () => {
  it.each([
    ['a double quote', 'Vera "V" Visitor', 'Vera "V" Visitor'],
    ['a caret', 'Vera ^ Visitor ^^ x^n', 'Vera ^ Visitor ^^ x^n'],
    ['what ends a parameter', 'Visitor; Vera: a, b', 'Visitor; Vera: a, b'],
    ['a line end', 'Vera\r\nATTENDEE:mailto:eve@evil.test', 'Vera ATTENDEE:mailto:eve@evil.test'],
    ['a line separator', 'Vera\u2028Visitor\u0085x', 'Vera Visitor x'],
    ['controls', 'Ve\u0000ra\u0007 \u001bVisitor\u007f', 'Vera Visitor'],
    ['half of a surrogate pair', 'Vera \ud83d', 'Vera \ufffd'],
    ['an address', 'Vera:MAILTO:eve@evil.test', 'Vera:MAILTO:eve@evil.test'],
    ['a keyword alone', 'CHAIR', 'CHAIR'],
  ])('a name with %s stays one name', (_, name, expected) => {
    const person = { name, address: 'anna@acme.test' }
    const text = calendarObject({ ...base, organizer: person, attendees: [person] })
    expectWellFormed(text)
    for (const property of ['organizer', 'attendee']) {
      const found = parse(text).event.getFirstProperty(property)
      expect(found?.getFirstParameter('cn')).toBe(expected)
      expect(found?.getFirstValue()).toBe('mailto:anna@acme.test')
    }
  })

  it('writes a very long description', () => {
    // Minutes of work for anything that takes quadratic time.
    const description = 'Größe, '.repeat(50_000)
    const text = calendarObject({ ...base, description })
    expect(parse(text).event.getFirstPropertyValue('description')).toBe(description)
  })

  it('keeps backslashes, semicolons, commas, colons, quotes and line ends of a text', () => {
    const description = 'a\\b; c, d: "e"\nnext\\n line\r\nthird\rfourth'
    const { event } = parse(calendarObject({ ...base, description }))
    expect(event.getFirstPropertyValue('description')).toBe(
      'a\\b; c, d: "e"\nnext\\n line\nthird\nfourth',
    )
  })

  it.each([
    ['ü', 100],
    ['👋', 60],
    ['👨‍👩‍👧‍👦', 30],
    ['e\u0301\u0323\u0327', 80],
    ['x', 500],
  ])('folds a long run of %s by octets', (piece, times) => {
    const summary = piece.repeat(times)
    const text = calendarObject({ ...base, summary })
    expectWellFormed(text)
    expect(parse(text).event.getFirstPropertyValue('summary')).toBe(summary)
  })
})

describe('times', () => {
  it('are in UTC whatever the zone of the process is', () => {
    const before = process.env.TZ
    try {
      process.env.TZ = 'Australia/Lord_Howe'
      expect(calendarObject(base)).toContain('\r\nDTSTART:20270604T120000Z\r\n')
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  it.each([
    ['an end before the start', { end: base.start - 1 }],
    ['no length', { end: base.start }],
    ['a start that is none', { start: Number.NaN }],
    ['an end that is none', { end: Number.POSITIVE_INFINITY }],
    ['an end beyond all dates', { end: Number.MAX_SAFE_INTEGER }],
    ['a negative sequence', { sequence: -1 }],
    ['half a sequence', { sequence: 0.5 }],
  ])('refuses %s', (_, change) => {
    expect(() => calendarObject({ ...base, ...change })).toThrow(RangeError)
  })
})

const anything = fc.string({ unit: 'binary', maxLength: 200 })
/**
 * What a text says once line ends are one, controls are gone and broken surrogates are replaced.
 */
const plain = (text: string) =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it drops the controls
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')

test.prop([anything, anything, anything, anything])(
  'whatever people write, it stays theirs',
  (summary, description, location, name) => {
    const text = calendarObject({
      ...base,
      summary,
      description,
      location,
      organizer: { name, address: 'anna@acme.test' },
      attendees: [{ name, address: 'vera@example.org' }],
    })
    expectWellFormed(text.replaceAll('\t', ' '))
    const { event } = parse(text)
    expect(event.getFirstPropertyValue('summary')).toBe(plain(summary))
    expect(event.getFirstPropertyValue('description') ?? '').toBe(plain(description))
    expect(event.getFirstPropertyValue('location') ?? '').toBe(plain(location))
    const line = plain(name).replace(/\s+/g, ' ').trim()
    for (const property of ['organizer', 'attendee']) {
      expect(event.getAllProperties(property)).toHaveLength(1)
      expect(event.getFirstProperty(property)?.getFirstParameter('cn') ?? '').toBe(line)
    }
  },
)
