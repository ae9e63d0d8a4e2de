import { describe, expect, it } from 'vitest'
import { sealForm } from '../src/form-seal.ts'
import { manageToken, now } from './fake-api.ts'
import { openPages, secret } from './open-pages.ts'

const event = '/acme/anna/intro'
const start = '2026-11-25T09:00:00.000Z'
const typed = {
  start,
  zone: 'America/New_York',
  duration: '60',
  lock: 'lock-token',
  until: '2026-11-22T10:05:00.000Z',
  key: 'key-of-this-form',
  name: 'Vera Visitor',
  email: 'vera@example.test',
  guests: 'gus@example.test, gerd@example.test\n',
  note: 'Bring a ruler',
  'answer-topic': 'A bridge',
  'answer-terms': 'true',
  homepage: '',
}

describe('choosing a time', () => {
  it('holds it and leads to the form, which says until when', async () => {
    const pages = openPages()
    const { status, headers } = await pages.post(`${event}/hold`, {
      start,
      zone: 'America/New_York',
      duration: '60',
    })
    expect(status).toBe(303)
    expect(pages.api.calls.at(-1)).toMatchObject({
      name: 'takeLock',
      input: { start, duration: 60 },
    })
    const form = await pages.get(headers.get('location') ?? '')
    expect(form.html).toContain('Wednesday, 25 November 2026, 04:00')
    expect(form.html).toContain('It is held for you until')
    expect(form.html).toContain('name="lock" value="lock-token"')
  })

  it.each(['slot_taken', 'slot_locked', 'too_soon', 'outside_window'] as const)(
    'shows the day again when it is gone (%s)',
    async (code) => {
      const pages = openPages()
      pages.api.rejections.takeLock = { code }
      const { status, headers } = await pages.post(`${event}/hold`, {
        start,
        zone: 'Europe/Berlin',
      })
      expect(status).toBe(303)
      expect(headers.get('location')).toBe(
        `${event}?zone=Europe/Berlin&date=2026-11-25&refused=${code}`,
      )
      const { html } = await pages.get(headers.get('location') ?? '')
      expect(html).toContain('role="alert"')
      expect(html).toContain('Choose another one.')
    },
  )

  it.each(['rate_limited', 'calendar_unavailable'] as const)(
    'goes on without holding it where that cannot be done (%s)',
    async (code) => {
      const pages = openPages()
      pages.api.rejections.takeLock = { code }
      const { headers } = await pages.post(`${event}/hold`, { start })
      expect(headers.get('location')).toBe(`${event}/book?zone=Europe/Berlin&start=${start}`)
      expect((await pages.get(headers.get('location') ?? '')).html).not.toContain(
        'It is held for you',
      )
    },
  )

  it.each(['', 'tomorrow', '2026-11-25', "2026-11-25T09:00:00Z'--", '2026-13-40T99:00:00Z'])(
    'does nothing for %j, which is no time',
    async (nonsense) => {
      const pages = openPages()
      expect((await pages.post(`${event}/hold`, { start: nonsense })).status).toBe(303)
      expect((await pages.get(`${event}/book?start=${encodeURIComponent(nonsense)}`)).status).toBe(
        303,
      )
      expect(pages.api.calls.map(({ name }) => name)).not.toContain('takeLock')
    },
  )
})

describe('going back from the form', () => {
  const lockIn = (html: string) => /name="lock" value="([^"]+)"/.exec(html)?.[1]

  it('the link to other times shows the own hold, and so does the time chosen there', async () => {
    const pages = openPages()
    const form = await pages.get(
      `${event}/book?start=${start}&zone=Europe/Berlin&lock=lock-token&until=2026-11-22T10:05:00.000Z`,
    )
    const link = (/href="([^"]+)">Choose another time/.exec(form.html)?.[1] ?? '').replaceAll(
      '&amp;',
      '&',
    )
    const picker = await pages.get(link)
    expect(pages.api.calls.findLast(({ name }) => name === 'slots')?.proofs).toEqual({
      lockToken: 'lock-token',
    })
    expect(lockIn(picker.html)).toBe('lock-token')
    expect(picker.html).toMatch(/href="[^"]*lock=lock-token[^"]*" data-swap/)
    await pages.post(`${event}/hold`, {
      start,
      zone: 'Europe/Berlin',
      lock: lockIn(picker.html) ?? '',
    })
    expect(pages.api.calls.at(-1)).toMatchObject({
      name: 'takeLock',
      proofs: { lockToken: 'lock-token' },
    })
  })

  it('every page of times names a token of its own, which the first hold has, and is kept by the browser for going back', async () => {
    const pages = openPages()
    const [one, other] = [await pages.get(event), await pages.get(event)]
    expect(lockIn(one.html)).toMatch(/^[\w-]{43}$/)
    expect(lockIn(one.html)).not.toBe(lockIn(other.html))
    expect(one.headers.get('cache-control')).toBe('private, no-cache')
    expect(pages.api.calls.findLast(({ name }) => name === 'slots')?.proofs).toEqual({
      lockToken: undefined,
    })
  })

  it('the token is kept where the time cannot be held', async () => {
    const pages = openPages()
    pages.api.rejections.takeLock = { code: 'slot_locked' }
    const { headers } = await pages.post(`${event}/hold`, {
      start,
      zone: 'Europe/Berlin',
      lock: 'lock-token',
    })
    expect(headers.get('location')).toContain('lock=lock-token')
  })

  it('the same form is the same request, another time another one', async () => {
    const pages = openPages()
    const keyIn = async (query: string) =>
      /name="key" value="([^"]+)"/.exec((await pages.get(`${event}/book?${query}`)).html)?.[1]
    const first = await keyIn(`start=${start}&lock=lock-token`)
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(await keyIn(`start=${start}&lock=lock-token`)).toBe(first)
    expect(await keyIn(`start=2026-11-25T10:00:00.000Z&lock=lock-token`)).not.toBe(first)
    expect(await keyIn(`start=${start}&lock=another-token`)).not.toBe(first)
    expect(await keyIn(`start=${start}`)).not.toBe(await keyIn(`start=${start}`))
  })

  it('a form that was changed after it was sent says that the time is booked already', async () => {
    const pages = openPages()
    pages.api.rejections.book = { code: 'idempotency_mismatch' }
    const { status, html } = await pages.post(`${event}/book`, typed)
    expect(status).toBe(400)
    expect(html).toContain('You have already booked this time with this form.')
    expect(html).not.toContain('value="key-of-this-form"')
  })

  it('a form whose answer was lost keeps its key for the next try', async () => {
    const pages = openPages()
    pages.api.rejections.book = 'unreachable'
    expect((await pages.post(`${event}/book`, typed)).html).toContain('value="key-of-this-form"')
  })
})

describe('sending the form', () => {
  it('books once and leads to the booking', async () => {
    const pages = openPages()
    const { status, headers } = await pages.post(`${event}/book`, typed)
    expect([status, headers.get('location')]).toEqual([303, `/manage/${manageToken}?done=booked`])
    expect(pages.api.calls.at(-1)).toMatchObject({
      name: 'book',
      input: {
        key: 'key-of-this-form',
        booking: {
          start,
          duration: 60,
          lockToken: 'lock-token',
          attendee: {
            name: 'Vera Visitor',
            email: 'vera@example.test',
            timeZone: 'America/New_York',
            locale: 'en-GB',
          },
          guests: ['gus@example.test', 'gerd@example.test'],
          answers: { topic: 'A bridge', terms: 'true' },
          note: 'Bring a ruler',
        },
      },
    })
    const done = await pages.get(headers.get('location') ?? '')
    expect(done.html).toContain('You are booked')
    expect(pages.logs()).not.toMatch(/Vera|vera@|lock-token|Bring a ruler|M{43}/)
  })

  it('shows what is wrong where it is wrong, and keeps what was typed', async () => {
    const pages = openPages()
    pages.api.rejections.book = {
      code: 'invalid_input',
      issues: [
        { path: 'attendee.email', message: 'This is not an e-mail address.' },
        { path: 'guests.1', message: 'gerd is not an e-mail address.' },
        { path: 'answers.topic', message: 'This must not be empty.' },
      ],
    }
    const { status, html } = await pages.post(`${event}/book`, typed)
    expect(status).toBe(400)
    expect(html).toContain('Please check 3 answers:')
    expect(html).toMatch(
      /<input id="email"[^>]*aria-invalid="true"[^>]*aria-describedby="email-error"/,
    )
    expect(html).toContain('<a href="#guests">Guests: gerd is not an e-mail address.</a>')
    expect(html).toContain('It is held for you until')
    expect(html).toContain('<a href="#answer-topic">')
    for (const value of ['Vera Visitor', 'Bring a ruler', 'gerd@example.test', 'A bridge'])
      expect(html).toContain(value)
    expect(html).toContain('name="lock" value="lock-token"')
  })

  it('says so when nothing in the form can mend it', async () => {
    const pages = openPages()
    pages.api.rejections.book = {
      code: 'invalid_input',
      issues: [{ path: 'eventTypeId', message: 'Wrong.' }],
    }
    const { status, html } = await pages.post(`${event}/book`, typed)
    expect(status).toBe(400)
    expect(html).toContain('role="alert"')
  })

  it('offers the other times of the day when another visitor was faster, and keeps the typed text', async () => {
    const pages = openPages()
    pages.api.rejections.book = { code: 'slot_taken' }
    pages.api.taken.add(start)
    const { status, html } = await pages.post(`${event}/book`, { ...typed, duration: '30' })
    expect(status).toBe(409)
    expect(html).toContain('This time is no longer available.')
    const others = [...html.matchAll(/name="choose" value="([^"]+)"/g)].map(([, other]) => other)
    expect(others).toEqual([
      '2026-11-25T08:00:00.000Z',
      '2026-11-25T08:30:00.000Z',
      '2026-11-25T09:30:00.000Z',
      '2026-11-25T10:00:00.000Z',
      '2026-11-25T10:30:00.000Z',
    ])
    expect(html).toContain('Vera Visitor')

    const changed = await pages.post(`${event}/book`, {
      ...typed,
      duration: '30',
      choose: others[0] ?? '',
    })
    expect(changed.status).toBe(200)
    expect(changed.html).toContain(`name="start" value="${others[0]}"`)
    expect(changed.html).toContain('Vera Visitor')
    expect(changed.html).not.toContain('value="key-of-this-form"')
    expect(pages.api.calls.filter(({ name }) => name === 'book')).toHaveLength(1)
  })

  it.each([
    ['calendar_unavailable', 503, '5'],
    ['rate_limited', 429, '60'],
  ] as const)('keeps everything for another try after %s', async (code, expected, seconds) => {
    const pages = openPages()
    pages.api.rejections.book = { code }
    const { status, html, headers } = await pages.post(`${event}/book`, typed)
    expect([status, headers.get('retry-after')]).toEqual([expected, seconds])
    expect(html).toContain('Vera Visitor')
    expect(html).toContain('Book this time')
  })

  it('keeps everything when the API does not answer', async () => {
    const pages = openPages()
    pages.api.rejections.book = 'unreachable'
    const { status, html } = await pages.post(`${event}/book`, typed)
    expect([status, html.includes('Vera Visitor')]).toEqual([503, true])
  })

  it.each([
    ['the field that people do not see is filled', { homepage: 'https://spam.test' }],
    ['it was made up', { seal: 'x.y' }],
    ['it comes too fast', { seal: sealForm(secret, event, now - 500) }],
    ['it is older than a day', { seal: sealForm(secret, event, now - 90_000_000) }],
  ])('asks once more when %s, and loses nothing', async (_why, change) => {
    const pages = openPages()
    const { status, html } = await pages.post(`${event}/book`, { ...typed, ...change })
    expect(status).toBe(400)
    expect(pages.api.calls.map(({ name }) => name)).not.toContain('book')
    expect(html).toContain('Vera Visitor')
    const seal = /name="seal" value="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(seal).not.toBe('x.y')
  })

  it('takes a form of another kind for an empty one', async () => {
    const pages = openPages()
    expect((await pages.post(`${event}/book`, { start: '' })).status).toBe(303)
  })
})
