import { z } from 'zod'

// C0 and C1 controls, line and paragraph separators, zero-width and bidirectional controls, byte order mark, lone surrogates and
// noncharacters: each can make one name look like another or break a header, a log line or a CSV cell.
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the controls are what is being refused
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/u

/** True when the text holds control, invisible or bidirectional characters, or is not well-formed Unicode. */
export function hasUnsafeCharacters(text: string): boolean {
  return !text.isWellFormed() || unsafe.test(text)
}

/** One line that a person typed: NFC, trimmed, no control or invisible characters, `min` to `max` characters. */
export function line(max: number, min = 1) {
  return z
    .string()
    .max(max * 4, `At most ${max} characters.`)
    .refine((value) => !hasUnsafeCharacters(value), 'Control and invisible characters are not allowed.')
    .transform((value) => value.normalize('NFC').trim())
    .pipe(
      z
        .string()
        .min(min, min === 1 ? 'This must not be empty.' : `At least ${min} characters.`)
        .max(max, `At most ${max} characters.`),
    )
}

/** Several lines that a person typed; line ends become LF. Tabs and line ends are the only controls. */
export function lines(max: number) {
  return z
    .string()
    .max(max, `At most ${max} characters.`)
    .transform((value) => value.replace(/\r\n?/g, '\n'))
    .refine((value) => !hasUnsafeCharacters(value.replace(/[\n\t]/g, ' ')), 'Control and invisible characters are not allowed.')
    .refine((value) => value.trim() !== '', 'This must not be empty.')
}

/** A text of several lines that a person typed: as `line`, with line ends kept, each as one LF. */
export function paragraphs(max: number, min = 1) {
  return z
    .string()
    .max(max * 4, `At most ${max} characters.`)
    .transform((value) => value.replace(/\r\n?/g, '\n').replaceAll('\t', ' '))
    .refine((value) => !hasUnsafeCharacters(value.replaceAll('\n', ' ')), 'Control and invisible characters are not allowed.')
    .transform((value) => value.normalize('NFC').trim())
    .pipe(
      z
        .string()
        .min(min, min === 1 ? 'This must not be empty.' : `At least ${min} characters.`)
        .max(max, `At most ${max} characters.`),
    )
}

const local = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

/**
 * An e-mail address, lower-cased: dot-atom local part of at most 64 characters (RFC 5321 section 4.5.3.1.1), ASCII only, so that
 * look-alikes cannot pass for another person; the domain as `domainName` takes it.
 */
export const emailAddress = z
  .string()
  .max(254, 'At most 254 characters.')
  .trim()
  // Before it is lower-cased: the Kelvin sign would become a k.
  .refine((value) => /^[\x20-\x7e]*$/.test(value), { error: 'This is not an e-mail address.', abort: true })
  .transform((value) => value.toLowerCase())
  .refine((value) => {
    const at = value.lastIndexOf('@')
    return at > 0 && at <= 64 && local.test(value.slice(0, at)) && hostName.test(value.slice(at + 1))
  }, 'This is not an e-mail address.')

const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** True for a lower-case A-label host name with at least two labels (RFC 1123 section 2.1). */
export function isHostName(value: string): boolean {
  return hostName.test(value)
}

/** ISO 8601 has a year 0, PostgreSQL has not: a date in it would fail in the database instead of here. */
const hasYear = (value: string) => !value.startsWith('0000')

/** ISO 8601 instant with an offset, as text, from the year 1 on. */
export const instant = z.iso
  .datetime({ offset: true, error: 'This is not an ISO 8601 time with an offset.' })
  .refine(hasYear, 'This is not an ISO 8601 time with an offset.')

/** ISO 8601 calendar date, as text, from the year 1 on. `error` says what it is not. */
export const calendarDate = (error: string) => z.iso.date({ error, abort: true }).refine(hasYear, { error, abort: true })

/** A `#rrggbb` colour, lower-cased. */
export const hexColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'This is not a colour such as #1f6feb.')
  .transform((value) => value.toLowerCase())
