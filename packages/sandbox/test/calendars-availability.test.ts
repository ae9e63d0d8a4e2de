import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  annaSignsIn,
  benSignsIn,
  type CalendarServer,
  openCalendars,
  service,
} from './calendars-server.ts'

let testServer: CalendarServer
beforeEach(async () => {
  testServer = await openCalendars()
})
afterEach(() => testServer[Symbol.asyncDispose]())

const berlin = (start: string, duration: string, more: object = {}) => ({
  title: 'Something',
  start,
  duration,
  timeZone: 'Europe/Berlin',
  ...more,
})
const allDay = (start: string, more: object = {}) => ({
  title: 'Day off',
  start,
  duration: 'P1D',
  showWithoutTime: true,
  ...more,
})
const year = (number: number) =>
  [`${number}-01-01T00:00:00Z`, `${number + 1}-01-01T00:00:00Z`] as const

describe('series over the changes of the clocks', () => {
  it('keep their wall time', async () => {
    await testServer.add(
      berlin('2027-03-27T10:00:00', 'PT1H', { recurrenceRule: { frequency: 'daily', count: 3 } }),
    )
    await testServer.add(
      berlin('2027-10-30T10:00:00', 'PT1H', { recurrenceRule: { frequency: 'daily', count: 3 } }),
    )
    expect(await testServer.busy(...year(2027))).toEqual([
      '2027-03-27T09:00:00Z 2027-03-27T10:00:00Z',
      '2027-03-28T08:00:00Z 2027-03-28T09:00:00Z',
      '2027-03-29T08:00:00Z 2027-03-29T09:00:00Z',
      '2027-10-30T08:00:00Z 2027-10-30T09:00:00Z',
      '2027-10-31T09:00:00Z 2027-10-31T10:00:00Z',
      '2027-11-01T09:00:00Z 2027-11-01T10:00:00Z',
    ])
  })

  it('move on where the time is left out and are the first of two where it comes twice', async () => {
    await testServer.add(
      berlin('2027-03-27T02:30:00', 'PT30M', { recurrenceRule: { frequency: 'daily', count: 2 } }),
    )
    await testServer.add(berlin('2027-10-31T02:30:00', 'PT15M'))
    expect(await testServer.busy(...year(2027))).toEqual([
      '2027-03-27T01:30:00Z 2027-03-27T02:00:00Z',
      '2027-03-28T01:30:00Z 2027-03-28T02:00:00Z',
      '2027-10-31T00:30:00Z 2027-10-31T00:45:00Z',
    ])
  })

  it('of whole days have 23 and 25 hours on those days', async () => {
    await testServer.add(
      allDay('2027-03-27T00:00:00', { recurrenceRule: { frequency: 'daily', count: 2 } }),
    )
    await testServer.add(allDay('2027-10-31T00:00:00'))
    expect(await testServer.busy(...year(2027))).toEqual([
      '2027-03-26T23:00:00Z 2027-03-27T23:00:00Z',
      '2027-03-27T23:00:00Z 2027-03-28T22:00:00Z',
      '2027-10-30T22:00:00Z 2027-10-31T23:00:00Z',
    ])
  })
})

describe('rules', () => {
  const dates = async (start: string, recurrenceRule: object) => {
    await testServer.add({
      title: 'R',
      start,
      duration: 'PT1H',
      timeZone: 'Etc/UTC',
      recurrenceRule,
    })
    return (await testServer.busy('2027-01-01T00:00:00Z', '2027-12-30T00:00:00Z')).map((period) =>
      period.slice(5, 10),
    )
  }

  it.each<[string, string, object, string[]]>([
    [
      'every second day',
      '2027-06-07',
      { frequency: 'daily', interval: 2, count: 3 },
      ['06-07', '06-09', '06-11'],
    ],
    [
      'working days',
      '2027-06-10',
      {
        frequency: 'weekly',
        byDay: ['mo', 'tu', 'we', 'th', 'fr'].map((day) => ({ day })),
        count: 4,
      },
      ['06-10', '06-11', '06-14', '06-15'],
    ],
    [
      'every other week',
      '2027-06-07',
      { frequency: 'weekly', interval: 2, byDay: [{ day: 'mo' }, { day: 'su' }], count: 4 },
      ['06-07', '06-13', '06-21', '06-27'],
    ],
    [
      'every other week from Sunday',
      '2027-06-07',
      {
        frequency: 'weekly',
        interval: 2,
        firstDayOfWeek: 'su',
        byDay: [{ day: 'mo' }, { day: 'su' }],
        count: 4,
      },
      ['06-07', '06-20', '06-21', '07-04'],
    ],
    [
      'the last Friday',
      '2027-06-25',
      { frequency: 'monthly', byDay: [{ day: 'fr', nthOfPeriod: -1 }], count: 3 },
      ['06-25', '07-30', '08-27'],
    ],
    [
      'the 31st, where there is one',
      '2027-01-31',
      { frequency: 'monthly', count: 3 },
      ['01-31', '03-31', '05-31'],
    ],
    [
      'the last day',
      '2027-01-31',
      { frequency: 'monthly', byMonthDay: [-1], count: 3 },
      ['01-31', '02-28', '03-31'],
    ],
    [
      'the last working day',
      '2027-05-31',
      {
        frequency: 'monthly',
        byDay: ['mo', 'tu', 'we', 'th', 'fr'].map((day) => ({ day })),
        bySetPosition: [-1],
        count: 3,
      },
      ['05-31', '06-30', '07-30'],
    ],
    ['once a year', '2027-02-03', { frequency: 'yearly', count: 2 }, ['02-03']],
    [
      'twice a year',
      '2027-03-05',
      { frequency: 'yearly', byMonth: ['3', '9'], count: 3 },
      ['03-05', '09-05'],
    ],
    [
      'until a day, which counts',
      '2027-06-07',
      { frequency: 'daily', until: '2027-06-09T09:00:00' },
      ['06-07', '06-08', '06-09'],
    ],
  ])('repeat %s', async (_, date, rule, expected) => {
    expect(await dates(`${date}T09:00:00`, rule)).toEqual(expected)
  })

  it('end where there is nothing left to find', async () => {
    expect(
      await dates('2027-02-01T09:00:00', { frequency: 'yearly', byMonth: ['2'], byMonthDay: [30] }),
    ).toEqual(['02-01'])
  })

  it('leave out and move single occurrences, and add some', async () => {
    await testServer.add(
      berlin('2027-06-07T10:00:00', 'PT1H', {
        recurrenceRule: { frequency: 'daily', count: 4 },
        recurrenceOverrides: {
          '2027-06-08T10:00:00': { excluded: true },
          '2027-06-09T10:00:00': { start: '2027-06-09T15:00:00', duration: 'PT2H' },
          '2027-06-10T10:00:00': { status: 'cancelled' },
          '2027-06-12T08:00:00': {},
        },
      }),
    )
    expect(await testServer.busy(...year(2027))).toEqual([
      '2027-06-07T08:00:00Z 2027-06-07T09:00:00Z',
      '2027-06-09T13:00:00Z 2027-06-09T15:00:00Z',
      '2027-06-12T06:00:00Z 2027-06-12T07:00:00Z',
    ])
  })
})

describe('what counts as busy', () => {
  it.each<[string, object, boolean]>([
    ['an event', {}, true],
    ['a tentative one', { status: 'tentative' }, true],
    ['a private one', { privacy: 'private' }, true],
    ['a draft', { isDraft: true }, true],
    ['a cancelled one', { status: 'cancelled' }, false],
    ['one shown as free', { freeBusyStatus: 'free' }, false],
    ['a confidential one', { privacy: 'secret' }, false],
  ])('%s', async (_, more, isBusy) => {
    await testServer.add(berlin('2027-06-07T10:00:00', 'PT1H', more))
    expect(await testServer.busy(...year(2027))).toHaveLength(isBusy ? 1 : 0)
  })

  it('reads floating times in the zone of the calendar, in UTC when it has none', async () => {
    await testServer.add({ title: 'Tea', start: '2027-06-07T16:00:00', duration: 'PT30M' })
    expect(await testServer.busy(...year(2027))).toEqual([
      '2027-06-07T14:00:00Z 2027-06-07T14:30:00Z',
    ])
    await testServer.call('Calendar/set', { update: { b: { timeZone: null } } })
    expect(await testServer.busy(...year(2027))).toEqual([
      '2027-06-07T16:00:00Z 2027-06-07T16:30:00Z',
    ])
  })

  it('depends on the own answer where only attended events count', async () => {
    await testServer.call('Calendar/set', { update: { b: { includeInAvailability: 'attending' } } })
    for (const [index, participationStatus] of [
      'accepted',
      'tentative',
      'needs-action',
      'declined',
    ].entries()) {
      const participants = {
        a: {
          '@type': 'Participant',
          calendarAddress: 'mailto:ANNA@acme.test',
          participationStatus,
        },
      }
      await testServer.add(berlin(`2027-06-07T1${index}:00:00`, 'PT30M', { participants }))
    }
    await testServer.add(berlin('2027-06-07T20:00:00', 'PT30M'))
    const { list } = await testServer.call('Principal/getAvailability', {
      id: testServer.anna,
      utcStart: '2027-06-07T00:00:00Z',
      utcEnd: '2027-06-08T00:00:00Z',
    })
    expect(
      list.map(({ busyStatus, utcStart }) => `${busyStatus} ${utcStart.slice(11, 13)}`),
    ).toEqual(['confirmed 08', 'tentative 09', 'unavailable 10'])
    await testServer.call('Calendar/set', { update: { b: { includeInAvailability: 'none' } } })
    expect(await testServer.busy(...year(2027))).toEqual([])
  })

  it('merges what meets and cuts nothing at the range', async () => {
    for (const [start, duration] of [
      ['2027-06-07T09:00:00', 'PT1H'],
      ['2027-06-07T10:00:00', 'PT1H'],
      ['2027-06-07T13:00:00', 'PT1H'],
    ] as const)
      await testServer.add(berlin(start, duration))
    const ask = {
      id: testServer.anna,
      utcStart: '2027-06-07T07:30:00Z',
      utcEnd: '2027-06-07T11:00:00Z',
    }
    expect((await testServer.call('Principal/getAvailability', ask)).list).toEqual([
      {
        utcStart: '2027-06-07T07:00:00Z',
        utcEnd: '2027-06-07T09:00:00Z',
        busyStatus: 'confirmed',
        event: null,
      },
    ])
  })

  it('names events by an id of their part and by the one that was written, unmerged', async () => {
    const id = await testServer.add(berlin('2027-06-07T09:00:00', 'PT1H'))
    await testServer.add(berlin('2027-06-07T09:30:00', 'PT1H'))
    const ask = {
      id: testServer.anna,
      utcStart: '2027-06-07T00:00:00Z',
      utcEnd: '2027-06-08T00:00:00Z',
      eventProperties: ['id', 'baseEventId'],
    }
    const { list } = await testServer.call('Principal/getAvailability', ask)
    expect(list).toHaveLength(2)
    expect(list[0]?.event).toEqual({
      id: expect.not.stringMatching(new RegExp(`^${id}$`)),
      baseEventId: id,
    })
  })

  it('is an empty list without the permission, except for the owner of an API key', async () => {
    await testServer.add(berlin('2027-06-07T09:00:00', 'PT1H'))
    const ask = {
      id: testServer.anna,
      utcStart: '2027-06-07T00:00:00Z',
      utcEnd: '2027-06-08T00:00:00Z',
    }
    const seenBy = async (who: string) =>
      (await testServer.call('Principal/getAvailability', ask, who)).list.length
    expect([await seenBy(benSignsIn), await seenBy(annaSignsIn), await seenBy(service)]).toEqual([
      0, 1, 1,
    ])
    await testServer.call('Calendar/set', {
      update: { b: { shareWith: { [testServer.ben]: { mayReadFreeBusy: true } } } },
    })
    expect(await seenBy(benSignsIn)).toBe(1)
  })

  it.each([
    [{ id: undefined }, 'invalidArguments', 'Missing principal id'],
    [
      { eventProperties: ['title'] },
      'invalidArguments',
      "Only 'id' and 'baseEventId' properties are supported in results",
    ],
    [
      { utcStart: 'soon' },
      'invalidArguments',
      'Invalid value for argument "utcStart", expected a UTC date',
    ],
    [{ id: 'zzz' }, 'serverUnavailable', 'This server is temporarily unavailable.'],
  ])('refuses %j', async (change, type, description) => {
    const ask = {
      id: testServer.anna,
      utcStart: '2027-06-07T00:00:00Z',
      utcEnd: '2027-06-08T00:00:00Z',
      ...change,
    }
    expect(await testServer.call('Principal/getAvailability', ask)).toEqual({ type, description })
  })

  it('has its limit in one answer', async () => {
    for (let index = 0; index < 9; index += 1)
      await testServer.add(
        berlin(`2027-06-07T1${index}:00:00`, 'PT10M', { recurrenceRule: { frequency: 'daily' } }),
      )
    const ask = {
      id: testServer.anna,
      utcStart: '2027-06-07T00:00:00Z',
      utcEnd: '2028-06-05T00:00:00Z',
    }
    expect(await testServer.call('Principal/getAvailability', ask)).toMatchObject({
      type: 'requestTooLarge',
    })
  })
})
