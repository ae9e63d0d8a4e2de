import { languageCookie } from '@atrium/messages/languages'
import { type Context, Hono } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AppCookies, createCookies } from '../src/cookies.ts'

const https = 'https://portal.example'

type Act = (c: Context) => Response

/** The cookies that a response sets, by name, after a request that sent `sent`. */
async function written(act: Act, sent: Record<string, string> = {}) {
  const header = Object.entries(sent).map(([name, value]) => `${name}=${value}`)
  const response = await new Hono()
    .get('/', act)
    .request('/', { headers: { cookie: header.join('; ') } })
  return Object.fromEntries(
    response.headers.getSetCookie().map((line) => {
      const [pair = '', ...attributes] = line.split('; ')
      const [name = '', value = ''] = pair.split('=')
      return [name, { value, attributes: attributes.sort() }]
    }),
  )
}

/** What the app reads of a request that sent these cookies. */
async function read(
  sent: Record<string, string>,
  reading: (c: Parameters<AppCookies['readSession']>[0]) => string | undefined,
): Promise<string | undefined> {
  let value: string | undefined
  await written((c) => {
    value = reading(c)
    return c.body(null)
  }, sent)
  return value
}

describe('the session cookie', () => {
  it.each([
    ['portal', https, '__Host-atrium-portal'],
    ['operator', https, '__Host-atrium-operator'],
    ['portal', 'http://localhost:4000', '__Host-atrium-portal-4000'],
    ['portal', 'http://localhost', '__Host-atrium-portal-80'],
  ] as const)('of %s at %s is %s', async (app, publicUrl, name) => {
    const cookies = createCookies(app, publicUrl)
    expect(cookies.sessionName).toBe(name)
    expect(await read({ [name]: 'abc' }, cookies.readSession)).toBe('abc')
    expect(await read({ other: 'abc' }, cookies.readSession)).toBeUndefined()
  })

  it('is for this host alone, for no script and for no request of another site', async () => {
    const cookies = createCookies('portal', https)
    const set = await written((c) => {
      cookies.writeSession(c, 'abc', 60)
      return c.body(null)
    })
    expect(set).toEqual({
      [cookies.sessionName]: {
        value: 'abc',
        attributes: ['HttpOnly', 'Max-Age=60', 'Path=/', 'SameSite=Lax', 'Secure'],
      },
    })
  })
})

describe('the cookie of a sign-in', () => {
  let cookies: AppCookies
  beforeEach(() => {
    cookies = createCookies('portal', https)
  })
  const begun = async (state: string) =>
    written((c) => {
      cookies.writeSignIn(c, state, `sealed-${state}`, 600)
      return c.body(null)
    })

  it('is one for each sign-in that is under way', async () => {
    const [first, second] = [await begun('one'), await begun('two')]
    const [name = '', other = ''] = [...Object.keys(first), ...Object.keys(second)]
    expect(name).not.toBe(other)
    const sent = { [name]: 'first', [other]: 'second' }
    expect(await read(sent, (c) => cookies.readSignIn(c, 'one'))).toBe('first')
    expect(await read(sent, (c) => cookies.readSignIn(c, 'two'))).toBe('second')
    expect(await read(sent, (c) => cookies.readSignIn(c, 'three'))).toBeUndefined()
    expect(first[name]).toEqual({
      value: 'sealed-one',
      attributes: ['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', 'Secure'],
    })
  })

  it.each([
    [7, 0],
    [8, 8],
    [20, 20],
  ])('of %i sign-ins under way: %i are taken back', async (count, removed) => {
    const sent: Record<string, string> = { [cookies.sessionName]: 'session', other: 'x' }
    for (let n = 0; n < count; n++)
      for (const name of Object.keys(await begun(`state-${n}`))) sent[name] = 'sealed'
    const set = await written((c) => {
      cookies.pruneSignIns(c)
      return c.body(null)
    }, sent)
    expect(Object.keys(set)).toHaveLength(removed)
    for (const [name, { value, attributes }] of Object.entries(set)) {
      expect([value, attributes.includes('Max-Age=0')]).toEqual(['', true])
      expect(name).toContain('-signin-')
    }
  })
})

describe('the language of the pages', () => {
  const chosen = (language: 'de' | undefined, sent: Record<string, string>, publicUrl = https) =>
    written((c) => {
      createCookies('portal', publicUrl).writeLanguage(c, language)
      return c.body(null)
    }, sent)

  it('is kept for a year, where scripts can read it', async () => {
    expect(await chosen('de', {})).toEqual({
      [languageCookie]: {
        value: 'de',
        attributes: ['Max-Age=31536000', 'Path=/', 'SameSite=Lax', 'Secure'],
      },
    })
    const local = await chosen('de', {}, 'http://localhost:4000')
    expect(local[languageCookie]?.attributes).not.toContain('Secure')
  })

  it.each([
    ['replaces another one', 'de', { [languageCookie]: 'en' }, 'de'],
    ['is not written again', 'de', { [languageCookie]: 'de' }, undefined],
    ['is taken back when none is chosen any more', undefined, { [languageCookie]: 'de' }, ''],
    ['is left out when none was chosen', undefined, {}, undefined],
    ['of tests stays', 'de', { [languageCookie]: 'en-XA' }, undefined],
  ] as const)('%s', async (_name, language, sent, value) => {
    const set = (await chosen(language, sent))[languageCookie]
    expect(set?.value).toBe(value)
    if (value === '') expect(set?.attributes).toContain('Max-Age=0')
  })
})
