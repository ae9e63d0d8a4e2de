import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stalwartCalendars } from '../src/calendars/stalwart.ts'
import type { CallReport } from '../src/call-policy.ts'
import { UpstreamError } from '../src/upstream-error.ts'
import { calendarMethods } from './calendars-methods.ts'
import {
  booking,
  type CalendarTestServer,
  day,
  type Host,
  hour,
  monday,
  startCalendarTestServer,
} from './calendars-sandbox.ts'
import { credentialCanary } from './clients.ts'
import { bodyCanary, faults } from './faults.ts'
import { json, scriptedServer } from './scripted-server.ts'

const quick = {
  backoffMs: { initial: 1, max: 2 },
  maxResponseBytes: 200_000,
  retries: 2,
  circuit: { failures: 1_000, openMs: 60_000 },
}
const someHost: Host = {
  accountId: 'd',
  address: 'anna@acme.test',
  credential: { username: 'anna@acme.test', secret: credentialCanary },
  calendar: { accountId: 'd', calendarId: 'b', timeZone: 'Europe/Berlin' },
}

async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  const error = await promise.then(
    (value) => new Error(`it answered ${inspect(value)}`),
    (thrown: unknown) => thrown,
  )
  if (error instanceof UpstreamError) return error
  throw error
}

function expectNoSecrets(
  error: UpstreamError,
  reports: readonly CallReport[],
  { credential, address }: Host = someHost,
) {
  const shown =
    inspect([error, Object.entries(error), reports], { depth: 10, showHidden: true }) +
    JSON.stringify([error, reports])
  const basic = Buffer.from(`${credential.username}:${credential.secret}`).toString('base64')
  for (const secret of [
    credential.secret,
    basic,
    address,
    bodyCanary,
    'Basic',
    '127.0.0.1',
    'paul@elsewhere.test',
  ])
    expect(shown).not.toContain(secret)
}

describe.each(calendarMethods)('$name, when its first request fails', ({ name, run }) => {
  it.each(faults)('reports $name as $kind', async (fault) => {
    const reports: CallReport[] = []
    await using server = await scriptedServer((_, response) => fault.answer(response))
    const deadlineMs = fault.deadlineMs ?? 10_000
    const options = { ...quick, baseUrl: server.url, deadlineMs, operationDeadlineMs: 20_000 }
    const calendars = stalwartCalendars({ ...options, onCall: (report) => reports.push(report) })
    const error = await failureOf(run(calendars, someHost, 'c'))
    expect(error).toMatchObject({ system: 'mail', call: name, kind: fault.kind })
    expect(reports).toHaveLength(fault.tries)
    // On a busy machine a try may be over before it reaches the server that would not have answered
    // it.
    if (fault.deadlineMs === undefined) expect(server.received).toHaveLength(fault.tries)
    expectNoSecrets(error, reports)
  })
})

describe('against the local stand-in', () => {
  let testServer: CalendarTestServer
  let anna: Host
  let eventId: string

  beforeAll(async () => {
    testServer = await startCalendarTestServer()
  })
  afterAll(() => testServer.sandbox.close())
  beforeEach(async () => {
    testServer.sandbox.reset()
    anna = await testServer.host('anna')
    eventId = (
      await testServer.calendars().putEvent({ ...anna, event: booking(anna), eventId: null })
    ).eventId
  })
  const events = () =>
    (testServer.sandbox.mail.calendars.list()[anna.address] ?? []).map(({ event }) => event)

  const modes = [
    ['error', 'server'],
    ['reset', 'connection'],
    ['garbage', 'invalid_answer'],
    ['shape', 'invalid_answer'],
    ['timeout', 'timeout'],
    ['latency', 'timeout'],
  ] as const
  const requests = calendarMethods.flatMap((method) =>
    method.asks.flatMap((ask) => modes.map(([mode, kind]) => ({ method, ask, mode, kind }))),
  )

  it.each(requests)(
    '$method.name fails when $ask answers $mode',
    async ({ method, ask, mode, kind }) => {
      const reports: CallReport[] = []
      const isSlow = mode === 'timeout' || mode === 'latency'
      const options = {
        retries: 0,
        deadlineMs: isSlow ? 60 : 10_000,
        onCall: (report: CallReport) => reports.push(report),
      }
      testServer.sandbox.fault({ system: 'mail', match: ask, mode })
      const error = await failureOf(method.run(testServer.calendars(options), anna, eventId))
      expect(error).toMatchObject({ system: 'mail', call: method.name, kind })
      expectNoSecrets(error, reports, anna)
    },
  )

  it.each(calendarMethods)(
    '$name heals when the answer of each of its requests is lost once',
    async ({ run, asks }) => {
      for (const ask of asks)
        testServer.sandbox.fault({
          system: 'mail',
          match: ask,
          mode: 'reset',
          after: true,
          times: 1,
        })
      await run(testServer.calendars({ retries: asks.length }), anna, eventId)
    },
  )

  it.each(calendarMethods)('$name is rejected for an invalid secret', async ({ name, run }) => {
    const outsider = { ...anna, credential: { ...anna.credential, secret: 'app_wrong' } }
    await expect(run(testServer.calendars(), outsider, eventId)).rejects.toMatchObject({
      call: name,
      kind: 'unauthorized',
      status: 401,
    })
  })

  it.each(calendarMethods)('$name is rejected while the mailbox is frozen', async ({ run }) => {
    await testServer.client().freezeAccount(anna.accountId)
    await expect(run(testServer.calendars(), anna, eventId)).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 403,
    })
  })

  it('makes one event when the answer to the first try was lost', async () => {
    const uid = 'bkg-2@atrium.test'
    testServer.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    const put = () =>
      testServer.calendars().putEvent({ ...anna, event: booking(anna, { uid }), eventId: null })
    const { eventId: made } = await put()
    expect(await put()).toEqual({ eventId: made })
    expect(events().filter((event) => event.uid === uid)).toHaveLength(1)
  })

  it('waits for its turn at a mailbox instead of being the fifth request', async () => {
    const calendars = testServer.calendars()
    const reads = Array.from({ length: 20 }, () =>
      calendars.busyPeriods({ ...anna, from: monday, to: monday + day }),
    )
    const expected = [{ start: monday + 8 * hour, end: monday + 8.5 * hour, eventId }]
    expect(await Promise.all(reads)).toEqual(reads.map(() => expected))
  })

  it('keeps the trouble of one mailbox from the others', async () => {
    const ben = await testServer.host('ben')
    const calendars = testServer.calendars({ retries: 0, circuit: { failures: 2, openMs: 60_000 } })
    const read = (host: Host) => calendars.busyPeriods({ ...host, from: monday, to: monday + day })
    testServer.sandbox.fault({
      system: 'mail',
      match: 'getAvailability',
      mode: 'error',
      status: 429,
      times: 2,
    })
    for (const kind of ['rate_limited', 'rate_limited', 'circuit_open'])
      await expect(read(anna)).rejects.toMatchObject({ kind })
    expect(await read(ben)).toEqual([])
    const wrong = { ...ben, credential: { ...ben.credential, secret: 'app_wrong' } }
    for (let round = 0; round < 4; round += 1)
      await expect(read(wrong)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect(await read(ben)).toEqual([])
  })

  it('ends with the reason of the caller', async () => {
    testServer.sandbox.fault({ system: 'mail', match: 'getAvailability', mode: 'timeout' })
    const controller = new AbortController()
    const reading = testServer
      .calendars()
      .busyPeriods({ ...anna, from: monday, to: monday + day }, { signal: controller.signal })
    controller.abort(new Error('the visitor went away'))
    await expect(reading).rejects.toThrow('the visitor went away')
  })
})

it('gives up by itself', async () => {
  await using server = await scriptedServer(() => undefined)
  const reading = stalwartCalendars({ baseUrl: server.url }).busyPeriods({
    ...someHost,
    from: monday,
    to: monday + day,
  })
  await expect(reading).rejects.toMatchObject({ kind: 'timeout' })
})

describe('an answer that makes no sense', () => {
  const right = { mayReadFreeBusy: true, mayReadItems: true }
  const calendar = { id: 'b', timeZone: null, includeInAvailability: 'all', myRights: right }
  const period = {
    utcStart: '2027-06-07T09:00:00Z',
    utcEnd: '2027-06-07T10:00:00Z',
    busyStatus: 'confirmed',
    event: null,
  }
  const whole = {
    calendars: ['Calendar/get', { list: [calendar] }],
    busy: ['Principal/getAvailability', { list: [period] }],
    found: ['CalendarEvent/query', { ids: [] as string[] }],
    kinds: ['CalendarEvent/get', { list: [] as object[], notFound: [] as string[] }],
  } satisfies Record<string, [string, object]>
  type Answers = { [Call in keyof typeof whole]?: [string, object] }

  const reading = async (responses: Answers, details: object = { list: [], notFound: [] }) => {
    await using server = await scriptedServer(({ body }, response) => {
      const { methodCalls } = body as { methodCalls: [string, { properties?: string[] }, string][] }
      const isDetail = methodCalls.length === 1
      const all = { ...whole, ...responses }
      const methodResponses = isDetail
        ? [['CalendarEvent/get', details, 'get']]
        : Object.entries(all).map(([callId, [name, result]]) => [name, result, callId])
      json(response, 200, { methodResponses, sessionState: 's' })
    })
    const calendars = stalwartCalendars({ ...quick, retries: 0, baseUrl: server.url })
    return await calendars.busyPeriods({ ...someHost, from: monday, to: monday + day })
  }
  const busy = (list: unknown): Answers => ({
    busy: ['Principal/getAvailability', { list } as object],
  })
  const secret = { id: 'x', calendarIds: { b: true }, privacy: 'secret' }
  const withSecret: Answers = {
    found: ['CalendarEvent/query', { ids: ['x'] }],
    kinds: ['CalendarEvent/get', { list: [secret], notFound: [] }],
  }

  it('is read when it makes sense', async () => {
    expect(await reading({})).toEqual([
      { start: monday + 9 * hour, end: monday + 10 * hour, eventId: null },
    ])
    const details = {
      list: [
        {
          id: 'x',
          baseEventId: 'c',
          utcStart: '2027-06-07T12:00:00Z',
          utcEnd: '2027-06-07T13:00:00Z',
        },
      ],
      notFound: [],
    }
    expect(await reading(withSecret, details)).toContainEqual({
      start: monday + 12 * hour,
      end: monday + 13 * hour,
      eventId: 'c',
    })
  })

  it.each<[string, Answers]>([
    ['a start that is no time', busy([{ ...period, utcStart: 'tomorrow' }])],
    ['a day that no month has', busy([{ ...period, utcStart: '2027-02-30T09:00:00Z' }])],
    ['a time without a zone', busy([{ ...period, utcEnd: '2027-06-07T10:00:00' }])],
    ['an hour that no day has', busy([{ ...period, utcEnd: '2027-06-07T25:00:00Z' }])],
    ['an end before the start', busy([{ ...period, utcEnd: '2027-06-07T08:00:00Z' }])],
    [
      'more than 10,000 periods',
      busy(
        Array.from({ length: 10_001 }, () => ({
          utcStart: period.utcStart,
          utcEnd: period.utcEnd,
        })),
      ),
    ],
    ['a list that is none', busy({})],
    ['no list', busy(undefined)],
    ['a period that is a text', busy(['busy'])],
    [
      'calendars without rights',
      { calendars: ['Calendar/get', { list: [{ ...calendar, myRights: undefined }] }] },
    ],
    [
      'a rule for availability that nobody knows',
      { calendars: ['Calendar/get', { list: [{ ...calendar, includeInAvailability: 'some' }] }] },
    ],
    ['another method', { busy: ['Principal/get', { list: [] }] }],
    [
      'fewer events than it found',
      { ...withSecret, kinds: ['CalendarEvent/get', { list: [], notFound: [] }] },
    ],
    ['half of the answers', { kinds: ['CalendarEvent/query', { ids: [] }] }],
    [
      'events without calendars',
      {
        ...withSecret,
        kinds: ['CalendarEvent/get', { list: [{ id: 'x', privacy: 'secret' }], notFound: [] }],
      },
    ],
  ])('is refused: %s', async (_, responses) => {
    const answer = responses.busy?.[1] as { list?: unknown[] } | undefined
    // The long list is larger than the quick client reads, which would be another reason.
    const isLong = Array.isArray(answer?.list) && answer.list.length > 10_000
    await using server = await scriptedServer((_request, response) => {
      const methodResponses = Object.entries({ ...whole, ...responses }).map(
        ([callId, [name, result]]) => [name, result, callId],
      )
      json(response, 200, { methodResponses, sessionState: 's' })
    })
    const options = {
      ...quick,
      retries: 0,
      baseUrl: server.url,
      ...(isLong && { maxResponseBytes: 5_000_000 }),
    }
    const rejected = stalwartCalendars(options).busyPeriods({
      ...someHost,
      from: monday,
      to: monday + day,
    })
    await expect(rejected).rejects.toMatchObject({ kind: 'invalid_answer' })
  })

  it.each([
    ['no times', { id: 'x' }],
    [
      'an end before the start',
      { id: 'x', utcStart: '2027-06-07T12:00:00Z', utcEnd: '2027-06-07T11:00:00Z' },
    ],
    [
      'the largest number there is as a time',
      { id: 'x', utcStart: '+292277026596-12-04T15:30:07Z', utcEnd: '2027-06-07T11:00:00Z' },
    ],
  ])('is refused where a confidential event has %s', async (_, detail) => {
    await expect(reading(withSecret, { list: [detail], notFound: [] })).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
  })

  it('is rejected where a confidential event is neither shown nor gone', async () => {
    await expect(reading(withSecret, { list: [], notFound: [] })).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
    expect(await reading(withSecret, { list: [], notFound: ['x'] })).toHaveLength(1)
  })

  it.each([
    ['no calendar', []],
    [
      'a calendar whose times may not be read',
      [{ ...calendar, myRights: { ...right, mayReadFreeBusy: false } }],
    ],
    [
      'one calendar of two that may not be read',
      [calendar, { ...calendar, id: 'c', myRights: { ...right, mayReadItems: false } }],
    ],
  ])('is no free time: %s', async (_, list) => {
    await expect(
      reading({ calendars: ['Calendar/get', { list }], ...busy([]) }),
    ).rejects.toMatchObject({ kind: 'refused' })
  })

  it('skips periods that take no time', async () => {
    expect(await reading(busy([{ ...period, utcEnd: period.utcStart }]))).toEqual([])
  })
})
