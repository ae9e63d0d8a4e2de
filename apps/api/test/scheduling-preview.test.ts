import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

let testApp: BookingsTestApp
let host: TestHost
let admin: string

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(1_500) })
  admin = await testApp.admin()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  testApp.time.now = testApp.at(0)
  host = await testApp.newHost()
})
afterEach(() => testApp.sandbox.clearFaults())

const call = (method: string, path: string, body?: unknown, token = admin) =>
  testApp.request(method, `/api/v1/tenants/acme${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
  })
const issues = (response: { body: { issues?: { path: string }[] } }) =>
  (response.body.issues ?? []).map(({ path }) => path)

const hours = (fields: object = {}) => ({
  hostId: host.id,
  name: 'Summer',
  timeZone: 'Europe/Berlin',
  weekly: {},
  ...fields,
})
const meeting = (fields: object = {}) => ({
  hostId: host.id,
  title: 'Introduction call',
  durations: [30],
  locationKind: 'video',
  location: 'https://meet.test/anna',
  ...fields,
})
async function made(path: string, body: unknown) {
  const response = await call('POST', path, body)
  expect(response.status, JSON.stringify(response.body)).toBe(201)
  return response.body
}

const timing = (fields: object = {}) => ({
  hostId: host.id,
  scheduleId: null,
  durations: [60],
  stepMinutes: null,
  noticeMinutes: 0,
  beforeMinutes: 0,
  afterMinutes: 0,
  bookingWindow: { kind: 'open' },
  limits: {},
  seats: 1,
  assignment: 'host',
  days: 1,
  ...fields,
})
const preview = (fields: object = {}) => call('POST', '/event-types/preview', timing(fields))
const times = (response: { body: { days: { slots: { start: string }[] }[] } }) =>
  response.body.days.map(({ slots }) => slots.map(({ start }) => start.slice(11, 16)))

it('offers what is free in the calendar, and every date', async () => {
  await testApp.block(host, testApp.at(1), testApp.at(23))
  const response = await preview({ days: 2 })
  expect(response).toMatchObject({
    status: 200,
    body: { timeZone: 'UTC', minutes: 60, calendarRead: true, reason: null },
  })
  const [first, second] = times(response)
  expect(first).toEqual(['00:00', '23:00'])
  expect(second).toHaveLength(24)
})

it('sees what is in the calendar just after the last date and just before the first', async () => {
  await testApp.block(host, testApp.at(24), testApp.at(25))
  const [before] = times(await preview({ durations: [60], stepMinutes: 30 }))
  expect(before?.slice(-2)).toEqual(['22:30', '23:00'])
  const from = testApp.at(24).toISOString().slice(0, 10)
  await testApp.block(host, testApp.at(23.5), testApp.at(24))
  const [after] = times(await preview({ from, beforeMinutes: 90, stepMinutes: 30 }))
  expect(after?.[0]).toBe('02:30')
})

it('is the same as what visitors are offered once it is saved', async () => {
  await testApp.block(host, testApp.at(30), testApp.at(32))
  const settings = {
    durations: [45],
    stepMinutes: 15,
    noticeMinutes: 90,
    beforeMinutes: 20,
    afterMinutes: 5,
    limits: { day: 1 },
  }
  const eventType = await made(
    '/event-types',
    meeting({ ...settings, bookingWindow: { kind: 'rolling', days: 3 } }),
  )
  await testApp.book({ host, eventTypeId: eventType.id, start: testApp.at(50), minutes: 45 })
  const shown = await preview({
    ...settings,
    eventTypeId: eventType.id,
    bookingWindow: { kind: 'rolling', days: 3 },
    days: 7,
  })
  const date = (hours: number) => testApp.at(hours).toISOString().slice(0, 10)
  const offered = await testApp.request(
    'GET',
    `/api/v1/event-types/${eventType.id}/slots?from=${date(0)}&to=${date(144)}&timeZone=UTC`,
  )
  expect(offered.status, JSON.stringify(offered.body)).toBe(200)
  const ofPreview = shown.body.days.map(
    ({ date: day, slots }: { date: string; slots: { start: string; end: string }[] }) => [
      day,
      slots.map(({ start, end }) => ({ start, end })),
    ],
  )
  expect(Object.fromEntries(ofPreview)).toEqual(offered.body.slots)
})

it('shows days of the zone and the dates that are asked for', async () => {
  const from = testApp.at(72).toISOString().slice(0, 10)
  const response = await preview({ timeZone: 'Asia/Tokyo', from, days: 2 })
  expect(response.body).toMatchObject({
    timeZone: 'Asia/Tokyo',
    days: [{ date: from }, { date: testApp.at(96).toISOString().slice(0, 10) }],
  })
  expect(response.body.days[0].slots[0].start).toBe(testApp.at(72 - 9).toISOString())
})

it('puts several hosts together as their bookings will', async () => {
  const colleague = await testApp.newHost()
  await testApp.block(host, testApp.at(0), testApp.at(12))
  await testApp.block(colleague, testApp.at(6), testApp.at(24))
  const team = { hostIds: [host.id, colleague.id] }
  const [any] = times(await preview({ ...team, assignment: 'round_robin' }))
  expect(any).toEqual(
    Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`).filter(
      (at) => at < '06' || at >= '12',
    ),
  )
  expect(times(await preview({ ...team, assignment: 'collective' }))).toEqual([[]])
})

it.each([
  ['times out', { mode: 'timeout' }],
  ['fails', { mode: 'error', status: 500 }],
  ['breaks off', { mode: 'reset' }],
  ['answers nonsense', { mode: 'garbage' }],
  ['answers another shape', { mode: 'shape' }],
] as const)('offers nothing and says so when the calendar %s', async (_, fault) => {
  testApp.sandbox.fault({ system: 'mail', match: 'Principal/getAvailability', ...fault })
  const response = await preview()
  expect(response).toMatchObject({
    status: 200,
    body: { calendarRead: false, days: [{ slots: [] }] },
  })
  expect(response.body.reason).toBe('The calendar is not available. Try again shortly.')
})

it('says that the calendar is not connected', async () => {
  await testApp.database.db.deleteFrom('mail_credentials').where('host_id', '=', host.id).execute()
  const response = await preview()
  expect(response).toMatchObject({
    status: 200,
    body: { calendarRead: false, days: [{ slots: [] }] },
  })
  expect(response.body.reason).toBe(
    'The calendar is not connected yet. No times are offered until it is.',
  )
})

it('rejects what saving would reject', async () => {
  const colleague = await testApp.newHost()
  const foreign = await made('/schedules', hours({ hostId: colleague.id }))
  expect(issues(await preview({ scheduleId: foreign.id }))).toEqual(['scheduleId'])
  expect(issues(await preview({ durations: [3] }))).toEqual(['durations.0'])
  expect(issues(await preview({ assignment: 'collective' }))).toEqual(['hostIds'])
  expect(issues(await preview({ from: '9999-01-01' }))).toEqual(['from'])
  const eventType = await made('/event-types', meeting({ hostId: colleague.id }))
  expect((await preview({ eventTypeId: eventType.id })).status).toBe(404)
})

it('shows members nobody else’s calendar', async () => {
  const colleague = await testApp.newHost()
  const token = await host.token()
  const asked = (fields: object) => call('POST', '/event-types/preview', timing(fields), token)
  expect((await asked({})).status).toBe(200)
  expect(await asked({ hostId: colleague.id })).toMatchObject({
    status: 403,
    body: { code: 'not_admin' },
  })
  expect(
    await asked({ assignment: 'round_robin', hostIds: [host.id, colleague.id] }),
  ).toMatchObject({ status: 403 })
})
