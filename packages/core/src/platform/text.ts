import { z } from 'zod'
import { addressPattern } from '../mail/address-patterns.ts'
import { says } from './issue-text.ts'

// C0 and C1 controls, line and paragraph separators, zero-width and bidirectional controls, byte
// order mark, lone surrogates and noncharacters: each can make one name look like another or break
// a header, a log line or a CSV cell.
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects the controls
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/u

// Scripts in which a joiner or non-joiner changes how the letters beside it are written, so that
// names need it (Unicode Standard, chapter 23.2). In Latin, Greek or Cyrillic it would only hide in
// a look-alike.
const joiningScripts = [
  ...[
    'Arabic',
    'Syriac',
    'Nko',
    'Mongolian',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
    'Tamil',
  ],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
]
const joiningLetter = `[${joiningScripts.map((script) => `\\p{Script=${script}}`).join('')}]`
/**
 * Signs that take the vowel from a letter; a joiner after one shapes the letter even at the end of
 * a word.
 */
const virama = '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]'
const emojiEnd = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]'
const meaningfulJoiners = new RegExp(
  [
    `(?<=${joiningLetter}\\p{M}*)[\\u200c\\u200d](?=${joiningLetter})`,
    `(?<=${virama})\\u200d`,
    `(?<=${emojiEnd})\\u200d(?=\\p{Extended_Pictographic})`,
  ].join('|'),
  'gu',
)

// The same for the API description, whose patterns know no context: joiners are named as rejected,
// and what is dropped as taken.
const control = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f'
const hidden = '\\u061c\\u200c-\\u200f\\u2028-\\u202e\\u2061-\\u206f\\ufff9-\\uffff'
const dropped = '\\u200b\\u2060\\ufeff'
const lineEnds = '\\t\\n\\r'
/**
 * What a text without such characters matches; with `min` above 0 it holds something that can be
 * seen.
 */
function shown(min: number, rejected: string): string {
  return min === 0
    ? `^[^${rejected}]*$`
    : `^[^${rejected}]*[^\\s${dropped}${rejected}][^${rejected}]*$`
}
/** For a text of one line, see `line`. */
export const onOneLine = (min: number) => shown(min, control + hidden + lineEnds)
/** For a text of several lines, see `lines`. */
export const onSeveralLines = (min: number) => shown(min, control + hidden)

/**
 * True when the text holds control, invisible or bidirectional characters, or is not well-formed
 * Unicode. Zero-width joiners count only where they join nothing: names of several scripts and
 * emoji sequences need them.
 */
export function hasUnsafeCharacters(text: string): boolean {
  return !text.isWellFormed() || unsafe.test(text.replace(meaningfulJoiners, ''))
}

/**
 * Drops separators without width, which come along unseen when text is copied: U+200B, U+2060 and
 * U+FEFF.
 */
export function withoutInvisibleSeparators(text: string): string {
  return text.replace(/[\u200b\u2060\ufeff]/g, '')
}

/**
 * One line that a person typed: NFC, trimmed, invisible separators dropped, no control or other
 * invisible characters, `min` to `max` characters.
 */
export function line(max: number, min = 1) {
  return z
    .string()
    .max(max * 4, says('charactersAtMost', { count: max }))
    .transform(withoutInvisibleSeparators)
    .refine((value) => !hasUnsafeCharacters(value), says('hiddenCharacters'))
    .transform((value) => value.normalize('NFC').trim())
    .pipe(z.string().min(min).max(max))
    .meta({ openapi: { minLength: min, maxLength: max, pattern: onOneLine(min) } })
}

/**
 * Several lines that a person typed; line ends become LF. Tabs and line ends are the only controls.
 */
export function lines(max: number) {
  return z
    .string()
    .max(max)
    .transform((value) => withoutInvisibleSeparators(value).replace(/\r\n?/g, '\n'))
    .refine(
      (value) => !hasUnsafeCharacters(value.replace(/[\n\t]/g, ' ')),
      says('hiddenCharacters'),
    )
    .refine((value) => value.trim() !== '', says('empty'))
    .meta({ openapi: { minLength: 1, pattern: onSeveralLines(1) } })
}

/** A text of several lines that a person typed: as `line`, with line ends kept, each as one LF. */
export function paragraphs(max: number, min = 1) {
  return z
    .string()
    .max(max * 4, says('charactersAtMost', { count: max }))
    .transform((value) =>
      withoutInvisibleSeparators(value).replace(/\r\n?/g, '\n').replaceAll('\t', ' '),
    )
    .refine((value) => !hasUnsafeCharacters(value.replaceAll('\n', ' ')), says('hiddenCharacters'))
    .transform((value) => value.normalize('NFC').trim())
    .pipe(z.string().min(min).max(max))
    .meta({ openapi: { minLength: min, maxLength: max, pattern: onSeveralLines(min) } })
}

const local = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

/**
 * An e-mail address, lower-cased: dot-atom local part of at most 64 characters (RFC 5321 section
 * 4.5.3.1.1), ASCII only, so that look-alikes cannot pass for another person. The domain may be
 * written in letters of its own and becomes A-labels (RFC 5891).
 */
export const emailAddress = z
  .string()
  .max(254)
  .transform((value) => withAsciiHost(withoutInvisibleSeparators(value).trim()))
  // Before it is lower-cased: the Kelvin sign would become a k.
  .refine((value) => /^[\x20-\x7e]{0,254}$/.test(value), {
    ...says('email'),
    abort: true,
  })
  .transform((value) => value.toLowerCase())
  .refine((value) => {
    const at = value.lastIndexOf('@')
    return (
      at > 0 && at <= 64 && local.test(value.slice(0, at)) && hostName.test(value.slice(at + 1))
    )
  }, says('email'))
  .meta({ openapi: { format: 'email', pattern: addressPattern } })

/**
 * The address with the host as A-labels; as it is where the host has none, which the checks then
 * tell.
 */
function withAsciiHost(address: string): string {
  const at = address.lastIndexOf('@')
  const host = address.slice(at + 1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it finds what is not ASCII
  if (at < 1 || /^[\x00-\x7f]*$/.test(host) || /[\s/:@?#%[\]\\]/.test(host)) return address
  // The URL parser is the one place of the language that knows IDNA.
  const url = URL.parse(`http://${host}`)
  return url === null ? address : `${address.slice(0, at)}@${url.hostname}`
}

const hostName =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** True for a lower-case A-label host name with at least two labels (RFC 1123 section 2.1). */
export function isHostName(value: string): boolean {
  return hostName.test(value)
}

/**
 * ISO 8601 has a year 0, PostgreSQL has not: a date in it would fail in the database instead of
 * here.
 */
const hasYear = (value: string) => !value.startsWith('0000')

/** Offsets that PostgreSQL takes end at 15:59; no place on earth has one beyond 14:00. */
const hasOffset = (value: string) => !/[+-](?:1[6-9]|2\d):\d\d$/.test(value)

/** ISO 8601 instant with an offset of at most 15:59, as text, from the year 1 on. */
export const instant = z.iso
  .datetime({ offset: true, ...says('timeWithOffset') })
  .refine((value) => hasYear(value) && hasOffset(value), says('timeWithOffset'))

/**
 * The form of an `instant` as a regular expression, for patterns of the API description. Takes the
 * 31st of every month.
 */
export const instantPattern = (seconds = '[0-5]\\d(?:\\.\\d+)?') =>
  '(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d' +
  `:${seconds}(?:Z|[+-](?:0\\d|1[0-5]):[0-5]\\d)`

/** ISO 8601 calendar date, as text, from the year 1 on. */
export const calendarDate = () =>
  z.iso.date({ abort: true }).refine(hasYear, { ...says('isoDate'), abort: true })

/** A `#rrggbb` colour, lower-cased. */
export const hexColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, says('color'))
  .transform((value) => value.toLowerCase())
