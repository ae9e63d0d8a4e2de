import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { benSignsIn, type CalendarServer, openCalendars, service } from './calendars-server.ts'

let testServer: CalendarServer
beforeEach(async () => {
  testServer = await openCalendars({ searchLagMs: 5_000 })
})
afterEach(() => testServer[Symbol.asyncDispose]())

const meeting = {
  title: 'Intro call',
  start: '2027-06-07T10:00:00',
  timeZone: 'Europe/Berlin',
  duration: 'PT30M',
}
const create = (event: object, more: object = {}, as?: string) =>
  testServer.call('CalendarEvent/set', { create: { e: event }, ...more }, as)
const inCalendar = { '@type': 'Event', calendarIds: { b: true } }
const participant = (address: string, roles: object) => ({
  '@type': 'Participant',
  calendarAddress: `mailto:${address}`,
  roles,
})
const key = '8584f8f9-5414-55e3-8a1c-ad6fc2f3ffb6'

describe('calendars', () => {
  it('begin with one that is the default', async () => {
    const { list } = await testServer.call(
      'Calendar/get',
      { accountId: testServer.ben },
      benSignsIn,
    )
    expect(list).toMatchObject([
      { id: 'b', name: 'Stalwart Calendar (ben@acme.test)', isDefault: true },
    ])
    expect(list[0]).not.toHaveProperty('includeInAvailability')
  })

  it('are made, changed and destroyed, but not with events in them', async () => {
    const { created } = await testServer.call('Calendar/set', {
      create: { e: { name: 'Private' } },
      onSuccessSetIsDefault: '#e',
    })
    const id = created.e.id
    const { list } = await testServer.call('Calendar/get', { ids: [id, 'zz'] })
    expect(list).toMatchObject([{ name: 'Private', isDefault: true }])
    await create({ ...inCalendar, ...meeting, calendarIds: { [id]: true } })
    expect((await testServer.call('Calendar/set', { destroy: [id] })).notDestroyed[id]).toEqual({
      type: 'calendarHasEvent',
    })
    expect(
      (await testServer.call('Calendar/set', { destroy: [id], onDestroyRemoveEvents: true }))
        .destroyed,
    ).toEqual([id])
    expect((await testServer.call('CalendarEvent/get', { ids: null })).list).toEqual([])
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ includeInAvailability: 'some' }, 'includeInAvailability'],
    [{ nonsense: 1 }, 'nonsense'],
  ])('do not take %j', async (patch, property) => {
    expect(
      (await testServer.call('Calendar/set', { update: { b: patch } })).notUpdated.b,
    ).toMatchObject({
      type: 'invalidProperties',
      properties: [property],
    })
  })

  it('of others are forbidden, except to a caller that may act as them', async () => {
    expect(await testServer.call('Calendar/get', {}, benSignsIn)).toMatchObject({
      type: 'forbidden',
    })
    expect((await testServer.call('Calendar/get', {}, service)).list).toHaveLength(1)
  })
})

describe('an event is rejected', () => {
  it.each<[string, object, string, string]>([
    [
      'without a calendar',
      { calendarIds: {} },
      'calendarIds',
      'Event has to belong to at least one calendar.',
    ],
    [
      'in one that is not there',
      { calendarIds: { zz: true } },
      'calendarIds',
      'calendarId zz does not exist.',
    ],
    ['with a property that nobody knows', { replyTo: {} }, 'replyTo', 'Invalid property.'],
    [
      'with a start that is none',
      { start: '2027-02-30T10:00:00' },
      'start',
      'Failed to convert calendar event to iCalendar.',
    ],
    [
      'with a start in UTC',
      { start: '2027-06-07T10:00:00Z' },
      'start',
      'Failed to convert calendar event to iCalendar.',
    ],
    [
      'with a zone that is none',
      { timeZone: 'Mars/Olympus' },
      'timeZone',
      'Failed to convert calendar event to iCalendar.',
    ],
    [
      'with a duration that is none',
      { duration: '30 minutes' },
      'duration',
      'Failed to convert calendar event to iCalendar.',
    ],
    [
      'with a status that is none',
      { status: 'maybe' },
      'status',
      'Failed to convert calendar event to iCalendar.',
    ],
    [
      'with a rule that is none',
      { recurrenceRule: { frequency: 'often' } },
      'recurrenceRule',
      'Failed to convert calendar event to iCalendar.',
    ],
    [
      'with a participant without an address',
      { participants: { p: {} } },
      'participants',
      'Failed to convert calendar event to iCalendar.',
    ],
    [
      'with half of its UTC times',
      { utcStart: '2027-06-07T10:00:00Z' },
      'utcStart',
      'Both utcStart and utcEnd must be provided.',
    ],
    ['with an id', { id: 'x' }, 'id', 'This property is immutable.'],
  ])('%s', async (_, change, property, description) => {
    const { notCreated } = await create({ ...inCalendar, ...meeting, ...change })
    expect(notCreated.e).toMatchObject({ type: 'invalidProperties', description })
    expect(notCreated.e.properties).toContain(property)
  })

  it('when it is larger than the server takes', async () => {
    const { notCreated } = await create({
      ...inCalendar,
      ...meeting,
      description: 'x'.repeat(600_000),
    })
    expect(notCreated.e.description).toContain('exceeds the maximum allowed size')
  })

  it('when its uid is there already, before any search finds it', async () => {
    await create({ ...inCalendar, ...meeting, uid: 'one' })
    expect((await create({ ...inCalendar, ...meeting, uid: 'one' })).notCreated.e).toEqual({
      type: 'invalidProperties',
      properties: ['uid'],
      description: 'An event with UID one already exists.',
    })
  })

  it('when its uid would change, or its id is invented or unknown', async () => {
    const { created } = await create({ ...inCalendar, ...meeting, uid: 'one' })
    const id = created.e.id
    const update = async (what: string, patch: object) =>
      (await testServer.call('CalendarEvent/set', { update: { [what]: patch } })).notUpdated[what]
    expect(await update(id, { uid: 'two' })).toMatchObject({
      description: 'You cannot change the UID of a calendar event.',
    })
    expect(await update('zz', { title: 'x' })).toEqual({ type: 'notFound' })
    const { ids } = await testServer.call('CalendarEvent/query', {
      filter: {
        operator: 'AND',
        conditions: [{ after: '2027-06-01T00:00:00' }, { before: '2027-07-01T00:00:00' }],
      },
      expandRecurrences: true,
    })
    const [instance = ''] = ids
    expect(await update(instance, { title: 'x' })).toMatchObject({
      description: 'Updating synthetic ids is not yet supported.',
    })
    expect(
      (await testServer.call('CalendarEvent/set', { destroy: [instance] })).notDestroyed[instance],
    ).toMatchObject({
      description: 'Deleting synthetic ids is not yet supported.',
    })
    expect(await update(id, { 'participants/none/name': 'x' })).toMatchObject({
      description: 'Patch operation failed.',
    })
  })
})

describe('an event', () => {
  it('gets a uid when it has none, takes UTC times, and shows them when asked', async () => {
    const { created } = await create({
      ...inCalendar,
      title: 'T',
      utcStart: '2027-06-07T08:00:00Z',
      utcEnd: '2027-06-07T09:00:00Z',
      timeZone: 'Europe/Berlin',
    })
    const { list } = await testServer.call('CalendarEvent/get', {
      ids: [created.e.id],
      properties: ['uid', 'start', 'timeZone', 'duration', 'utcStart', 'utcEnd'],
    })
    expect(list).toEqual([
      {
        id: created.e.id,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        start: '2027-06-07T10:00:00',
        timeZone: 'Europe/Berlin',
        duration: 'PT3600S',
        utcStart: '2027-06-07T08:00:00Z',
        utcEnd: '2027-06-07T09:00:00Z',
      },
    ])
    const { list: usual } = await testServer.call('CalendarEvent/get', { ids: [created.e.id] })
    expect(usual[0]).toMatchObject({
      calendarIds: { b: true },
      isDraft: false,
      isOrigin: true,
      updated: expect.any(String),
    })
    expect(usual[0]).not.toHaveProperty('utcStart')
  })

  it('that was a date stays one, until the form goes that it is stored in', async () => {
    const { created } = await create({
      ...inCalendar,
      title: 'Day off',
      start: '2027-06-07T00:00:00',
      duration: 'P1D',
      showWithoutTime: true,
    })
    const id = created.e.id
    const timed = {
      start: '2027-06-08T10:00:00',
      timeZone: 'Europe/Berlin',
      duration: 'PT1H',
      showWithoutTime: false,
    }
    const startAfter = async (patch: object) => {
      await testServer.call('CalendarEvent/set', { update: { [id]: patch } })
      return (await testServer.call('CalendarEvent/get', { ids: [id], properties: ['start'] }))
        .list[0]?.start
    }
    expect(await startAfter(timed)).toBe('2027-06-08T00:00:00')
    expect(await startAfter({ ...timed, iCalendar: null })).toBe('2027-06-08T10:00:00')
  })

  it('with participants and no organizer belongs to whoever wrote it', async () => {
    const participants = { [key]: participant('jdoe@example.com', { required: true }) }
    const { created } = await create({ ...inCalendar, ...meeting, participants }, {}, service)
    const { list } = await testServer.call('CalendarEvent/get', { ids: [created.e.id] })
    expect(list[0]).toMatchObject({
      organizerCalendarAddress: 'mailto:platform@atrium.test',
      isOrigin: false,
    })
    expect(
      Object.values(list[0]?.participants ?? {}).map(({ calendarAddress }) => calendarAddress),
    ).toEqual(['mailto:jdoe@example.com', 'mailto:platform@atrium.test'])
  })

  it('shows its organizer twice under a key that is not the own one of the server', async () => {
    const shown = async (name: string) => {
      const participants = { [name]: participant('jdoe@example.com', { owner: true }) }
      const { created } = await create({
        ...inCalendar,
        ...meeting,
        organizerCalendarAddress: 'mailto:jdoe@example.com',
        participants,
      })
      return Object.keys(
        (await testServer.call('CalendarEvent/get', { ids: [created.e.id] })).list[0]
          ?.participants ?? {},
      )
    }
    expect(await shown(key)).toEqual([key])
    expect(await shown('me')).toEqual(['me', key])
  })

  it('sends nothing unless told to', async () => {
    const participants = { [key]: participant('jdoe@example.com', { required: true }) }
    const messages = () =>
      (testServer.server.mail.state() as { calendars: { schedulingMessages: unknown[] } }).calendars
        .schedulingMessages
    await create({ ...inCalendar, ...meeting, uid: 'silent', participants })
    expect(messages()).toEqual([])
    await create(
      { ...inCalendar, ...meeting, uid: 'loud', participants },
      { sendSchedulingMessages: true },
    )
    expect(messages()).toEqual([{ accountId: testServer.anna, uid: 'loud' }])
  })

  it('changes the state, which tells what became of it', async () => {
    const { oldState, newState, created } = await create({ ...inCalendar, ...meeting })
    expect(newState).not.toBe(oldState)
    const id = created.e.id
    await testServer.call('CalendarEvent/set', { update: { [id]: { title: 'Other' } } })
    const since = (state: string) => testServer.call('CalendarEvent/changes', { sinceState: state })
    expect(await since(oldState)).toMatchObject({ created: [id], updated: [], destroyed: [] })
    expect(await since(newState)).toMatchObject({ created: [], updated: [id], destroyed: [] })
    expect(
      await testServer.call('CalendarEvent/set', { ifInState: oldState, destroy: [id] }),
    ).toMatchObject({ type: 'stateMismatch' })
    await testServer.call('CalendarEvent/set', { destroy: [id] })
    expect(await since(newState)).toMatchObject({ created: [], updated: [], destroyed: [id] })
    expect(await since('nonsense')).toMatchObject({ type: 'cannotCalculateChanges' })
  })
})

describe('a query', () => {
  const query = async (filter: unknown, more: object = {}) =>
    (await testServer.call('CalendarEvent/query', { filter, ...more })).ids
  const between = (after: string, before: string) => ({
    operator: 'AND',
    conditions: [{ after }, { before }],
  })

  it('finds by time at once and by uid or words after a while', async () => {
    const { created } = await create({ ...inCalendar, ...meeting, uid: 'one' })
    const filters = [{ uid: 'one' }, { text: 'intro' }, { title: 'INTRO' }]
    expect(await query(between('2027-06-07T08:00:00', '2027-06-07T08:30:00'))).toEqual([
      created.e.id,
    ])
    for (const filter of filters) expect(await query(filter)).toEqual([])
    testServer.server.advance(5_000)
    for (const filter of filters) expect(await query(filter)).toEqual([created.e.id])
  })

  it('reads its bounds in its zone and leaves out what only touches them', async () => {
    await create({ ...inCalendar, ...meeting })
    expect(
      await query(between('2027-06-07T10:29:59', '2027-06-08T00:00:00'), {
        timeZone: 'Europe/Berlin',
      }),
    ).toHaveLength(1)
    expect(
      await query(between('2027-06-07T10:30:00', '2027-06-08T00:00:00'), {
        timeZone: 'Europe/Berlin',
      }),
    ).toEqual([])
    expect(await query({ operator: 'NOT', conditions: [{ inCalendar: 'b' }] })).toEqual([])
    expect(
      await query({ operator: 'OR', conditions: [{ inCalendar: 'zz' }, { inCalendar: 'b' }] }),
    ).toHaveLength(1)
  })

  it('expands series into ids that a get understands', async () => {
    const { created } = await create({
      ...inCalendar,
      ...meeting,
      recurrenceRule: { frequency: 'daily' },
    })
    const ids = await query(between('2027-06-10T00:00:00', '2027-06-12T00:00:00'), {
      expandRecurrences: true,
      sort: [{ property: 'start' }],
    })
    const { list, notFound } = await testServer.call('CalendarEvent/get', {
      ids: [...ids, 'zz'],
      properties: ['baseEventId', 'start', 'recurrenceId', 'recurrenceRule'],
    })
    expect(notFound).toEqual(['zz'])
    expect(list).toEqual(
      ['10', '11'].map((day, index) => ({
        id: ids[index],
        baseEventId: created.e.id,
        start: `2027-06-${day}T10:00:00`,
        recurrenceId: `2027-06-${day}T10:00:00`,
      })),
    )
  })

  it('gives out pages', async () => {
    for (const day of ['07', '08', '09'])
      await create({ ...inCalendar, ...meeting, start: `2027-06-${day}T10:00:00` })
    const page = (position: number) =>
      query(null, { position, limit: 2, sort: [{ property: 'start', isAscending: false }] })
    expect([await page(0), await page(2), await page(3)]).toEqual([['d', 'c'], ['b'], []])
  })

  it.each([
    [{ filter: { participant: 'x' } }, 'unsupportedFilter'],
    [{ filter: { after: 'soon' } }, 'invalidArguments'],
    [{ filter: null, expandRecurrences: true }, 'invalidArguments'],
    [{ filter: null, sort: [{ property: 'created' }] }, 'unsupportedSort'],
  ])('refuses %j', async (args, type) => {
    await create({ ...inCalendar, ...meeting })
    expect(await testServer.call('CalendarEvent/query', args)).toMatchObject({ type })
  })
})

it('loses the calendars of a mailbox with the mailbox', async () => {
  await create({ ...inCalendar, ...meeting })
  await testServer.server.call('x:Account/set', { destroy: [testServer.anna] })
  expect(Object.keys(testServer.server.mail.calendars.list())).toEqual([])
})

it('keeps calendars with the rest of what it saves, and loses them at a reset', async () => {
  await create({ ...inCalendar, ...meeting })
  const saved: unknown = JSON.parse(JSON.stringify(testServer.server.mail.save()))
  testServer.server.mail.reset()
  expect(testServer.server.mail.calendars.list()).toEqual({})
  testServer.server.mail.load(saved)
  expect(testServer.server.mail.calendars.list()['anna@acme.test']).toMatchObject([
    { id: 'b', title: 'Intro call', start: Date.UTC(2027, 5, 7, 8) },
  ])
})

describe('the control API', () => {
  it('does in a calendar what its owner would do, and shows it on a page', async () => {
    const sandbox = await startSandbox({ mail: { failedLoginDelayMs: [0, 0] } })
    try {
      const send = async (method: string, path: string, body?: object) => {
        const init =
          body === undefined
            ? {}
            : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        const response = await fetch(`${sandbox.controlUrl}${path}`, { method, ...init })
        return {
          status: response.status,
          body: (await response.json()) as { id: string; error: string; mailboxes: object },
        }
      }
      const email = 'platform@atrium.test'
      const added = await send('POST', '/calendars/events', {
        email,
        event: { ...meeting, title: '<Dentist>' },
      })
      expect(added).toMatchObject({ status: 201, body: { id: 'b' } })
      expect(
        await send('PATCH', `/calendars/events/${email}/b`, { start: '2027-06-08T10:00:00' }),
      ).toMatchObject({ status: 200 })
      expect(
        await send('PATCH', `/calendars/settings/${email}`, { timeZone: 'Europe/Berlin' }),
      ).toMatchObject({ status: 200 })
      expect((await send('GET', '/calendars/events')).body.mailboxes).toMatchObject({
        [email]: [{ start: Date.UTC(2027, 5, 8, 8) }],
      })
      const page = await (await fetch(`${sandbox.controlUrl}/calendars`)).text()
      expect(page).toContain('&lt;Dentist&gt;')
      expect(page).toContain('2027-06-08 08:00')
      expect(await send('DELETE', `/calendars/events/${email}/b`)).toMatchObject({
        status: 200,
        body: { id: 'b' },
      })
      expect(await send('DELETE', `/calendars/events/${email}/b`)).toMatchObject({
        status: 400,
        body: { error: 'notFound' },
      })
      const nobody = { email: 'nobody@atrium.test', event: meeting }
      expect(await send('POST', '/calendars/events', nobody)).toMatchObject({
        status: 400,
        body: { error: 'There is no mailbox nobody@atrium.test.' },
      })
      expect(await send('POST', '/calendars/events', { email })).toMatchObject({ status: 400 })
      const form = (fields: Record<string, string>) =>
        fetch(`${sandbox.controlUrl}/calendars/form`, {
          method: 'POST',
          body: new URLSearchParams(fields),
          redirect: 'manual',
        })
      const fields = {
        email,
        title: 'Lunch',
        start: '2027-06-09T12:00',
        minutes: '60',
        zone: '',
        look: 'secret',
        repeats: 'daily',
      }
      expect((await form(fields)).status).toBe(303)
      const { mailboxes } = (await send('GET', '/calendars/events')).body
      expect(mailboxes).toMatchObject({
        [email]: [{ event: { privacy: 'secret', recurrenceRule: { frequency: 'daily' } } }],
      })
      const rejected = await form({ ...fields, start: 'soon' })
      expect([rejected.status, (await rejected.text()).includes('Failed to convert')]).toEqual([
        400,
        true,
      ])
    } finally {
      await sandbox.close()
    }
  })
})
