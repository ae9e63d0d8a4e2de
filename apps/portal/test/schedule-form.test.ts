import { clockOf, type Hours, type WeeklyHours, weekdays } from '@atrium/core/scheduling/schedules'
import { describe, expect, it } from 'vitest'
import { copyDay, furtherHours, weekAtAGlance, withDate } from '../src/scheduling/schedule-form.ts'
import {
  acrossMidnight,
  dateText,
  dayName,
  durationsText,
  todayIn,
} from '../src/scheduling/time-text.ts'

const work: Hours = { start: '09:00', end: '17:00' }
const week = (days: Partial<WeeklyHours>): WeeklyHours => ({
  mon: [],
  tue: [],
  wed: [],
  thu: [],
  fri: [],
  sat: [],
  sun: [],
  ...days,
})

describe('the week', () => {
  it('shows a night on both of its days, also from Sunday to Monday', () => {
    const days = weekAtAGlance(
      week({ fri: [{ start: '21:00', end: '02:00' }], sun: [{ start: '22:00', end: '01:00' }] }),
    )
    expect(days[4]).toEqual([{ start: 1_260, end: 1_440 }])
    expect(days[5]).toEqual([{ start: 0, end: 120 }])
    expect(days[6]).toEqual([{ start: 1_320, end: 1_440 }])
    expect(days[0]).toEqual([{ start: 0, end: 60 }])
  })

  it('leaves out what is typed by half', () => {
    expect(weekAtAGlance(week({ mon: [{ start: '', end: '10:00' }] }))[0]).toEqual([])
  })

  it('shows as many minutes as the hours have, wherever they lie', () => {
    for (let start = 0; start < 1_440; start += 45) {
      for (let end = 0; end < 1_440; end += 45) {
        const shown = weekAtAGlance(
          week({ sat: [{ start: clockOf(start), end: clockOf(end) }] }),
        ).flat()
        const open = end > start ? end - start : end - start + 1_440
        expect(shown.reduce((sum, span) => sum + span.end - span.start, 0)).toBe(open)
        expect(
          shown.every((span) => span.start >= 0 && span.end <= 1_440 && span.end > span.start),
        ).toBe(true)
      }
    }
  })
})

describe('editing', () => {
  it('offers hours after a break', () => {
    expect(furtherHours([])).toEqual(work)
    expect(furtherHours([{ start: '09:00', end: '12:00' }])).toEqual({
      start: '13:00',
      end: '15:00',
    })
    expect(furtherHours([{ start: '21:00', end: '23:30' }])).toEqual({
      start: '09:00',
      end: '12:00',
    })
    expect(furtherHours([{ start: '22:00', end: '02:00' }])).toEqual({
      start: '09:00',
      end: '12:00',
    })
  })

  it('copies a day without tying the copies together', () => {
    const copied = copyDay(week({ mon: [work] }), 'mon', ['tue', 'sun'])
    expect([copied.tue, copied.sun, copied.wed]).toEqual([[work], [work], []])
    expect(copied.tue[0]).not.toBe(copied.mon[0])
  })

  it('keeps dates in order, each once', () => {
    const first = withDate([], '2027-06-05', [])
    const second = withDate(first, '2027-01-01', [work])
    expect(second.map(({ date }) => date)).toEqual(['2027-01-01', '2027-06-05'])
    expect(withDate(second, '2027-06-05', [work])[1]).toEqual({
      date: '2027-06-05',
      windows: [work],
    })
    expect(withDate(second, '2027-06-05', undefined).map(({ date }) => date)).toEqual([
      '2027-01-01',
    ])
  })
})

describe('words', () => {
  it.each([
    [work, undefined],
    [{ start: '21:00', end: '02:00' }, 'Until 02:00 on Saturday'],
    [{ start: '21:00', end: '00:00' }, 'Until midnight'],
    [{ start: '00:00', end: '00:00' }, 'All day'],
    [{ start: '12:00', end: '12:00' }, '24 hours, until 12:00 on Saturday'],
    [{ start: '', end: '12:00' }, undefined],
  ])('%j is %s', (hours, words) => {
    expect(acrossMidnight(hours, 'Saturday')).toBe(words)
  })

  it('say how long', () => {
    expect(durationsText([30])).toBe('30 minutes')
    expect(durationsText([30, 90, 1_440])).toMatch(/^30 minutes, 1 hour 30 minutes,? or 1 day$/)
  })

  it('name days and dates', () => {
    expect(weekdays.map((day) => dayName(day)).join()).toBe(
      'Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday',
    )
    expect(dayName('sun', 'short')).toBe('Sun')
    expect(dateText('2027-06-05')).toMatch(/^Saturday, .*2027$/)
  })

  it('know the date of a zone', () => {
    const now = new Date('2027-03-01T23:30:00Z')
    expect([
      todayIn('UTC', now),
      todayIn('Asia/Tokyo', now),
      todayIn('America/New_York', now),
    ]).toEqual(['2027-03-01', '2027-03-02', '2027-03-01'])
  })
})
