import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { setTenantStatus } from '@atrium/testing/mailboxes'
import { clientsWithDeadline, mailFaults } from '@atrium/testing/outside'
import { offered, visit, wish } from '@atrium/testing/visitors'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { datesOf, rangeOf } from '../src/scheduling/slots/range.ts'

let testApp: BookingsTestApp
let host: TestHost
let day = 0

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(2_000) })
  host = await testApp.newHost({ slug: 'hanna', name: 'Hanna Host', title: 'Advisor' })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => {
  day += 72
  testApp.time.now = testApp.at(day)
})
afterEach(() => testApp.sandbox.clearFaults())

const at = (hours: number) => testApp.at(day + hours)
const iso = (hours: number) => at(hours).toISOString()
const slotsPath = (id: string, query: string) => `/event-types/${id}/slots?${query}`
const inUtc = (from: string, to: string) => `from=${from}&to=${to}&timeZone=UTC`
const forget = (...hosts: TestHost[]) => {
  for (const { id } of hosts) testApp.app.services.busyTimes.forget(id)
}
const hoursOf = (starts: string[]) =>
  starts.map((start) => (Date.parse(start) - at(0).getTime()) / 3_600_000)

describe('booking pages', () => {
  it('show listed hosts and event types, with the brand in force', async () => {
    const listed = await testApp.newEventType(host, { slug: 'listed', title: 'Listed' })
    await testApp.newEventType(host, {
      slug: 'secret',
      title: 'Secret',
      listed: false,
      fields: JSON.stringify([{ key: 'why', label: 'Why?', kind: 'text', required: true }]),
    })
    await testApp.newEventType(host, { slug: 'off', title: 'Off', active: false })
    await testApp.newHost({ slug: 'unlisted', listed: false })
    await testApp.database.db
      .insertInto('booking_pages')
      .values({
        tenant_id: host.tenantId,
        headline: 'Meet us',
        intro: 'Choose.',
        embed_origins: ['https://acme.test'],
      })
      .onConflict((one) => one.column('tenant_id').doUpdateSet({ headline: 'Meet us' }))
      .execute()
    const page = await visit(testApp, 'GET', '/pages/acme')
    expect(page).toMatchObject({
      status: 200,
      body: {
        tenant: {
          slug: 'acme',
          brand: { productName: expect.any(String), accentColor: expect.stringMatching(/^#/) },
          headline: 'Meet us',
          embedOrigins: ['https://acme.test'],
        },
      },
    })
    expect(page.body.hosts).toEqual([
      { slug: 'hanna', name: 'Hanna Host', title: 'Advisor', description: null, avatarUrl: null },
    ])
    const ofHost = await visit(testApp, 'GET', '/pages/acme/hanna')
    expect(ofHost.body.eventTypes).toMatchObject([
      {
        id: listed,
        slug: 'listed',
        durations: [30, 60],
        location: { kind: 'video', text: null },
        seats: 1,
      },
    ])
    expect((await visit(testApp, 'GET', '/pages/acme/hanna/secret')).body.eventType).toMatchObject({
      slug: 'secret',
      timeZone: 'UTC',
      hostNames: ['Hanna Host'],
      assignment: 'host',
      fields: [{ key: 'why', label: 'Why?', kind: 'text', required: true }],
    })
    expect((await visit(testApp, 'GET', '/pages/acme/unlisted')).status).toBe(200)
  })

  it('say the same of everything that is not there', async () => {
    const off = await testApp.newHost({ slug: 'inactive', active: false })
    const eventType = await testApp.newEventType(off, { slug: 'of-inactive' })
    const gone = await testApp.newEventType(host, { slug: 'switched-off', active: false })
    const range = inUtc(iso(0), iso(24))
    const paths = [
      ...[
        '/pages/nobody',
        '/pages/acme/nobody',
        '/pages/acme/hanna/nothing',
        '/pages/acme/inactive',
        '/pages/acme/inactive/of-inactive',
      ],
      ...['/pages/acme/hanna/switched-off', '/pages/A%00', '/pages/acme/%F0%9F%98%80'],
      ...[
        slotsPath(eventType, range),
        slotsPath(gone, range),
        slotsPath('00000000-0000-7000-8000-000000000000', range),
      ],
    ]
    const responses = []
    for (const path of paths) responses.push(await visit(testApp, 'GET', path))
    const told = responses.map(({ status, body: { requestId: _, ...body } }) => ({ status, body }))
    expect(new Set(told.map((one) => JSON.stringify(one))).size, JSON.stringify(told)).toBe(1)
    expect(told[0]).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('are gone with the tenant, or when it switches them off', async () => {
    const eventType = await testApp.newEventType(host)
    const paths = ['/pages/acme', '/pages/acme/hanna', slotsPath(eventType, inUtc(iso(0), iso(24)))]
    const statuses = async () => {
      const found: number[] = []
      for (const path of paths) found.push((await visit(testApp, 'GET', path)).status)
      found.push(
        (
          await visit(testApp, 'POST', '/slot-locks', {
            body: { eventTypeId: eventType, start: iso(5) },
          })
        ).status,
      )
      found.push(
        (await visit(testApp, 'POST', '/bookings', { body: wish(eventType, at(5)) })).status,
      )
      return found
    }
    const nothing = [404, 404, 404, 404, 404]
    for (const status of ['suspended', 'deleted'] as const) {
      await setTenantStatus(testApp, 'acme', status)
      expect(await statuses(), status).toEqual(nothing)
    }
    await setTenantStatus(testApp, 'acme', 'active')
    await testApp.database.db.updateTable('booking_pages').set({ enabled: false }).execute()
    expect(await statuses()).toEqual(nothing)
    await testApp.database.db.updateTable('booking_pages').set({ enabled: true }).execute()
    expect((await visit(testApp, 'GET', '/pages/acme')).status).toBe(200)
  })
})

describe('the slots of a range', () => {
  it('are grouped by the dates of the visitor, every date of the range among them', async () => {
    const eventType = await testApp.newEventType(host, { step_minutes: 720 })
    const date = (hours: number) => iso(hours).slice(0, 10)
    const { status, body, headers } = await visit(
      testApp,
      'GET',
      slotsPath(eventType, `from=${date(24)}&to=${date(48)}&timeZone=Asia/Tokyo&duration=60`),
    )
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      timeZone: 'Asia/Tokyo',
      duration: 60,
      from: iso(15),
      to: iso(63),
      nextFrom: null,
      generatedAt: iso(0),
      slots: {
        [date(24)]: [
          { start: iso(24), end: iso(25) },
          { start: iso(36), end: iso(37) },
        ],
        [date(48)]: [
          { start: iso(48), end: iso(49) },
          { start: iso(60), end: iso(61) },
        ],
      },
    })
  })

  it('are the same instants in every zone, each under the date that its clocks show', async () => {
    const eventType = await testApp.newEventType(host)
    await testApp.block(host, at(30), at(33))
    const range = `from=${encodeURIComponent(iso(1))}&to=${encodeURIComponent(iso(60))}`
    const zones = [
      'UTC',
      'Europe/Paris',
      'America/Los_Angeles',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Pacific/Niue',
    ]
    const listed = await Promise.all(
      zones.map(async (zone) => {
        const { status, body } = await visit(
          testApp,
          'GET',
          slotsPath(eventType, `${range}&timeZone=${zone}`),
        )
        expect(status, JSON.stringify(body)).toBe(200)
        // The format of dates in Swedish is that of ISO 8601.
        const dates = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
        return Object.entries<{ start: string }[]>(body.slots).flatMap(([date, slots]) =>
          slots.map(({ start }) => {
            expect(dates.format(new Date(start)), `${start} in ${zone}`).toBe(date)
            return start
          }),
        )
      }),
    )
    expect(listed[0]?.length).toBeGreaterThan(50)
    for (const starts of listed) expect(starts).toEqual(listed[0])
  })

  it('are the same over tRPC', async () => {
    const eventType = await testApp.newEventType(host, { step_minutes: 720 })
    const input = { id: eventType, from: iso(0), to: iso(24), timeZone: 'Europe/Paris' }
    const rest = await visit(
      testApp,
      'GET',
      slotsPath(eventType, `from=${input.from}&to=${input.to}&timeZone=Europe/Paris`),
    )
    expect(await testApp.trpc().scheduling.slots.list.query(input)).toEqual(rest.body)
  })

  it.each([
    ['an unknown zone', { timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['an offset for a zone', { timeZone: '%2B02:00' }, 'timeZone'],
    ['no zone', { timeZone: undefined }, 'timeZone'],
    ['an end before the beginning', { from: 24, to: 0 }, 'to'],
    ['a range that is over', { from: -48, to: -24 }, 'to'],
    ['text for a date', { from: 'soon' }, 'from'],
    ['a date that does not exist', { from: '2027-02-30' }, 'from'],
    ['the year 9999', { from: '9999-01-01', to: '9999-01-02' }, 'from'],
    ['a duration that is not offered', { duration: '45' }, 'duration'],
    ['an unknown parameter', { colour: 'red' }, 'colour'],
  ])('refuse %s', async (_name, over: Record<string, string | number | undefined>, path) => {
    const eventType = await testApp.newEventType(host)
    const asked = { from: 0, to: 24, timeZone: 'UTC', ...over }
    const query = Object.entries(asked).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}=${typeof value === 'number' ? iso(value) : value}`],
    )
    const { status, body } = await visit(testApp, 'GET', slotsPath(eventType, query.join('&')))
    expect([status, body.code], JSON.stringify(body)).toEqual([400, 'invalid_input'])
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual([path])
  })

  it('span at most 62 days', async () => {
    const eventType = await testApp.newEventType(host, { step_minutes: 1440 })
    expect(
      (await visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(0), iso(62 * 24))))).status,
    ).toBe(200)
    expect(
      await visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(0), iso(63 * 24)))),
    ).toMatchObject({
      status: 422,
      body: {
        code: 'range_too_long',
        issues: [{ path: 'to', message: 'A range spans at most 62 days.' }],
      },
    })
  })

  it('leave out what is busy in the calendar, with buffers, and what is booked', async () => {
    const busy = await testApp.newHost()
    const eventType = await testApp.newEventType(busy, {
      durations: [60],
      step_minutes: 60,
      before_minutes: 0,
      after_minutes: 30,
    })
    await testApp.block(busy, at(3), at(4))
    await testApp.book({ host: busy, eventTypeId: eventType, start: at(8), minutes: 60 })
    expect(hoursOf(await offered(testApp, eventType, at(0), at(12)))).toEqual([
      0, 1, 4, 5, 6, 10, 11,
    ])
  })

  it('do not count what we wrote into the calendar ourselves', async () => {
    const own = await testApp.newHost()
    const eventType = await testApp.newEventType(own, { durations: [60], step_minutes: 60 })
    const booking = await testApp.book({
      host: own,
      eventTypeId: eventType,
      start: at(2),
      minutes: 60,
    })
    expect(await testApp.event(booking)).toEqual({ start: at(2).getTime(), end: at(3).getTime() })
    expect(hoursOf(await offered(testApp, eventType, at(0), at(5)))).toEqual([0, 1, 3, 4])
    const moved = `&rescheduleOf=${booking.id}`
    expect(
      hoursOf(
        await offered(testApp, eventType, at(0), at(5), { token: booking.token, query: moved }),
      ),
    ).toEqual([0, 1, 2, 3, 4])
  })

  it('free the time of a booking to nobody but the holder of its link', async () => {
    const own = await testApp.newHost()
    const eventType = await testApp.newEventType(own)
    const [one, other] = [
      await testApp.book({ host: own, eventTypeId: eventType, start: at(2) }),
      await testApp.book({ host: own, eventTypeId: eventType, start: at(4) }),
    ]
    const query = `${inUtc(iso(0), iso(5))}&rescheduleOf=${one.id}`
    for (const token of [undefined, other.token, 'x'.repeat(43)]) {
      expect(await visit(testApp, 'GET', slotsPath(eventType, query), { token })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    }
  })

  it('count limits over whole months, however short the range is', async () => {
    const busy = await testApp.newHost()
    const eventType = await testApp.newEventType(busy, {
      durations: [30],
      step_minutes: 60,
      limit_month: 1,
    })
    const month = (offset: number) => {
      const first = new Date(at(0))
      first.setUTCMonth(first.getUTCMonth() + offset, 1)
      first.setUTCHours(0, 0, 0, 0)
      return first
    }
    const [first, last, next] = [month(1), new Date(month(2).getTime() - 3_600_000), month(2)]
    await testApp.book({ host: busy, eventTypeId: eventType, start: first })
    expect(await offered(testApp, eventType, last, new Date(next.getTime() + 3_600_000))).toEqual([
      next.toISOString(),
    ])
  })

  it('show the places that are left where visitors share a start', async () => {
    const teacher = await testApp.newHost()
    const eventType = await testApp.newEventType(teacher, {
      durations: [60],
      step_minutes: 60,
      seats: 3,
    })
    const first = await visit(testApp, 'POST', '/bookings', { body: wish(eventType, at(1)) })
    expect(first.status, JSON.stringify(first.body)).toBe(201)
    const { body } = await visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(0), iso(3))))
    expect(Object.values(body.slots).flat()).toMatchObject([
      { seatsLeft: 3 },
      { start: iso(1), seatsLeft: 2 },
      { seatsLeft: 3 },
    ])
    await visit(testApp, 'POST', '/slot-locks', { body: { eventTypeId: eventType, start: iso(1) } })
    const after = await visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(1), iso(2))))
    expect(Object.values(after.body.slots).flat()).toMatchObject([{ start: iso(1), seatsLeft: 1 }])
  })
})

describe('dates of a zone', () => {
  const datesIn = (timeZone: string, from: string, to: string) =>
    datesOf(rangeOf({ from, to, timeZone }, 0), timeZone)
  it('are whole days of it, whatever its clocks do', () => {
    expect(datesIn('Europe/Paris', '2027-03-27', '2027-03-29')).toEqual([
      '2027-03-27',
      '2027-03-28',
      '2027-03-29',
    ])
    expect(rangeOf({ from: '2027-03-28', to: '2027-03-28', timeZone: 'Europe/Paris' }, 0)).toEqual({
      start: Date.parse('2027-03-27T23:00:00Z'),
      end: Date.parse('2027-03-28T22:00:00Z'),
    })
    expect(datesIn('Pacific/Apia', '2011-12-29', '2011-12-31')).toEqual([
      '2011-12-29',
      '2011-12-31',
    ])
  })

  it('may be 62 in one question, also where an hour comes twice', () => {
    expect(datesIn('America/New_York', '2027-10-01', '2027-12-01')).toHaveLength(62)
    expect(() => datesIn('America/New_York', '2027-10-01', '2027-12-02')).toThrow(/62 days/)
  })
})

describe('several hosts', () => {
  async function team(assignment: 'round_robin' | 'collective') {
    const [one, two] = [await testApp.newHost(), await testApp.newHost()]
    const eventType = await testApp.newEventType(one, {
      durations: [60],
      step_minutes: 60,
      assignment,
    })
    await testApp.database.db
      .insertInto('event_type_hosts')
      .values([one, two].map(({ id }) => ({ event_type_id: eventType, host_id: id })))
      .execute()
    await testApp.block(one, at(1), at(2))
    await testApp.block(two, at(2), at(3))
    return { one, two, eventType }
  }

  it('offer what one of them has free, in a round robin', async () => {
    const { one, two, eventType } = await team('round_robin')
    expect(hoursOf(await offered(testApp, eventType, at(0), at(4)))).toEqual([0, 1, 2, 3])
    await testApp.block(one, at(2), at(3))
    forget(one, two)
    expect(hoursOf(await offered(testApp, eventType, at(0), at(4)))).toEqual([0, 1, 3])
  })

  it('offer what all of them have free, together', async () => {
    const { eventType } = await team('collective')
    expect(hoursOf(await offered(testApp, eventType, at(0), at(4)))).toEqual([0, 3])
  })

  it('together need every calendar; in a round robin the others go on', async () => {
    const [robin, all] = [await team('round_robin'), await team('collective')]
    for (const { two } of [robin, all])
      await testApp.database.db
        .deleteFrom('mail_credentials')
        .where('host_id', '=', two.id)
        .execute()
    expect(hoursOf(await offered(testApp, robin.eventType, at(0), at(4)))).toEqual([0, 2, 3])
    expect(
      await visit(testApp, 'GET', slotsPath(all.eventType, inUtc(iso(0), iso(4)))),
    ).toMatchObject({
      status: 503,
      body: { code: 'calendar_unavailable' },
    })
  })

  it('are not bookable together without one who left', async () => {
    const { two, eventType } = await team('collective')
    await testApp.database.db
      .updateTable('memberships')
      .set({ status: 'suspended' })
      .where('user_id', '=', two.userId)
      .execute()
    expect((await visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(0), iso(4))))).status).toBe(
      404,
    )
  })
})

describe('a calendar that cannot be read', () => {
  const faults = [...mailFaults, { mode: 'latency', delayMs: 6_000 } as const]
  it.each(faults)('is no free time: %j', async (fault) => {
    const away = await testApp.newHost()
    const eventType = await testApp.newEventType(away)
    testApp.sandbox.fault({ system: 'mail', match: 'Principal/getAvailability', ...fault })
    const calls = [
      visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(0), iso(24)))),
      visit(testApp, 'POST', '/slot-locks', { body: { eventTypeId: eventType, start: iso(5) } }),
      visit(testApp, 'POST', '/bookings', { body: wish(eventType, at(6)) }),
    ]
    for (const { status, body, headers } of await Promise.all(calls)) {
      expect([status, body.code], JSON.stringify(body)).toEqual([503, 'calendar_unavailable'])
      expect(headers.get('retry-after')).toBe('5')
    }
    const stored = await testApp.database.db
      .selectFrom('bookings')
      .select('id')
      .where('event_type_id', '=', eventType)
      .execute()
    expect(stored).toEqual([])
    testApp.sandbox.clearFaults()
    // A rejection counts against the credential until it is checked again.
    await testApp.database.db
      .updateTable('mail_credentials')
      .set({ ok: true })
      .where('host_id', '=', away.id)
      .execute()
    expect((await offered(testApp, eventType, at(0), at(24))).length).toBeGreaterThan(0)
  })

  it('is one whose credential is rejected, and the host is notified', async () => {
    const away = await testApp.newHost()
    const eventType = await testApp.newEventType(away)
    testApp.sandbox.fault({
      system: 'mail',
      match: 'Principal/getAvailability',
      mode: 'error',
      status: 401,
    })
    expect((await visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(0), iso(24))))).status).toBe(
      503,
    )
    const row = await testApp.database.db
      .selectFrom('mail_credentials')
      .select(['ok', 'error'])
      .where('host_id', '=', away.id)
      .executeTakeFirst()
    expect(row).toMatchObject({ ok: false, error: expect.any(String) })
  })

  it('is one that was never connected: visitors learn no more, hosts do', async () => {
    const away = await testApp.newHost()
    const eventType = await testApp.newEventType(away)
    await testApp.database.db
      .deleteFrom('mail_credentials')
      .where('host_id', '=', away.id)
      .execute()
    const response = await visit(testApp, 'GET', slotsPath(eventType, inUtc(iso(0), iso(24))))
    expect([response.status, response.body.code]).toEqual([503, 'calendar_unavailable'])
    expect(JSON.stringify(response.body)).not.toMatch(/connect/i)
    const told = await testApp.request(
      'GET',
      `/api/v1/tenants/acme/event-types/${eventType}/explain?start=${iso(5)}`,
      {
        token: await testApp.admin(),
      },
    )
    expect(told).toMatchObject({ status: 409, body: { code: 'host_not_connected' } })
  })
})

describe('why a time is missing', () => {
  const explain = async (eventType: string, hours: number, query = '') =>
    testApp.request(
      'GET',
      `/api/v1/tenants/acme/event-types/${eventType}/explain?start=${iso(hours)}${query}`,
      {
        token: await testApp.admin(),
      },
    )
  const failed = (body: { hosts: { rules: { rule: string; passed: boolean }[] }[] }) =>
    body.hosts.map(({ rules }) => rules.filter(({ passed }) => !passed).map(({ rule }) => rule))

  it('is told to the tenant rule by rule, and agrees with what is offered', async () => {
    const busy = await testApp.newHost()
    const eventType = await testApp.newEventType(busy, {
      durations: [60],
      step_minutes: 60,
      notice_minutes: 120,
      limit_day: 2,
      booking_window: JSON.stringify({ kind: 'rolling', days: 1 }),
    })
    await testApp.block(busy, at(5), at(6))
    await testApp.book({ host: busy, eventTypeId: eventType, start: at(8), minutes: 60 })
    await visit(testApp, 'POST', '/slot-locks', {
      body: { eventTypeId: eventType, start: iso(10) },
    })
    const expected: [number, string[]][] = [
      [1, ['notice']],
      [3, []],
      [3.5, ['grid']],
      [5, ['calendar']],
      [8, ['bookings']],
      [10, ['locks']],
      [49, ['window']],
    ]
    const offers = hoursOf(await offered(testApp, eventType, at(0), at(60)))
    for (const [hours, rules] of expected) {
      const { status, body } = await explain(eventType, hours)
      expect(status, JSON.stringify(body)).toBe(200)
      expect([hours, failed(body), body.offered]).toEqual([hours, [rules], rules.length === 0])
      expect(offers.includes(hours)).toBe(body.offered)
    }
    await testApp.book({ host: busy, eventTypeId: eventType, start: at(12), minutes: 60 })
    expect(failed((await explain(eventType, 3)).body)).toEqual([['event_type_limits']])
  })

  it('is in the language of the caller, with the day, the zone and the numbers', async () => {
    const eventType = await testApp.newEventType(host, { notice_minutes: 600 })
    const read = async (language: string) => {
      const { status, body } = await testApp.request(
        'GET',
        `/api/v1/tenants/acme/event-types/${eventType}/explain?start=${iso(1)}`,
        { token: await testApp.admin(), headers: { 'accept-language': language } },
      )
      expect(status, JSON.stringify(body)).toBe(200)
      const [{ rules }] = body.hosts as [{ rules: { rule: string; detail: string }[] }]
      return new Map(rules.map(({ rule, detail }) => [rule, detail]))
    }
    const dayIn = (locale: string) =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(at(1))
    const [english, german] = [await read('en'), await read('de')]
    expect(english.get('notice')).toBe('It is less than 600 minutes from now, or in the past.')
    expect(german.get('notice')).toContain('weniger als 600 Minuten')
    expect(english.get('hours')).toContain(`${dayIn('en')} (UTC)`)
    expect(german.get('hours')).toContain(`${dayIn('de')} (UTC)`)
  })

  it('is nothing for other tenants, and rejects what is no event type here', async () => {
    const eventType = await testApp.newEventType(host)
    const path = `/api/v1/tenants/globex/event-types/${eventType}/explain?start=${iso(5)}`
    expect(await testApp.request('GET', path, { token: await testApp.operator() })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect((await explain(eventType, 5, '&duration=45')).body.issues).toMatchObject([
      { path: 'duration' },
    ])
  })
})

describe('a question about very many starts', () => {
  it('is answered in parts of whole dates, which together are all of them', async () => {
    const date = (days: number) => iso(24 * days).slice(0, 10)
    const tight = await testApp.newEventType(await testApp.newHost(), {
      step_minutes: 5,
      durations: [5],
    })
    const ask = async (from: string) => {
      const query = `from=${from}&to=${date(20)}&timeZone=America/St_Johns`
      const { status, body } = await visit(testApp, 'GET', `/event-types/${tight}/slots?${query}`)
      expect(status).toBe(200)
      return body as { slots: Record<string, { start: string }[]>; nextFrom: string | null }
    }
    const dates: string[] = []
    const starts: string[] = []
    for (let from: string | null = date(1); from !== null; ) {
      const part: Awaited<ReturnType<typeof ask>> = await ask(from)
      const ofPart = Object.values(part.slots).flat()
      expect(ofPart.length).toBeLessThanOrEqual(2_500)
      expect(Object.keys(part.slots)[0]).toBe(from)
      dates.push(...Object.keys(part.slots))
      starts.push(...ofPart.map(({ start }) => start))
      from = part.nextFrom
    }
    expect(dates).toHaveLength(20)
    expect(starts).toHaveLength(20 * 288)
    expect(new Set(starts).size).toBe(starts.length)
  })
})

describe('the calendar behind the list', () => {
  it('is asked again three seconds later, and once for all who ask before', async () => {
    const busy = await testApp.newHost()
    const eventType = await testApp.newEventType(busy)
    const list = () => offered(testApp, eventType, at(10), at(12))
    const before = await list()
    expect(before).toEqual([10, 10.5, 11, 11.5].map(iso))
    await testApp.block(busy, at(10), at(11))
    expect(await list()).toEqual(before)
    testApp.time.now = new Date(testApp.time.now.getTime() + 3_000)
    expect(await list()).toEqual([11, 11.5].map(iso))
  })
})
