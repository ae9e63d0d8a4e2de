import { describe, expect, it } from 'vitest'
import { addMonths, dateIn, isDate, isMonth, lastDayOf, monthGrid, weekOf } from '../src/days.ts'

describe('the calendar', () => {
  it('lays a month out by weeks that begin on the weekday of the visitor', () => {
    const monday = monthGrid('2026-11', 0)
    expect(monday).toHaveLength(6)
    expect(monday[0]).toEqual([null, null, null, null, null, null, '2026-11-01'])
    expect(monday.at(-1)).toEqual(['2026-11-30', null, null, null, null, null, null])
    const sunday = monthGrid('2026-11', 6)
    expect(sunday).toHaveLength(5)
    expect(sunday[0]?.[0]).toBe('2026-11-01')
  })

  it.each([
    ['2026-02', 0, 28],
    ['2028-02', 6, 29],
    ['2026-12', 5, 31],
  ])('has every day of %s once', (month, firstWeekday, days) => {
    const dates = monthGrid(month, firstWeekday)
      .flat()
      .filter((date) => date !== null)
    expect(dates).toHaveLength(days)
    expect(new Set(dates).size).toBe(days)
    expect(monthGrid(month, firstWeekday).every((week) => week.length === 7)).toBe(true)
  })

  it('goes over the end of a year in both directions', () => {
    expect(addMonths('2026-11', 2)).toBe('2027-01')
    expect(addMonths('2027-01', -1)).toBe('2026-12')
    expect(lastDayOf('2028-02')).toBe('2028-02-29')
    expect(weekOf('2027-01-01', 0)).toEqual([
      '2026-12-28',
      '2026-12-29',
      '2026-12-30',
      '2026-12-31',
      '2027-01-01',
      '2027-01-02',
      '2027-01-03',
    ])
  })

  it('knows on which date an instant falls in a zone', () => {
    const instant = Date.parse('2026-11-22T23:30:00Z')
    expect(dateIn('Europe/Berlin', instant)).toBe('2026-11-23')
    expect(dateIn('America/New_York', instant)).toBe('2026-11-22')
  })

  it('takes no date that does not exist', () => {
    expect(
      ['2026-02-29', '2026-13-01', '9999-01-01', '2026-1-1', "2026-01-01'"].filter(isDate),
    ).toEqual([])
    expect(isDate('2028-02-29')).toBe(true)
    expect([isMonth('2026-11'), isMonth('2026-00'), isMonth(undefined)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
