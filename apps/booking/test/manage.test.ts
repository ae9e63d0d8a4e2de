import { describe, expect, it } from 'vitest'
import { manageToken } from './fake-api.ts'
import { openPages } from './open-pages.ts'

const path = `/manage/${manageToken}`
const other = '2026-11-26T09:00:00.000Z'

describe('a manage link', () => {
  it('shows the booking in the zone of its visitor, and what can be done', async () => {
    const { status, html } = await openPages().get(path)
    expect(status).toBe(200)
    expect(html).toContain('Wednesday, 25 November 2026, 04:00')
    for (const link of ['calendar.ics', 'move', 'cancel'])
      expect(html).toContain(`href="${path}/${link}"`)
  })

  it.each(['F'.repeat(43), 'short', `${manageToken}x%00`, '..%2f..%2fhealth'])(
    'is not valid when it was made up: %s',
    async (token) => {
      const pages = openPages()
      for (const rest of ['', '/cancel', '/move', '/calendar.ics']) {
        const { status, html } = await pages.get(`/manage/${token}${rest}`)
        expect(status).toBe(404)
        if (!token.includes('%')) expect(html).toContain('This link is not valid')
      }
      expect((await pages.post(`/manage/${token}/cancel`, {})).status).toBe(404)
      await pages.get(`//manage/${token}`)
      await pages.get(`/Manage%2F${token}`)
      expect(pages.logs()).not.toContain('F'.repeat(43))
    },
  )

  it('hands out the calendar file', async () => {
    const { headers, html } = await openPages().get(`${path}/calendar.ics`)
    expect(headers.get('content-type')).toContain('text/calendar')
    expect(headers.get('content-disposition')).toBe('attachment; filename="booking.ics"')
    expect(html).toMatch(/^BEGIN:VCALENDAR\r\n/)
  })

  it('says before a move that the host can change, where it can', async () => {
    const pages = openPages()
    const confirm = `${path}/move/confirm?start=${other}`
    for (const address of [`${path}/move`, confirm])
      expect((await pages.get(address)).html).not.toContain('a colleague takes the meeting')
    pages.api.managed.eventType.hostMayChange = true
    for (const address of [`${path}/move`, confirm])
      expect((await pages.get(address)).html).toContain('a colleague takes the meeting')
  })

  it('leads to the page of the event type, also where another host had the booking', async () => {
    const pages = openPages()
    Object.assign(pages.api.managed.booking, { status: 'cancelled', endedBy: 'visitor' })
    pages.api.managed.eventType.hostSlug = 'ben'
    expect((await pages.get(path)).html).toContain('href="/acme/ben/intro"')
  })

  it('believes no word in its address that the booking does not bear out', async () => {
    const pages = openPages()
    expect((await pages.get(`${path}?done=cancelled`)).html).not.toContain('was cancelled')
    pages.api.managed.booking.status = 'cancelled'
    expect((await pages.get(`${path}?done=booked`)).html).not.toContain('You are booked')
  })

  it.each([
    [0, false],
    [1, true],
  ])(
    'that was cancelled at sequence %i says of a calendar only what is so',
    async (sequence, wasInvited) => {
      const pages = openPages()
      Object.assign(pages.api.managed.booking, {
        status: 'cancelled',
        endedBy: 'visitor',
        sequence,
      })
      const { html } = await pages.get(`${path}?done=cancelled`)
      expect(html).toContain('The time is free again.')
      expect(html.includes('removes the meeting from your calendar')).toBe(wasInvited)
    },
  )

  it.each([
    ['pending', 'Waiting for confirmation'],
    ['declined', 'could not take this booking'],
    ['expired', 'did not answer in time'],
    ['cancelled', 'cancelled this booking'],
  ] as const)('says how a booking stands that is %s', async (status, words) => {
    const pages = openPages()
    Object.assign(pages.api.managed.booking, {
      status,
      endedBy: 'host',
      reason: 'Ill',
      approvalExpiresAt: '2026-11-24T10:00:00.000Z',
    })
    pages.api.managed.allowedActions = []
    const { html } = await pages.get(path)
    expect(html).toContain(words)
    expect(html).not.toContain(`href="${path}/move"`)
    expect(html).not.toContain('calendar.ics')
  })

  it.each([true, false])(
    'that is over leads to another time only where there is one to be had (%s)',
    async (offered) => {
      const pages = openPages()
      pages.api.managed.booking.status = 'cancelled'
      pages.api.managed.eventType.offered = offered
      expect((await pages.get(path)).html.includes('Book another time')).toBe(offered)
    },
  )

  it('says when it is too late, and leads nowhere else', async () => {
    const pages = openPages()
    pages.api.managed.allowedActions = []
    expect((await pages.get(path)).html).toContain(
      'It is too late to move or cancel this booking here.',
    )
    for (const action of ['cancel', 'move']) {
      const { status, headers } = await pages.get(`${path}/${action}`)
      expect([status, headers.get('location')]).toEqual([303, path])
    }
  })
})

describe('cancelling by the link', () => {
  it('happens on the button, with the reason', async () => {
    const pages = openPages()
    await pages.get(`${path}/cancel`)
    expect(pages.api.calls.map(({ name }) => name)).not.toContain('cancel')
    const { status, headers } = await pages.post(`${path}/cancel`, { reason: 'Ill' })
    expect([status, headers.get('location')]).toEqual([303, `${path}?done=cancelled`])
    expect(pages.api.calls.at(-1)).toMatchObject({ name: 'cancel', input: { reason: 'Ill' } })
  })

  it.each([
    ['cutoff_passed', 409, 'It is too late for this change.'],
    ['invalid_state', 409, 'The booking has changed in the meantime.'],
    ['rate_limited', 429, 'Wait a minute'],
  ] as const)('keeps the reason when it is refused (%s)', async (code, expected, words) => {
    const pages = openPages()
    pages.api.rejections.cancel = { code }
    const { status, html } = await pages.post(`${path}/cancel`, { reason: 'Ill in bed' })
    expect(status).toBe(expected)
    expect(html).toContain(words)
    expect(html).toContain('Ill in bed')
  })
})

describe('moving by the link', () => {
  it('offers the times as if the booking were not there, without its own', async () => {
    const pages = openPages()
    const { html } = await pages.get(`${path}/move?date=2026-11-25`)
    expect(pages.api.calls.find(({ name }) => name === 'slots')).toMatchObject({
      input: { rescheduleOf: pages.api.managed.booking.id, timeZone: 'America/New_York' },
      proofs: { manageToken },
    })
    expect(html).not.toContain(`value="${pages.api.managed.booking.start}"`)
    expect(html).toContain('action="/manage/MMM')
  })

  it('asks before it moves, then moves once', async () => {
    const pages = openPages()
    const { html } = await pages.get(`${path}/move/confirm?start=${other}`)
    expect(html).toContain('Thursday, 26 November 2026, 04:00')
    expect(pages.api.calls.map(({ name }) => name)).not.toContain('reschedule')
    const { headers } = await pages.post(`${path}/move`, {
      start: other,
      duration: '30',
      zone: 'America/New_York',
      reason: 'Train',
    })
    expect(headers.get('location')).toBe(`${path}?done=moved`)
    expect(pages.api.calls.at(-1)).toMatchObject({
      name: 'reschedule',
      input: { move: { start: other, reason: 'Train' } },
    })
  })

  it('offers other times when the new one has gone, and keeps the reason', async () => {
    const pages = openPages()
    pages.api.rejections.reschedule = { code: 'slot_taken' }
    const { status, html } = await pages.post(`${path}/move`, {
      start: other,
      duration: '30',
      reason: 'Train',
    })
    expect(status).toBe(409)
    expect(html).toContain('This time is no longer available.')
    expect(html).toContain('Train')
    const choose = /name="choose" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const again = await pages.post(`${path}/move`, {
      start: other,
      duration: '30',
      reason: 'Train',
      choose,
    })
    expect(again.html).toContain(`name="start" value="${choose}"`)
    expect(again.html).toContain('Train')
    expect(pages.api.calls.filter(({ name }) => name === 'reschedule')).toHaveLength(1)
  })

  it('says so when the calendar cannot be read', async () => {
    const pages = openPages()
    pages.api.rejections.slots = { code: 'calendar_unavailable' }
    const { status, html } = await pages.get(`${path}/move`)
    expect(status).toBe(503)
    expect(html).not.toContain('name="start"')
    pages.api.rejections.reschedule = { code: 'calendar_unavailable' }
    expect((await pages.post(`${path}/move`, { start: other })).status).toBe(503)
  })
})

describe('guests who are not invited yet', () => {
  const proof = 'P'.repeat(43)

  it('are invited by a button on the page that the mail leads to, and by nothing else', async () => {
    const pages = openPages()
    pages.api.managed.booking.guestsInvited = false
    const plain = await pages.get(path)
    expect(plain.html).toContain('Your guest is not invited yet.')
    expect(plain.html).toContain(
      'Open the link in the e-mail to <strong>vera@example.test</strong>',
    )
    expect(plain.html).not.toContain('Invite your guest</button>')

    const fromMail = await pages.get(`${path}?proof=${proof}`)
    expect(fromMail.html).toContain(`name="proof" value="${proof}"`)
    expect(pages.api.calls.map(({ name }) => name)).not.toContain('inviteGuests')

    const { status, headers } = await pages.post(`${path}/guests`, { proof })
    expect([status, headers.get('location')]).toEqual([303, `${path}?done=invited`])
    expect(pages.api.calls.at(-1)).toMatchObject({
      name: 'inviteGuests',
      input: { token: manageToken, proof },
    })
    pages.api.managed.booking.guestsInvited = true
    const done = await pages.get(`${path}?done=invited`)
    expect(done.html).toContain('Your guests are invited')
    expect(done.html).not.toContain('not invited yet')
    expect(pages.logs()).not.toContain(proof)
  })

  it('are not asked about where there are none, or the booking is over', async () => {
    const pages = openPages()
    pages.api.managed.booking = { ...pages.api.managed.booking, guests: [], guestsInvited: false }
    expect((await pages.get(path)).html).not.toContain('invited yet')
    pages.api.managed.booking = {
      ...pages.api.managed.booking,
      guests: ['a@b.test'],
      status: 'cancelled',
    }
    expect((await pages.get(`${path}?proof=${proof}`)).html).not.toContain('invited yet')
  })

  it('stay uninvited with a wrong proof, and the page says why', async () => {
    const pages = openPages()
    pages.api.managed.booking.guestsInvited = false
    pages.api.rejections.inviteGuests = {
      code: 'invalid_input',
      issues: [{ path: 'proof', message: 'This does not verify your address.' }],
    }
    const { status, html } = await pages.post(`${path}/guests`, { proof })
    expect(status).toBe(400)
    expect(html).toContain('This does not verify your address.')
    expect((await pages.post(`${path}/guests`, { proof: '<b>' })).status).toBe(303)
  })
})

describe('the page that a calendar entry leads to', () => {
  const page = '/manage/link/0199a000-0000-7000-8000-000000000001'

  it('asks for the address and says the same whatever there is', async () => {
    const pages = openPages()
    const { status, html } = await pages.get(page)
    expect(status).toBe(200)
    expect(html).toContain('Your e-mail address')
    expect(pages.api.calls).toEqual([])
    const sent = await pages.post(page, { email: ' vera@example.test ' })
    expect(sent.html).toContain('If a booking was made with vera@example.test')
    expect(pages.api.calls).toMatchObject([
      { name: 'sendLink', input: { email: 'vera@example.test' } },
    ])
    expect(pages.logs()).not.toContain('vera@')
  })

  it('shows what is wrong with the address, and leads nowhere for what is no booking', async () => {
    const pages = openPages()
    pages.api.rejections.sendLink = {
      code: 'invalid_input',
      issues: [{ path: 'email', message: 'This is not an e-mail address.' }],
    }
    const { status, html } = await pages.post(page, { email: 'vera' })
    expect([status, html.includes('This is not an e-mail address.')]).toEqual([400, true])
    expect((await pages.get('/manage/link/x')).status).toBe(404)
  })
})
