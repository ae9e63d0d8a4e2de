import { describe, expect, it } from 'vitest'
import { formatTimes } from '../../src/scheduling/format-times.ts'

const at = (text: string) => Date.parse(text)
const meeting = { start: at('2027-06-04T12:00:00Z'), end: at('2027-06-04T12:30:00Z') }

describe('the times of a meeting', () => {
  it.each([
    [
      'en-GB',
      'Europe/Berlin',
      {
        date: 'Friday, 4 June 2027',
        startTime: '14:00',
        endTime: '14:30',
        timeZone: 'Europe/Berlin',
      },
    ],
    [
      'en-US',
      'America/New_York',
      {
        date: 'Friday, June 4, 2027',
        startTime: '8:00 AM',
        endTime: '8:30 AM',
        timeZone: 'America/New York',
      },
    ],
    [
      'de',
      'Asia/Tokyo',
      {
        date: 'Freitag, 4. Juni 2027',
        startTime: '21:00',
        endTime: '21:30',
        timeZone: 'Asia/Tokyo',
      },
    ],
  ])('are written in %s for %s', (locale, zone, expected) => {
    const written = formatTimes({ ...meeting, zone, locale })
    // Between number and AM stands a space that does not break.
    expect({
      ...written,
      startTime: plain(written.startTime),
      endTime: plain(written.endTime),
    }).toEqual(expected)
  })

  it('name the day of the end where it is another one', () => {
    const night = { start: at('2027-06-04T21:30:00Z'), end: at('2027-06-04T22:30:00Z') }
    expect(formatTimes({ ...night, zone: 'Europe/Berlin', locale: 'en-GB' })).toMatchObject({
      date: 'Friday, 4 June 2027',
      startTime: '23:30',
      endTime: 'Saturday, 5 June 2027, 00:30',
    })
    expect(formatTimes({ ...night, zone: 'UTC', locale: 'en-GB' })).toMatchObject({
      startTime: '21:30',
      endTime: '22:30',
    })
  })

  it('follow the clocks of the zone over a change', () => {
    const change = { start: at('2027-03-28T00:30:00Z'), end: at('2027-03-28T01:30:00Z') }
    expect(formatTimes({ ...change, zone: 'Europe/Paris', locale: 'en-GB' })).toMatchObject({
      startTime: '01:30',
      endTime: '03:30',
    })
  })

  it('tell their difference from UTC in an hour that comes twice', () => {
    const first = { start: at('2027-10-31T00:30:00Z'), end: at('2027-10-31T01:30:00Z') }
    const written = formatTimes({ ...first, zone: 'Europe/Paris', locale: 'en-US' })
    expect([written.startTime, written.endTime].map(plain)).toEqual([
      '2:30 AM (GMT+2)',
      '2:30 AM (GMT+1)',
    ])
    const after = { start: at('2027-10-31T02:30:00Z'), end: at('2027-10-31T03:30:00Z') }
    expect(plain(formatTimes({ ...after, zone: 'Europe/Paris', locale: 'en-US' }).startTime)).toBe(
      '3:30 AM',
    )
  })

  it('name the zone as it is called now', () => {
    expect(formatTimes({ ...meeting, zone: 'Europe/Kiev', locale: 'en' }).timeZone).toBe(
      'Europe/Kyiv',
    )
  })

  it.each(['th-TH', 'fa-IR-u-nu-latn', 'ar-SA-u-nu-latn', 'de-u-ca-islamic'])(
    'count in the calendar of the booking pages for %s',
    (locale) => {
      const { date } = formatTimes({ ...meeting, zone: 'UTC', locale })
      expect(date).toContain('2027')
      expect(date).toMatch(/\b4\b|4\./)
    },
  )

  it.each(['', 'no such language', 'xx', '!'])('are in English for the language %j', (locale) => {
    expect(formatTimes({ ...meeting, zone: 'UTC', locale }).date).toBe('Friday, 4 June 2027')
  })

  it('are rejected for a zone that is none', () => {
    expect(() => formatTimes({ ...meeting, zone: 'Europe/Atlantis', locale: 'en' })).toThrow(
      RangeError,
    )
  })
})

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')
