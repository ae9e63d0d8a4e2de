import { describe, expect, it } from 'vitest'
import { createApiConnection } from '../src/api.ts'
import type { AppContext } from '../src/request.ts'
import { manageToken } from './fake-api.ts'
import { openPages } from './open-pages.ts'

const event = '/acme/anna/intro'
const german = { 'accept-language': 'de-AT, en;q=0.5' }
const pseudo = { 'accept-language': 'en-XA' }

const paths = [
  '/',
  '/nowhere/at/all',
  '/acme',
  '/acme/anna',
  event,
  `${event}?view=week`,
  `${event}?choose=zone`,
  `${event}/book?start=2026-11-25T09:00:00.000Z&lock=x&until=2026-11-22T10:05:00.000Z`,
  `/manage/${manageToken}`,
  `/manage/${manageToken}?done=booked`,
  `/manage/${manageToken}/cancel`,
  `/manage/${manageToken}/move`,
  `/manage/${manageToken}/move/confirm?start=2026-11-26T09:00:00.000Z`,
  '/manage/link/0199a000-0000-7000-8000-000000000001',
  '/manage/short',
]

describe('the language of a page', () => {
  it('is the browser’s, with dates as its region writes them', async () => {
    const pages = openPages()
    const { html, headers } = await pages.get(`${event}?date=2026-11-25`, german)
    expect(html).toContain('<html lang="de">')
    expect(html).toContain('Zeitzone ändern')
    expect(html).toContain('Mittwoch, 25. November 2026')
    expect(headers.get('vary')).toBe('accept-language, cookie, x-atrium-part, accept-encoding')
  })

  it('is English, dates too, for a language that the product does not speak', async () => {
    const { html } = await openPages().get(`${event}?date=2026-11-25`, { 'accept-language': 'fr' })
    expect(html).toContain('<html lang="en">')
    expect(html).toContain('Wednesday, 25 November 2026')
    expect(html).not.toContain('mercredi')
  })

  it('is the chosen one before the browser’s', async () => {
    const { html } = await openPages().get(event, {
      ...german,
      cookie: 'atrium_language=en',
    })
    expect(html).toContain('<html lang="en">')
    expect(html).toContain('Change the time zone')
  })

  it.each(paths)('is that of every text of %s', async (path) => {
    const { html } = await openPages().get(path, pseudo)
    expect(textsOutsideOfCatalogue(html)).toEqual([])
  })

  it('is checked on every page that the app has', () => {
    const pages = openPages()
      .app.routes.filter(({ method, path }) => method === 'GET' && !/\*|\./.test(path))
      .map(({ path }) => path.replace(/:(\w+)(\{[^}]+\}+)?/g, '[^/?]+'))
    const missing = pages.filter(
      (path) => !paths.some((one) => new RegExp(`^${path}([?]|$)`).test(one)),
    )
    expect(missing).toEqual(['/health', '/health/ready'])
  })

  it('is that of a rejected form, and goes to the API with the booking', async () => {
    const pages = openPages()
    const typed = {
      start: '2026-11-25T09:00:00.000Z',
      duration: '30',
      zone: 'Europe/Berlin',
      key: 'key-of-this-form',
      name: 'Vera',
      email: 'vera@example.test',
    }
    pages.api.rejections.book = { code: 'slot_taken' }
    const { html } = await pages.post(`${event}/book`, typed, german)
    expect(html).toContain('Diese Zeit ist nicht mehr frei.')
    expect(html).not.toContain('data-language=')
    expect(pages.api.calls.find(({ name }) => name === 'book')).toMatchObject({
      input: { booking: { attendee: { locale: 'de-AT' } } },
    })
  })

  it('is named in calls to the API', async () => {
    const asked: (string | null)[] = []
    const connect = createApiConnection(
      {
        host: '127.0.0.1',
        port: 0,
        publicUrl: 'https://book.test',
        apiUrl: 'http://api.test',
        appSecret: 'secret',
        trustedProxyHops: 0,
        drainSeconds: 0,
        logLevel: 'silent',
      },
      async (_url, init) => {
        asked.push(new Headers(init?.headers).get('accept-language'))
        throw new TypeError('no network')
      },
    )
    const context = {
      get: (name: string) => (name === 'language' ? 'de' : 'id'),
      req: { header: () => undefined },
    }
    await expect(connect(context as unknown as AppContext).tenantPage('acme')).rejects.toThrow()
    expect(asked).toEqual(['de'])
  })
})

describe('the choice of a language', () => {
  it('is kept in a cookie, and leads back to the same address', async () => {
    const pages = openPages()
    const { html } = await pages.get(`${event}?view=week&zone=Asia/Tokyo`)
    const link = /<a href="([^"]+)" lang="de"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { status, headers } = await pages.get(link)
    expect([status, headers.get('location')]).toEqual([303, `${event}?view=week&zone=Asia%2FTokyo`])
    expect(headers.get('set-cookie')).toBe(
      'atrium_language=de; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax',
    )
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('is left alone for a language that the product does not speak', async () => {
    const { status, headers } = await openPages().get('/acme?language=fr')
    expect([status, headers.get('set-cookie')]).toEqual([200, null])
  })

  it('never leads to another site', async () => {
    const { headers } = await openPages().get('//evil.test/?language=de')
    expect(headers.get('location')).not.toMatch(/^(https?:)?\/\//)
  })
})

/** Texts and attributes for people that are not in brackets, but for data and what Intl writes. */
function textsOutsideOfCatalogue(html: string): string[] {
  const shown = html
    .replace(/<style>[\s\S]*?<\/style>|<select id="zones"[\s\S]*?<\/select>/g, '')
    .replace(/⟦[^⟧]*⟧(?:[^⟦⟧]*⟧)*/g, '')
  const texts = [
    ...shown.matchAll(/>([^<>]+)</g),
    ...shown.matchAll(/(?:aria-label|title|data-busy|placeholder)="([^"]+)"/g),
  ]
  const offered =
    'Introduction call|Half an hour|Head of|Ask me|We build|What is it about|How large'
  const written = 'Acme|Anna|AO$|Vera|Small|Large|I have read|A bridge|https:|gus@|vera@'
  const fromIntl =
    'GMT|[\\d\\s–,:.()]*$|(\\w+,? )?\\d|Mon|Tue|Wed|Thu|Fri|Sat|Sun|January|November|December'
  const data = new RegExp(`^(English|Deutsch|${offered}|${written}|${fromIntl})`)
  return texts
    .map(([, text = '']) => text.trim())
    .filter((text) => /\p{L}{2}/u.test(text) && !data.test(text))
}
