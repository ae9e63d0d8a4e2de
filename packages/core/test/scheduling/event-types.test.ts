import { describe, expect, it } from 'vitest'
import {
  CreateEventType,
  eventTypeDefaults,
  PreviewEventType,
  RemoveEventType,
  settingIssues,
  toBookingWindow,
  UpdateEventType,
} from '../../src/scheduling/event-types.ts'
import { dayOf } from '../../src/scheduling/time-zones.ts'
import { zodIssues } from '../zod-issues.ts'

const [own, other, third] = [1, 2, 3].map((n) => `0195e6a0-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]
const given = (fields: object) => ({
  slug: 'acme',
  hostId: own,
  title: 'Introduction',
  durations: [30],
  locationKind: 'video',
  location: 'https://meet.example.com/anna',
  ...fields,
})
const issuesOf = (fields: object) => zodIssues(CreateEventType, given(fields))

describe('a new event type', () => {
  it('is as the defaults say where nothing is given', () => {
    expect(CreateEventType.parse(given({}))).toEqual({
      ...given({}),
      ...eventTypeDefaults,
      location: 'https://meet.example.com/anna',
    })
  })

  it.each([
    [{ durations: [] }, 'durations: This must not be empty.'],
    [{ durations: [30, 30] }, 'durations.1: 30 is named twice.'],
    [{ durations: [4] }, 'durations.0: Enter between 5 and 1,440 minutes.'],
    [{ durations: [1_441] }, 'durations.0: Enter between 5 and 1,440 minutes.'],
    [{ durations: [7.5] }, 'durations.0: This must be a whole number.'],
    [
      { durations: Array.from({ length: 11 }, (_, n) => 5 + n) },
      'durations: Enter at most 10 items.',
    ],
    [{ stepMinutes: 4 }, 'stepMinutes: Enter between 5 and 1,440 minutes.'],
    [{ noticeMinutes: 525_601 }, 'noticeMinutes: Enter between 0 and 525,600 minutes.'],
    [{ beforeMinutes: 481 }, 'beforeMinutes: Enter between 0 and 480 minutes.'],
    [{ afterMinutes: -1 }, 'afterMinutes: Enter between 0 and 480 minutes.'],
    [
      { bookingWindow: { kind: 'rolling', days: 731 } },
      'bookingWindow.days: This must be between 0 and 730.',
    ],
    [
      { bookingWindow: { kind: 'fixed', from: '2027-06-02', to: '2027-06-01' } },
      'bookingWindow.to: The last day cannot be before the first.',
    ],
    [
      { bookingWindow: { kind: 'fixed', from: '2027-6-2', to: '2027-06-03' } },
      'bookingWindow.from: This is not a date such as 2026-01-31.',
    ],
    [{ limits: { day: 0, week: null, month: null } }, 'limits.day: This must be at least 1.'],
    [{ seats: 1_001 }, 'seats: This must be between 1 and 1,000.'],
    [{ approvalHours: 721 }, 'approvalHours: This must be between 1 and 720.'],
    [{ cancelCutoffMinutes: 525_601 }, 'cancelCutoffMinutes: Enter between 0 and 525,600 minutes.'],
    [{ reminders: [60, 60] }, 'reminders.1: 60 is named twice.'],
    [{ reminders: [5, 10, 15, 20, 25, 30] }, 'reminders: Enter at most 5 items.'],
    [{ title: 'a\nb' }, 'title: Control and invisible characters are not allowed.'],
    [
      { eventSlug: 'No Slug' },
      'eventSlug: Use 2 to 63 of a-z, 0-9 and "-", with a letter or digit at both ends.',
    ],
    [{ scheduleId: 'mine' }, 'scheduleId: This is not a valid ID.'],
  ])('refuses %j at its field', (fields, issue) => {
    expect(issuesOf(fields)).toEqual([issue])
  })

  it.each([
    { durations: [5, 1_440] },
    { noticeMinutes: 525_600 },
    { beforeMinutes: 480, afterMinutes: 0 },
    { bookingWindow: { kind: 'rolling', days: 0 } },
    { bookingWindow: { kind: 'fixed', from: '2027-06-01', to: '2027-06-01' } },
    { seats: 1_000 },
    { reminders: [5, 40_320] },
  ])('takes the bounds themselves: %j', (fields) => {
    expect(issuesOf(fields)).toEqual([])
  })
})

describe('the place', () => {
  it.each([
    ['video', 'https://meet.example.com/room?pwd=1'],
    ['phone', '+49 30 123456'],
    ['in_person', 'Room 4, second floor'],
  ])('of %s', (locationKind, location) => {
    expect(issuesOf({ locationKind, location })).toEqual([])
  })

  it.each([
    ['video', 'http://meet.example.com', 'location: Enter the https:// address of the video call.'],
    ['video', 'javascript:alert(1)', 'location: Enter the https:// address of the video call.'],
    [
      'video',
      'https://user@meet.example.com',
      'location: Enter the https:// address of the video call.',
    ],
    [
      'video',
      'https://:secret@meet.example.com',
      'location: Enter the https:// address of the video call.',
    ],
    ['video', 'meet.example.com', 'location: Enter the https:// address of the video call.'],
    ['video', null, 'location: Enter the https:// address of the video call.'],
    ['phone', 'call me', 'location: Enter the number that visitors call.'],
    ['phone', null, 'location: Enter the number that visitors call.'],
    ['in_person', null, 'location: Enter where you meet.'],
  ])('of %s is not %j', (locationKind, location, issue) => {
    expect(issuesOf({ locationKind, location })).toEqual([issue])
  })

  it('asks for the number of a visitor who is called', () => {
    const phone = { key: 'phone', label: 'Your number', kind: 'phone', required: true }
    expect(issuesOf({ locationKind: 'visitor_phone', location: null, fields: [phone] })).toEqual([])
    const missing = 'fields: Ask for the phone number: a required question of the kind phone.'
    expect(issuesOf({ locationKind: 'visitor_phone', location: null })).toEqual([missing])
    expect(
      issuesOf({
        locationKind: 'visitor_phone',
        location: null,
        fields: [{ ...phone, required: false }],
      }),
    ).toEqual([missing])
    expect(
      issuesOf({ locationKind: 'visitor_phone', location: '+49 30 1', fields: [phone] }),
    ).toEqual(['location: The visitor gives the number: leave this empty.'])
  })
})

describe('hosts', () => {
  it.each([
    [{ assignment: 'host' }, []],
    [{ assignment: 'host', hostIds: [own] }, []],
    [
      { assignment: 'host', hostIds: [own, other] },
      ['hostIds: Further hosts take part in a round robin or together, not here.'],
    ],
    [{ assignment: 'round_robin', hostIds: [own, other, third] }, []],
    [{ assignment: 'round_robin' }, ['hostIds: Name at least two hosts.']],
    [{ assignment: 'collective', hostIds: [own] }, ['hostIds: Name at least two hosts.']],
    [
      { assignment: 'collective', hostIds: [other, third] },
      ['hostIds: The host of the event type must be one of them.'],
    ],
    [
      { assignment: 'collective', hostIds: [own, other, other] },
      [`hostIds.2: ${other} is named twice.`],
    ],
    [
      { assignment: 'collective', hostIds: [own, other], seats: 2 },
      ['seats: Places are shared only where one host takes the booking.'],
    ],
    [{ assignment: 'host', seats: 12 }, []],
  ])('%j', (fields, issues) => {
    expect(issuesOf(fields)).toEqual(issues)
  })
})

describe('questions', () => {
  const field = { key: 'topic', label: 'Topic', kind: 'text' }
  it.each([
    [
      { ...field, key: 'Topic' },
      'fields.0.key: Use up to 40 of a-z, 0-9 and "_", with a letter first.',
    ],
    [{ ...field, kind: 'choice' }, 'fields.0.options: Name at least two choices.'],
    [{ ...field, kind: 'choice', options: ['A'] }, 'fields.0.options: Name at least two choices.'],
    [
      { ...field, kind: 'choice', options: ['A', 'A', 'B'] },
      'fields.0.options.1: A is named twice.',
    ],
    [{ ...field, options: ['A', 'B'] }, 'fields.0.options: Only a choice has options.'],
    [{ ...field, label: '' }, 'fields.0.label: This must not be empty.'],
  ])('%j', (one, issue) => {
    expect(issuesOf({ fields: [one] })).toEqual([issue])
  })

  it('have keys of their own, and are at most twenty', () => {
    expect(issuesOf({ fields: [field, field] })).toEqual(['fields.1.key: topic is named twice.'])
    const many = Array.from({ length: 21 }, (_, n) => ({ ...field, key: `q${n}` }))
    expect(issuesOf({ fields: many })).toEqual(['fields: Enter at most 20 items.'])
  })
})

describe('changing', () => {
  const update = (fields: object) =>
    UpdateEventType.safeParse({ slug: 'acme', eventTypeId: own, version: 1, ...fields })
  it('leaves out what is not named', () => {
    expect(update({ title: 'New' }).data).toEqual({
      slug: 'acme',
      eventTypeId: own,
      version: 1,
      title: 'New',
    })
  })
  it('changes something', () => {
    for (const fields of [{}, { title: undefined }])
      expect(update(fields).error?.issues[0]?.message).toBe('Include at least one field to change.')
    expect(update({ title: undefined, active: false }).success).toBe(true)
  })
  it('knows the version', () => {
    expect(
      UpdateEventType.safeParse({ slug: 'acme', eventTypeId: own, title: 'New' }).error?.issues[0]
        ?.path,
    ).toEqual(['version'])
  })
})

it('reads the flag of a removal from a query', () => {
  const flag = (keepBookings?: unknown) =>
    RemoveEventType.safeParse({ slug: 'acme', eventTypeId: own, keepBookings }).data?.keepBookings
  expect([flag('true'), flag(true), flag('false'), flag(undefined), flag('yes')]).toEqual([
    true,
    true,
    false,
    false,
    undefined,
  ])
})

describe('a preview', () => {
  const {
    scheduleId,
    stepMinutes,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    bookingWindow,
    limits,
    seats,
    assignment,
  } = eventTypeDefaults
  const timing = {
    scheduleId,
    stepMinutes,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    bookingWindow,
    limits,
    seats,
    assignment,
  }
  const input = { slug: 'acme', hostId: own, durations: [30], ...timing }
  it('takes what decides about times, and no more', () => {
    expect(PreviewEventType.parse(input)).toMatchObject({ days: 7, durations: [30] })
    expect(PreviewEventType.safeParse({ ...input, title: 'Call' }).error?.issues[0]?.message).toBe(
      'Unknown field: title.',
    )
  })
  it('shows one of the durations', () => {
    expect(PreviewEventType.safeParse({ ...input, minutes: 45 }).error?.issues[0]).toMatchObject({
      path: ['minutes'],
    })
    expect(PreviewEventType.safeParse({ ...input, minutes: 30 }).success).toBe(true)
  })
  it('rejects settings that contradict each other', () => {
    const issues = PreviewEventType.safeParse({ ...input, assignment: 'collective' }).error?.issues
    expect(issues?.map(({ path }) => path)).toEqual([['hostIds']])
  })
})

it('finds nothing wrong with settings that say nothing of the place', () => {
  expect(settingIssues({ hostId: own, assignment: 'host', seats: 1 })).toEqual([])
})

it('reads a stored booking window with its dates as days', () => {
  expect(toBookingWindow({ kind: 'fixed', from: '2027-06-01', to: '2027-06-30' })).toEqual({
    kind: 'fixed',
    from: dayOf('2027-06-01'),
    to: dayOf('2027-06-30'),
  })
  for (const stored of [{ kind: 'rolling', days: 7 }, { kind: 'open' }] as const)
    expect(toBookingWindow(stored)).toEqual(stored)
})
