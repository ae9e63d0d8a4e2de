import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { detectLanguage } from '../src/detect-language.ts'
import { firstLanguage, languageOfLocale } from '../src/languages.ts'
import { inBrackets } from '../src/pseudo.ts'

const app = new Hono()
  .use(detectLanguage())
  .get('/', (c) => c.text((c.get as (name: 'language') => string)('language')))

const languageOf = async (headers: Record<string, string>) =>
  (await app.request('/', { headers })).text()

describe('the language of a request', () => {
  it.each([
    ['de', 'de'],
    ['de-AT, en;q=0.8', 'de'],
    ['fr, en;q=0.5, de;q=0.9', 'de'],
    ['fr-CH, *;q=0.5', 'en'],
    ['', 'en'],
    ['de;q=0, en', 'en'],
    ['en-XA', 'en-XA'],
    ['x'.repeat(8_000), 'en'],
    [',;=q;;;,', 'en'],
  ])('for Accept-Language %j is %s', async (header, language) => {
    expect(await languageOf({ 'accept-language': header })).toBe(language)
  })

  it('is that of the cookie before that of the browser', async () => {
    const browser = { 'accept-language': 'en' }
    expect(await languageOf({ ...browser, cookie: 'atrium_language=de' })).toBe('de')
    expect(await languageOf({ ...browser, cookie: 'atrium_language=<script>' })).toBe('en')
  })
})

describe('the first language of settings', () => {
  it('passes over those that are not set or not spoken', () => {
    expect(firstLanguage(null, undefined, 'fr', 'de', 'en')).toBe('de')
    expect(firstLanguage(null)).toBeUndefined()
  })
})

describe('the language of a locale', () => {
  it.each([
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['en-GB', 'en'],
    ['fr', undefined],
    ['den', undefined],
    ['', undefined],
  ])('of %j is %s', (locale, language) => {
    expect(languageOfLocale(locale)).toBe(language)
  })
})

describe('messages in brackets', () => {
  it('keep their keys, arguments and parts', () => {
    expect(inBrackets({ a: 'Hi {name}', b: { c: ['Hi ', ['name']] } })).toEqual({
      a: '⟦Hi {name}⟧',
      b: { c: ['⟦', 'Hi ', ['name'], '⟧'] },
    })
  })
})
