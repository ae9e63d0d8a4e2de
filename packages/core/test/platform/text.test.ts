import {
  calendarDate,
  emailAddress,
  hasUnsafeCharacters,
  hexColor,
  instant,
  instantPattern,
  isHostName,
  line,
  lines,
  paragraphs,
} from '@atrium/core/platform/text'
import { phoneNumber } from '@atrium/core/users/users'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success

describe('a line', () => {
  it('is trimmed and composed', () => {
    expect(line(10).parse('  Cafe\u0301 ')).toBe('Café')
  })
  it.each([
    ['NUL', '\u0000'],
    ['line feed', '\n'],
    ['carriage return', '\r'],
    ['tab', '\t'],
    ['escape', '\u001b'],
    ['delete', '\u007f'],
    ['next line', '\u0085'],
    ['zero-width joiner', '\u200d'],
    ['zero-width non-joiner', '\u200c'],
    ['left-to-right mark', '\u200e'],
    ['override', '\u202e'],
    ['isolate', '\u2067'],
    ['Arabic letter mark', '\u061c'],
    ['invisible times', '\u2062'],
    ['line separator', '\u2028'],
    ['noncharacter', '\uffff'],
    ['high surrogate', '\ud800'],
    ['low surrogate', '\udc00'],
  ])('holds no %s', (_name, character) => {
    expect(accepts(line(10), `a${character}b`)).toBe(false)
    expect(hasUnsafeCharacters(`a${character}b`)).toBe(true)
  })
  it.each(['Ünïcode', '日本', 'Ω≈ç', 'a b', '🎉', "'; --", '<b>', 'עברית'])(
    'may hold %s',
    (text) => {
      expect(line(20).parse(text)).toBe(text)
    },
  )
  it.each([
    ['Persian', 'علی\u200cرضا'],
    ['Persian with a vowel sign', 'نامه\u064e\u200cای'],
    ['Sinhala', 'ශ්\u200dරී'],
    ['Hindi', 'क्\u200dष'],
    ['Hindi, kept apart', 'क्\u200cष'],
    ['Malayalam, at the end of a word', 'അവന്\u200d'],
    ['a profession', '👩‍🚀'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['a tone of skin', '👩🏽‍🚀'],
    ['a flag', '🏳️‍🌈'],
  ])('keeps the joiners of %s', (_name, text) => {
    expect(line(40).parse(text)).toBe(text)
    expect(hasUnsafeCharacters(text)).toBe(false)
  })
  it.each([
    ['between Latin letters', 'ad\u200cmin'],
    ['between Cyrillic letters', 'ад\u200dмин'],
    ['twice', 'علی\u200c\u200cرضا'],
    ['at the end', 'علی\u200c'],
    ['at the beginning', '\u200cعلی'],
    ['before an emoji alone', '\u200d🚀'],
    ['between an emoji and a letter', '👩\u200da'],
  ])('holds no joiner %s', (_name, text) => {
    expect(accepts(line(40), text)).toBe(false)
  })
  it('drops separators without width, which come along when text is copied', () => {
    for (const separator of ['\u200b', '\u2060', '\ufeff']) {
      expect(line(10).parse(`${separator}An${separator}na `)).toBe('Anna')
      expect(paragraphs(20).parse(`An${separator}na\r\nB`)).toBe('Anna\nB')
      expect(lines(20).parse(`An${separator}na`)).toBe('Anna')
      expect(accepts(line(10), separator)).toBe(false)
    }
  })
  it('keeps its bounds after trimming', () => {
    expect(accepts(line(3), '   ')).toBe(false)
    expect(accepts(line(3), ' abc ')).toBe(true)
    expect(accepts(line(3), 'abcd')).toBe(false)
    expect(accepts(line(5, 2), 'a')).toBe(false)
    expect(accepts(line(3), 'a'.repeat(100_000))).toBe(false)
  })
  test.prop([fc.string({ unit: 'binary', maxLength: 60 })])(
    'answers a text that a database can hold and that stays as it is, or refuses',
    (text) => {
      const parsed = line(100).safeParse(text)
      if (!parsed.success) return
      expect(parsed.data.isWellFormed()).toBe(true)
      expect(parsed.data).not.toContain('\u0000')
      expect(line(100).parse(parsed.data)).toBe(parsed.data)
    },
  )
})

describe('a text of several lines', () => {
  it('has line feeds for line ends of any kind', () => {
    expect(lines(20).parse('a\r\nb\rc\n')).toBe('a\nb\nc\n')
    expect(paragraphs(20).parse('a\r\nb\rc\n')).toBe('a\nb\nc')
  })
  it('keeps tabs and spaces as they are, or is tidied as a person’s text', () => {
    expect(lines(20).parse(' a\tb ')).toBe(' a\tb ')
    expect(paragraphs(20).parse(' Cafe\u0301\tb ')).toBe('Café b')
  })
  it.each(['\u0000', '\u001b', '\u202e', '\ud800', '\u2028'])('holds no %j', (character) => {
    for (const schema of [lines(20), paragraphs(20)])
      expect(accepts(schema, `a${character}b`)).toBe(false)
  })
  it('says something, within its bounds', () => {
    for (const blank of ['', ' \n\t', '\u200b']) {
      expect(accepts(lines(20), blank)).toBe(false)
      expect(accepts(paragraphs(20), blank)).toBe(false)
    }
    expect(paragraphs(20, 0).parse(' \n')).toBe('')
    expect(accepts(lines(3), 'abc')).toBe(true)
    expect(accepts(lines(3), 'abcd')).toBe(false)
    expect(accepts(paragraphs(3), ' abc\n')).toBe(true)
    expect(accepts(paragraphs(3), 'abcd')).toBe(false)
    expect(accepts(paragraphs(3), `abc${' '.repeat(10)}`)).toBe(false)
  })
})

describe('an e-mail address', () => {
  it.each([
    ['Some.Body@Example.COM', 'some.body@example.com'],
    [' a@b.co ', 'a@b.co'],
    ["o'neil+tag@sub.example.com", "o'neil+tag@sub.example.com"],
    [`${'a'.repeat(64)}@b.co`, `${'a'.repeat(64)}@b.co`],
    ['a@xn--bcher-kva.de', 'a@xn--bcher-kva.de'],
    ['A@Bücher.DE', 'a@xn--bcher-kva.de'],
    ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@b.co\u200b', 'a@b.co'],
  ])('%s is %s', (given, stored) => {
    expect(emailAddress.parse(given)).toBe(stored)
  })
  it.each([
    '',
    '@',
    'a@',
    '@b.co',
    'a@b',
    'a b@c.de',
    'a@b@c.de',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.de',
    '"a"@b.co',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@-b.co',
    'a@b_c.de',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(250)}.co`,
    'аdmin@b.co',
    // A Kelvin sign, which lower-cases to a k.
    '\u212aim@b.co',
    'a@bü cher.de',
    'a@bücher.de:25',
    'a@１２７.0.0.1',
    `a@${'ü'.repeat(250)}.co`,
    'a\u0000@b.co',
    'a\n@b.co',
    'Name <a@b.co>',
    'a@b.co,c@d.de',
  ])('%j is none', (given) => {
    expect(accepts(emailAddress, given)).toBe(false)
  })
  test.prop([fc.emailAddress()])(
    'of RFC 5322 is kept in lower case or rejected, and never changed otherwise',
    (address) => {
      const parsed = emailAddress.safeParse(address)
      if (parsed.success) expect(parsed.data).toBe(address.toLowerCase())
    },
  )
})

describe('other texts', () => {
  it('colours are six hex digits', () => {
    expect(hexColor.parse('#1F6FEB')).toBe('#1f6feb')
    for (const wrong of ['1f6feb', '#fff', '#1f6febff', 'red', '#1f6feg', '#1f6feb\n'])
      expect(accepts(hexColor, wrong), wrong).toBe(false)
  })
  it('instants name their offset', () => {
    for (const right of [
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.123456+02:00',
      '2024-02-29T23:59:59Z',
      '2026-01-01T00:00:00-15:59',
    ])
      expect(accepts(instant, right), right).toBe(true)
    for (const wrong of [
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      'now',
      '1767225600',
    ])
      expect(accepts(instant, wrong), wrong).toBe(false)
    for (const offset of ['+16:00', '-16:00', '+16:30', '+23:59', '-19:00'])
      expect(accepts(instant, `2020-01-01T00:00:00${offset}`), offset).toBe(false)
  })
  test.prop([
    fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
    fc.constantFrom('Z', '+02:00', '-15:59', '+15:30', '+16:00', '-23:00', ''),
    fc.constantFrom(10, 16, 19, 23),
  ])('instants have the form that the API description says', (date, offset, length) => {
    const text = date.toISOString().slice(0, length) + offset
    expect(new RegExp(`^${instantPattern()}$`).test(text), text).toBe(accepts(instant, text))
  })
  it('the form of an instant has no year 0, and leaves the length of a month to the check', () => {
    const form = new RegExp(`^${instantPattern()}$`)
    expect(form.test('2026-02-31T00:00:00Z')).toBe(true)
    for (const wrong of ['0000-06-01T00:00:00Z', '2026-01-32T00:00:00Z', '2026-13-01T00:00:00Z'])
      expect(form.test(wrong), wrong).toBe(false)
  })
  it('dates and instants begin with the year 1, as the database does', () => {
    const date = calendarDate()
    for (const right of ['2024-02-29', '0001-01-01', '9999-12-31'])
      expect(accepts(date, right), right).toBe(true)
    for (const wrong of ['0000-01-01', '2026-02-29', '2026-1-1', ''])
      expect(accepts(date, wrong), wrong).toBe(false)
    expect(accepts(instant, '0000-06-01T00:00:00Z')).toBe(false)
  })
  it('phone numbers are digits with separators', () => {
    for (const right of ['+49 30 1234', '(030) 12-34', '112 0'])
      expect(accepts(phoneNumber, right), right).toBe(right !== '(030) 12-34')
    expect(phoneNumber.parse('+49\u200b30 1234')).toBe('+4930 1234')
    for (const wrong of ['call me', '+', '12', '+49\u200e30', '=1+1', '1'.repeat(40)])
      expect(accepts(phoneNumber, wrong), wrong).toBe(false)
  })
  it('host names have two labels or more', () => {
    for (const right of ['a.bc', 'x-y.z1.com']) expect(isHostName(right), right).toBe(true)
    for (const wrong of ['localhost', 'a.1', '1.2.3.4', 'A.bc', 'a.bc.', '-a.bc', 'a.bc-'])
      expect(isHostName(wrong), wrong).toBe(false)
  })
})
