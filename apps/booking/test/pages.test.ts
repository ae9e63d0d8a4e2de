import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { manageToken, tenant } from './fake-api.ts'
import { openPages } from './open-pages.ts'

const event = '/acme/anna/intro'
const readings = new Set([
  'tenantPage',
  'hostPage',
  'eventTypePage',
  'slots',
  'managed',
  'calendarFile',
])
const looks = [
  '/',
  '/acme',
  '/acme/anna',
  event,
  `${event}?view=week`,
  `${event}?choose=zone`,
  `${event}/book?start=2026-11-25T09:00:00.000Z`,
  `/manage/${manageToken}`,
  `/manage/${manageToken}/cancel`,
  `/manage/${manageToken}/move`,
  `/manage/${manageToken}/move/confirm?start=2026-11-26T09:00:00.000Z`,
  `/manage/${manageToken}/calendar.ics`,
]

describe('health', () => {
  it('is ready until the process begins to stop', async () => {
    const draining = new AbortController()
    const pages = openPages({ draining: draining.signal })
    expect((await pages.raw('/health/ready', {})).status).toBe(200)
    draining.abort()
    expect((await pages.raw('/health/ready', {})).status).toBe(503)
    expect(await (await pages.raw('/health', {})).json()).toMatchObject({
      service: 'atrium-booking',
      status: 'ok',
      commit: null,
    })
  })
})

describe('every page', () => {
  it.each(looks)(
    'GET %s changes nothing, sets no cookie and loads nothing from elsewhere',
    async (path) => {
      const pages = openPages()
      const { status, headers, html } = await pages.get(path)
      expect(status).toBe(200)
      expect(pages.api.calls.map(({ name }) => name).filter((name) => !readings.has(name))).toEqual(
        [],
      )
      expect(headers.get('set-cookie')).toBeNull()
      // The choice of times may be shown again by going back, and is asked again by everything
      // else.
      expect(headers.get('cache-control')).toBe(
        path.startsWith('/acme/anna/intro') && !path.includes('/book')
          ? 'private, no-cache'
          : 'no-store',
      )
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src /,
      )
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      const loaded = [
        ...html.matchAll(/(?:src|action|<link[^>]+href)="(?:https?:)?\/\/([^/"]+)/g),
      ].map(([, host]) => host)
      expect(loaded.filter((host) => host !== 'book.test')).toEqual([])
    },
  )

  it.each(looks.filter((path) => path.startsWith('/manage/')))(
    'GET %s tells nobody its address',
    async (path) => {
      const pages = openPages()
      const { headers, html } = await pages.get(path)
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-robots-tag')).toContain('noindex')
      if (!path.endsWith('.ics'))
        expect(html).toContain('<meta name="robots" content="noindex, nofollow">')
      expect(pages.logs()).toContain('/manage/***')
      expect(pages.logs()).not.toContain(manageToken)
    },
  )

  it('can be framed only by the sites that the tenant named', async () => {
    const pages = openPages()
    const framed = async (path: string, headers = {}) =>
      /frame-ancestors ([^;]+)/.exec(
        (await pages.get(path, headers)).headers.get('content-security-policy') ?? '',
      )?.[1]
    expect(await framed(event)).toBe("'self' https://www.acme.test")
    expect(await framed('/')).toBe("'none'")
    expect(await framed('/nobody')).toBe("'none'")
    expect(await framed(`/manage/${manageToken}`)).toBe("'none'")
    expect(await framed(`/manage/${manageToken}`, { 'sec-fetch-dest': 'iframe' })).toBe(
      "'self' https://www.acme.test",
    )
  })

  it('is the same 404 for a tenant, a host and an event type that are not there', async () => {
    const pages = openPages()
    for (const path of [
      '/nobody',
      '/acme/nobody',
      '/acme/anna/nothing',
      '/acme/anna/intro/book/x',
      '/UPPER',
      '/..%2f',
    ]) {
      const { status, html } = await pages.get(path)
      expect(status).toBe(404)
      expect(html).toContain('Page not found')
    }
  })

  it('shows a text of people as text', async () => {
    const pages = openPages()
    const hostile = `<img src=x onerror=alert(1)>"'&`
    Object.assign(pages.api.eventType, {
      title: hostile,
      description: hostile,
      fields: [
        { key: 'q', label: hostile, kind: 'choice', required: true, options: [hostile, 'b'] },
      ],
    })
    pages.api.managed.booking.title = hostile
    pages.api.managed.booking.reason = hostile
    pages.api.managed.booking.status = 'declined'
    for (const path of [
      event,
      '/acme/anna',
      `${event}/book?start=2026-11-25T09:00:00.000Z`,
      `/manage/${manageToken}`,
    ]) {
      const { html } = await pages.get(path)
      expect(html).toContain('&lt;img src=x')
      expect(html).not.toContain('<img src=x')
      expect(html).not.toContain(`content="${hostile}`)
    }
  })

  it('links to a place of a call over https alone', async () => {
    const pages = openPages()
    pages.api.managed.booking.location = { kind: 'video', text: 'javascript:alert(1)' }
    expect((await pages.get(`/manage/${manageToken}`)).html).not.toContain('href="javascript')
  })

  it.each([
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is packed as %s for browsers that take it', async (encoding, unpack) => {
    const pages = openPages()
    const packed = await pages.raw(event, { 'accept-encoding': encoding })
    expect(packed.headers.get('content-encoding')).toBe(encoding)
    expect(packed.headers.get('vary')).toContain('accept-encoding')
    expect(unpack(Buffer.from(await packed.arrayBuffer())).toString()).toContain(
      'Introduction call',
    )
  })

  it('says nothing of a fault of ours but that it is one', async () => {
    const pages = openPages()
    pages.api.connect = () => {
      throw new Error('a secret of the machine')
    }
    const { status, html } = await pages.get('/acme')
    expect([status, html.includes('a secret')]).toEqual([500, false])
    expect(pages.logs()).toContain('a secret of the machine')
  })
})

describe('the times of an event type', () => {
  it('are shown in the zone that is asked for, as the same instants', async () => {
    const pages = openPages()
    const starts = async (zone: string) =>
      [
        ...(await pages.get(`${event}?zone=${zone}&date=2026-11-25`)).html.matchAll(
          /name="start" value="([^"]+)"/g,
        ),
      ].map(([, start]) => start)
    const berlin = await starts('Europe/Berlin')
    expect(berlin).toHaveLength(6)
    expect(await starts('America/New_York')).toEqual(berlin)
    expect((await pages.get(`${event}?zone=America/New_York&date=2026-11-25`)).html).toContain(
      '>03:00<',
    )
  })

  it.each(['Asia/Kolkata', 'Europe/Kyiv', 'Etc/UTC', 'Europe/Berlin'])(
    'offer %s as it is shown, also where Intl lists it by another name',
    async (zone) => {
      const pages = openPages()
      const { html } = await pages.get(`${event}?zone=${zone}&choose=zone`)
      expect(
        [...html.matchAll(/<option value="([^"]+)" selected>/g)].map(([, chosen]) => chosen),
      ).toEqual([zone])
      pages.api.eventType.timeZone = zone
      expect((await pages.get(`${event}?choose=zone`)).html).toContain(
        `<option value="${zone}" selected>`,
      )
    },
  )

  it('tell the difference from UTC that holds on the shown day', async () => {
    const differenceOn = async (date: string) =>
      /<strong>New York<\/strong> <span class="dim">\(([^)]+)\)/.exec(
        (await openPages().get(`${event}?zone=America/New_York&date=${date}`)).html,
      )?.[1]
    expect(await differenceOn('2026-11-25')).toBe('GMT-5')
    expect(await differenceOn('2027-07-07')).toBe('GMT-4')
  })

  it('are asked for the chosen duration', async () => {
    const pages = openPages()
    await pages.get(`${event}?duration=60`)
    expect(pages.api.calls.at(-1)).toMatchObject({
      name: 'slots',
      input: { duration: 60, timeZone: 'Europe/Berlin', from: '2026-11-22', to: '2026-11-30' },
    })
  })

  it.each(['calendar_unavailable', 'host_not_connected'] as const)(
    'are never made up: %s is told',
    async (code) => {
      const pages = openPages()
      pages.api.rejections.slots = { code }
      const { status, html, headers } = await pages.get(event)
      expect(status).toBe(code === 'calendar_unavailable' ? 503 : 409)
      expect(html).not.toContain('name="start"')
      expect(html).toContain('Try again')
      if (code === 'calendar_unavailable') expect(headers.get('retry-after')).toBe('5')
    },
  )

  it('ask a visitor to wait who asks too often, and one whose API is away to come back', async () => {
    const pages = openPages()
    pages.api.rejections.slots = { code: 'rate_limited' }
    expect(await pages.get(event)).toMatchObject({ status: 429 })
    pages.api.rejections.eventTypePage = 'unreachable'
    const { status, headers } = await pages.get(event)
    expect([status, headers.get('retry-after')]).toEqual([503, '60'])
  })

  it('come as a part alone to the script', async () => {
    const pages = openPages()
    const { html, headers } = await pages.get(event, { 'x-atrium-part': 'main' })
    expect(html).toMatch(/^<main id="main"/)
    expect(html).not.toContain('<style')
    expect(headers.get('vary')).toContain('x-atrium-part')
  })

  it('carry what previews and search engines read', async () => {
    const { html } = await openPages().get(`${event}?zone=Asia/Tokyo`)
    expect(html).toContain('<html lang="en">')
    expect(html).toContain('<link rel="canonical" href="https://book.test/acme/anna/intro">')
    expect(html).toContain('<meta property="og:title" content="Introduction call with Anna Owner">')
    expect(html).toContain(`<meta property="og:site_name" content="${tenant.name}">`)
  })
})
