import { describe, expect, it } from 'vitest'
import { createFormats, keptFormats, placeOfZone, zoneInRegion } from '../src/formats.ts'
import { openPages } from './open-pages.ts'

const plain = (text: string) => text.replace(/[\u2009\u202f\u00a0]/g, ' ')

describe('dates and times', () => {
  it('are written as the visitor writes them', () => {
    const [german, american] = [createFormats('de-DE', 'de'), createFormats('en-US', 'en')]
    expect(german.time('2026-11-25T13:00:00Z', 'Europe/Berlin')).toBe('14:00')
    expect(plain(american.time('2026-11-25T13:00:00Z', 'America/New_York'))).toBe('8:00 AM')
    expect(german.day('2026-11-25')).toBe('Mittwoch, 25. November 2026')
    expect(american.month('2026-11')).toBe('November 2026')
    expect([
      german.firstWeekday,
      american.firstWeekday,
      createFormats('ar-EG', 'en').firstWeekday,
    ]).toEqual([0, 6, 5])
  })

  it('show both days of a meeting over midnight', () => {
    const span = createFormats('en-GB', 'en').span(
      '2026-11-25T22:30:00Z',
      '2026-11-25T23:30:00Z',
      'Europe/Berlin',
    )
    expect(span).toContain('25 November 2026')
    expect(span).toContain('26 November 2026')
  })

  it('count in the calendar of the page whatever a language asks for', () => {
    expect(createFormats('th-TH', 'en').month('2026-11')).toContain('2026')
    expect(createFormats('fa-u-ca-persian', 'en').month('2026-11')).not.toContain('۱۴۰۵')
  })

  it('tell the distance to UTC at that moment', () => {
    const formats = createFormats('en-GB', 'en')
    expect(formats.offset('2026-07-01T12:00:00Z', 'Europe/Berlin')).toBe('GMT+2')
    expect(formats.offset('2026-12-01T12:00:00Z', 'Europe/Berlin')).toBe('GMT+1')
  })
})

describe('languages that visitors send', () => {
  it('are kept under the few tags that Intl has data for', async () => {
    const pages = openPages()
    // Files of one worker share the formats that are kept.
    const before = keptFormats().languages
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const regions = letters.flatMap((one) => letters.map((other) => `${one}${other}`.toUpperCase()))
    for (const region of regions)
      await pages.raw('/nowhere', { 'accept-language': `de-${region}-1996` })
    // Intl has data of its own for the German of seven countries.
    expect(keptFormats().languages - before).toBeLessThanOrEqual(10)
    for (const region of regions)
      for (const language of ['x1', 'en', 'fr'])
        await pages.raw('/nowhere', { 'accept-language': `${language}-${region}` })
    for (const one of letters)
      for (const other of letters)
        await pages.raw('/nowhere', { 'accept-language': `${one}${other}` })
    expect(keptFormats().languages).toBeLessThanOrEqual(50)
    expect(keptFormats().tags).toBeLessThanOrEqual(1_000)
  })

  it('are resolved to the nearest one', async () => {
    const pages = openPages()
    const html = (tag: string) =>
      pages.get('/nowhere', { 'accept-language': tag }).then((shown) => shown.html)
    expect(await html('de-XX-1996')).toBe(await html('de'))
  })
})

describe('words', () => {
  it('tell a duration and a place', () => {
    const { duration } = createFormats('en-GB', 'en')
    expect([5, 60, 90, 121].map(duration)).toEqual([
      '5 minutes',
      '1 hour',
      '1 hour, 30 minutes',
      '2 hours, 1 minute',
    ])
    expect(placeOfZone('America/Argentina/Buenos_Aires')).toBe('Buenos Aires')
    expect(zoneInRegion('America/Argentina/Buenos_Aires')).toBe('Argentina, Buenos Aires')
    expect(zoneInRegion('UTC')).toBe('UTC')
  })
})
