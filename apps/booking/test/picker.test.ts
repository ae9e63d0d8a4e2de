import { describe, expect, it } from 'vitest'
import { createFormats } from '../src/formats.ts'
import { otherTimes, timeForm } from '../src/pages/picker-view.ts'
import { address, askWhole, choiceQuery, findAvailability, readChoice } from '../src/picker.ts'

const standard = { zone: 'Europe/Berlin', duration: 30, durations: [30, 60] }
const today = '2026-11-22'

/** Answers for asked ranges: every date of the range, with a slot where `free` names it. */
function calendar(...free: string[]) {
  const asked: [string, string][] = []
  const ask = async (from: string, to: string) => {
    asked.push([from, to])
    return Object.fromEntries(
      free
        .filter((date) => date >= from && date <= to)
        .map((date) => [date, [{ start: `${date}T09:00:00Z`, end: `${date}T09:30:00Z` }]]),
    )
  }
  return { ask, asked }
}

describe('a range whose answer comes in parts', () => {
  it('is asked for to its end', async () => {
    const asked: string[] = []
    const parts: Record<string, { slots: Record<string, []>; nextFrom: string | null }> = {
      '2026-11-01': { slots: { '2026-11-01': [], '2026-11-02': [] }, nextFrom: '2026-11-03' },
      '2026-11-03': { slots: { '2026-11-03': [] }, nextFrom: null },
    }
    const slots = await askWhole(async (from) => {
      asked.push(from)
      return parts[from] ?? { slots: {}, nextFrom: null }
    }, '2026-11-01')
    expect(asked).toEqual(['2026-11-01', '2026-11-03'])
    expect(Object.keys(slots)).toEqual(['2026-11-01', '2026-11-02', '2026-11-03'])
  })
})

describe('what a visitor chose', () => {
  it('is read from the address, and what makes no sense counts as not chosen', () => {
    expect(
      readChoice(
        { zone: 'Asia/Tokyo', duration: '60', view: 'week', date: '2026-11-25' },
        standard,
      ),
    ).toEqual({
      zone: 'Asia/Tokyo',
      zoneChosen: true,
      duration: 60,
      view: 'week',
      month: undefined,
      date: '2026-11-25',
    })
    expect(
      readChoice(
        { zone: '+02:00', duration: '45', view: 'year', month: '2026-13', date: '<b>' },
        standard,
      ),
    ).toEqual({
      zone: 'Europe/Berlin',
      zoneChosen: false,
      duration: 30,
      view: 'month',
      month: undefined,
      date: undefined,
    })
  })

  it('comes back from its address', () => {
    const choice = readChoice(
      { zone: 'America/New_York', duration: '60', view: 'week', date: '2026-11-25' },
      standard,
    )
    const link = address('/acme/anna/intro', choiceQuery(choice, 30))
    expect(link).toBe(
      '/acme/anna/intro?zone=America/New_York&duration=60&view=week&date=2026-11-25',
    )
    expect(
      readChoice(Object.fromEntries(new URL(link, 'http://localhost').searchParams), standard),
    ).toEqual(choice)
  })
})

describe('the times that are shown', () => {
  it('are those of the month from today on, with the first free day open', async () => {
    const { ask, asked } = calendar('2026-11-24', '2026-11-26')
    const offer = await findAvailability(ask, readChoice({}, standard), today, 0)
    expect(asked).toEqual([['2026-11-22', '2026-11-30']])
    expect(offer).toMatchObject({ month: '2026-11', date: '2026-11-24', nextFree: undefined })
  })

  it('are those of the first month with any, when no month is chosen', async () => {
    const { ask, asked } = calendar('2027-01-04')
    const offer = await findAvailability(ask, readChoice({}, standard), today, 0)
    expect(asked).toEqual([
      ['2026-11-22', '2026-11-30'],
      ['2026-12-01', '2027-01-31'],
    ])
    expect(offer).toMatchObject({ month: '2027-01', date: '2027-01-04', nextFree: undefined })
    expect(offer.dates).toHaveLength(31)
  })

  it('stay in a month that was chosen, and name the next free day', async () => {
    const { ask } = calendar('2027-01-04')
    const offer = await findAvailability(ask, readChoice({ month: '2026-12' }, standard), today, 0)
    expect(offer).toMatchObject({ month: '2026-12', date: undefined, nextFree: '2027-01-04' })
  })

  it('never ask for what is past, nor further than two years', async () => {
    const { ask, asked } = calendar()
    await findAvailability(ask, readChoice({ month: '2025-01' }, standard), today, 0)
    await findAvailability(ask, readChoice({ date: '2026-11-01' }, standard), today, 0)
    await findAvailability(ask, readChoice({ month: '2099-01' }, standard), today, 0)
    await findAvailability(
      ask,
      readChoice({ view: 'week', date: '2026-11-23' }, standard),
      '2026-11-25',
      0,
    )
    expect(asked.map(([from]) => from).filter((from) => from < today)).toEqual([])
    expect(asked.map(([, to]) => to).filter((to) => to > '2029-02')).toEqual([])
    expect(asked.at(-2)).toEqual(['2026-11-25', '2026-11-29'])
  })

  it('never ask for more than 62 days at once', async () => {
    const { ask, asked } = calendar()
    for (const month of ['2026-11', '2026-12', '2027-01', '2027-06'])
      await findAvailability(ask, readChoice({ month }, standard), today, 0)
    for (const [from, to] of asked)
      expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBeLessThan(62)
  })
})

describe('the times of a day', () => {
  const texts = (html: unknown) =>
    [...String(html).matchAll(/(?:<\/span>|formnovalidate>)([^<]+)<\/button>/g)].map(
      ([, text]) => text,
    )
  const formats = createFormats('en-GB', 'en')
  const shown = async (day: string, zone: string) => {
    const slots = [5, 6, 7].map((hour) => ({
      start: `${day}T0${hour}:30:00.000Z`,
      end: `${day}T0${hour}:45:00.000Z`,
    }))
    const choice = readChoice({ zone }, standard)
    const target = { action: '/hold', method: 'post' as const }
    const view = {
      path: '/',
      choice,
      standardDuration: 30,
      durations: [30],
      formats,
      target,
      choosingZone: false,
    }
    return [
      texts(await timeForm(view, slots, 'the day')),
      texts(await otherTimes(slots, { formats, zone, allDays: '/' })),
    ]
  }

  it('tell an hour that comes twice apart, on the night on which the clocks go back and on no other', async () => {
    const twice = ['01:30 (GMT-4)', '01:30 (GMT-5)', '02:30']
    expect(await shown('2027-11-07', 'America/New_York')).toEqual([twice, twice])
    const once = ['00:30', '01:30', '02:30']
    expect(await shown('2027-11-08', 'America/New_York')).toEqual([once, once])
  })
})
