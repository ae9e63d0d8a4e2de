import { compareDkim as compare } from '@atrium/core/mail/dkim'
import { parseTagList } from '@atrium/core/mail/tag-list'
import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { inEnglish } from './check-texts.ts'

const key = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAx'
const expected = `v=DKIM1; k=rsa; h=sha256; p=${key}`

const compareDkim = (requested: string, published: readonly string[]) =>
  inEnglish(compare(requested, published))

describe('compareDkim', () => {
  it.each([
    expected,
    `p=${key}`,
    `v=DKIM1;k=rsa;p=${key};`,
    `v=DKIM1; p=${key.slice(0, 20)} ${key.slice(20)}`,
    `v=DKIM1; s=email; h=sha1:sha256; n=note; p=${key}`,
    `k=rsa; p=${key}; t=s`,
  ])('takes %s for the same key', (text) => {
    expect(compareDkim(expected, [text])).toEqual({ verdict: 'ok', reason: null })
  })

  it.each([
    [`v=DKIM1; k=ed25519; p=${key}`, 'algorithm is k=ed25519'],
    ['v=DKIM1; k=rsa; p=OTHER', 'a different key'],
    [`v=DKIM1; k=rsa; p=${key.slice(0, 12)}`, `cut off after 12 of ${key.length}`],
    [`v=DKIM1; k=rsa; p=${key}AAAA`, 'Something follows the key'],
    ['v=DKIM1; k=rsa; p=', 'revoked'],
    ['v=DKIM1; k=rsa', 'p= is missing'],
    [`v=DKIM2; p=${key}`, 'v=DKIM2'],
    [`p=${key}; v=DKIM1`, 'must come first'],
    [`v=DKIM1; h=sha1; p=${key}`, 'only h=sha1'],
    [`v=DKIM1; s=other; p=${key}`, 'does not allow e-mail'],
    [`"v=DKIM1; p=${key}"`, 'quotation marks'],
    [`v=DKIM1\\; p=${key}`, 'backslashes'],
    [`v=DKIM1; p=${key}; p=${key}`, 'appears twice'],
    ['hello', 'cannot be read'],
  ])('says what is wrong with %s', (text, reason) => {
    expect(compareDkim(expected, [text])).toMatchObject({
      verdict: 'mismatch',
      reason: expect.stringContaining(reason),
    })
  })

  it('warns of t=y, and rejects two records', () => {
    expect(compareDkim(expected, [`v=DKIM1; t=y:s; p=${key}`])).toMatchObject({
      verdict: 'ok',
      reason: expect.stringContaining('t=y'),
    })
    expect(compareDkim(expected, [expected, expected])).toMatchObject({
      verdict: 'mismatch',
      reason: expect.stringContaining('2 TXT records'),
    })
    expect(compareDkim(expected, [])).toEqual({ verdict: 'missing', reason: null })
  })

  property.prop([
    fc.array(fc.constantFrom('k=rsa', 'h=sha256', 's=*', 'n=x y', 't=s'), { maxLength: 5 }),
    fc.array(fc.nat(key.length), { maxLength: 6 }),
  ])('does not care for the order of tags and white space inside the key', (tags, cuts) => {
    let spaced = key
    for (const cut of cuts) spaced = `${spaced.slice(0, cut)} ${spaced.slice(cut)}`
    const unique = [...new Set(tags)]
    const place = unique.length === 0 ? 0 : (cuts[0] ?? 0) % (unique.length + 1)
    const all = [...unique.slice(0, place), `p=${spaced}`, ...unique.slice(place)]
    expect(compareDkim(expected, [`v=DKIM1 ; ${all.join(' ; ')}`]).verdict).toBe('ok')
  })
})

describe('parseTagList', () => {
  property.prop([fc.string({ unit: 'binary' })])('reads anything or says why not', (text) => {
    const { tags, fault } = parseTagList(text)
    expect(tags === undefined).toBe(fault !== undefined)
  })

  property.prop([
    fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/), fc.stringMatching(/^[!-:<-~]{0,20}$/)),
  ])('gives back what was written', (values) => {
    const text = Object.entries(values)
      .map(([name, value]) => ` ${name} = ${value} `)
      .join(';')
    expect(Object.fromEntries(parseTagList(text).tags ?? [])).toEqual(values)
  })
})
