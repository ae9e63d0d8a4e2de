import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type BookingsHouse, openBookingsHouse, type TestHost } from './bookings-house.ts'
import { clientsWithDeadline } from './outside.ts'

let house: BookingsHouse
let host: TestHost
let admin: string

beforeAll(async () => {
  house = await openBookingsHouse({ integrations: clientsWithDeadline(1_500) })
  admin = await house.admin()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(async () => {
  house.time.now = house.at(0)
  host = await house.newHost()
})
afterEach(() => house.sandbox.clearFaults())

const call = (method: string, path: string, body?: unknown, token = admin) =>
  house.request(method, `/api/v1/tenants/acme${path}`, { token, ...(body === undefined ? {} : { body }) })
const issues = (answer: { body: { issues?: { path: string }[] } }) => (answer.body.issues ?? []).map(({ path }) => path)

const hours = (fields: object = {}) => ({ hostId: host.id, name: 'Summer', timeZone: 'Europe/Berlin', weekly: {}, ...fields })
const meeting = (fields: object = {}) => ({
  ...{ hostId: host.id, title: 'Introduction call', durations: [30] },
  ...{ locationKind: 'video', location: 'https://meet.test/anna', ...fields },
})
async function made(path: string, body: unknown) {
  const answer = await call('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const timing = (fields: object = {}) => ({
  ...{ hostId: host.id, scheduleId: null, durations: [60], stepMinutes: null, noticeMinutes: 0, beforeMinutes: 0, afterMinutes: 0 },
  ...{ bookingWindow: { kind: 'open' }, limits: {}, seats: 1, assignment: 'host', days: 1, ...fields },
})
const preview = (fields: object = {}) => call('POST', '/event-types/preview', timing(fields))
const times = (answer: { body: { days: { slots: { start: string }[] }[] } }) =>
  answer.body.days.map(({ slots }) => slots.map(({ start }) => start.slice(11, 16)))

it('offers what is free in the calendar, and every date', async () => {
  await house.block(host, house.at(1), house.at(23))
  const answer = await preview({ days: 2 })
  expect(answer).toMatchObject({ status: 200, body: { timeZone: 'UTC', minutes: 60, calendarRead: true, reason: null } })
  const [first, second] = times(answer)
  expect(first).toEqual(['00:00', '23:00'])
  expect(second).toHaveLength(24)
})

it('sees what is in the calendar just after the last date and just before the first', async () => {
  await house.block(host, house.at(24), house.at(25))
  const [before] = times(await preview({ durations: [60], stepMinutes: 30 }))
  expect(before?.slice(-2)).toEqual(['22:30', '23:00'])
  const from = house.at(24).toISOString().slice(0, 10)
  await house.block(host, house.at(23.5), house.at(24))
  const [after] = times(await preview({ from, beforeMinutes: 90, stepMinutes: 30 }))
  expect(after?.[0]).toBe('02:30')
})

it('is the same as what visitors are offered once it is saved', async () => {
  await house.block(host, house.at(30), house.at(32))
  const settings = { durations: [45], stepMinutes: 15, noticeMinutes: 90, beforeMinutes: 20, afterMinutes: 5, limits: { day: 1 } }
  const eventType = await made('/event-types', meeting({ ...settings, bookingWindow: { kind: 'rolling', days: 3 } }))
  await house.book({ host, eventTypeId: eventType.id, start: house.at(50), minutes: 45 })
  const shown = await preview({ ...settings, eventTypeId: eventType.id, bookingWindow: { kind: 'rolling', days: 3 }, days: 7 })
  const date = (hours: number) => house.at(hours).toISOString().slice(0, 10)
  const offered = await house.request('GET', `/api/v1/event-types/${eventType.id}/slots?from=${date(0)}&to=${date(144)}&timeZone=UTC`)
  expect(offered.status, JSON.stringify(offered.body)).toBe(200)
  const ofPreview = shown.body.days.map(({ date: day, slots }: { date: string; slots: { start: string; end: string }[] }) => [
    day,
    slots.map(({ start, end }) => ({ start, end })),
  ])
  expect(Object.fromEntries(ofPreview)).toEqual(offered.body.slots)
})

it('shows days of the zone and the dates that are asked for', async () => {
  const from = house.at(72).toISOString().slice(0, 10)
  const answer = await preview({ timeZone: 'Asia/Tokyo', from, days: 2 })
  expect(answer.body).toMatchObject({ timeZone: 'Asia/Tokyo', days: [{ date: from }, { date: house.at(96).toISOString().slice(0, 10) }] })
  expect(answer.body.days[0].slots[0].start).toBe(house.at(72 - 9).toISOString())
})

it('puts several hosts together as their bookings will', async () => {
  const colleague = await house.newHost()
  await house.block(host, house.at(0), house.at(12))
  await house.block(colleague, house.at(6), house.at(24))
  const team = { hostIds: [host.id, colleague.id] }
  const [any] = times(await preview({ ...team, assignment: 'round_robin' }))
  expect(any).toEqual(
    Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`).filter((at) => at < '06' || at >= '12'),
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
  house.sandbox.fault({ system: 'mail', match: 'Principal/getAvailability', ...fault })
  const answer = await preview()
  expect(answer).toMatchObject({ status: 200, body: { calendarRead: false, days: [{ slots: [] }] } })
  expect(answer.body.reason).toBe('The calendar cannot be read at this moment. Try again shortly.')
})

it('says that the calendar is not connected', async () => {
  await house.database.db.deleteFrom('mail_credentials').where('host_id', '=', host.id).execute()
  const answer = await preview()
  expect(answer).toMatchObject({ status: 200, body: { calendarRead: false, days: [{ slots: [] }] } })
  expect(answer.body.reason).toBe('The calendar is not connected yet. Nothing is offered until it is.')
})

it('refuses what saving would refuse', async () => {
  const colleague = await house.newHost()
  const foreign = await made('/schedules', hours({ hostId: colleague.id }))
  expect(issues(await preview({ scheduleId: foreign.id }))).toEqual(['scheduleId'])
  expect(issues(await preview({ durations: [3] }))).toEqual(['durations.0'])
  expect(issues(await preview({ assignment: 'collective' }))).toEqual(['hostIds'])
  expect(issues(await preview({ from: '9999-01-01' }))).toEqual(['from'])
  const eventType = await made('/event-types', meeting({ hostId: colleague.id }))
  expect((await preview({ eventTypeId: eventType.id })).status).toBe(404)
})

it('shows members nobody else’s calendar', async () => {
  const colleague = await house.newHost()
  const token = await host.token()
  const asked = (fields: object) => call('POST', '/event-types/preview', timing(fields), token)
  expect((await asked({})).status).toBe(200)
  expect(await asked({ hostId: colleague.id })).toMatchObject({ status: 403, body: { code: 'not_admin' } })
  expect(await asked({ assignment: 'round_robin', hostIds: [host.id, colleague.id] })).toMatchObject({ status: 403 })
})
