import { type Expression, expressionBuilder, type SqlBool } from 'kysely'

/** What a short text may follow; empty for the beginning of the value. */
const wordBreaks = ['', '% ', '%.', '%-', '%\\_', '%@']

/**
 * Whether one of these lower-case values contains the typed text, ignoring case. A trigram index
 * cannot look up ASCII text without three letters or digits in a row, so such a text is found only
 * at the start of a word.
 */
export function matchesText(
  values: readonly Expression<unknown>[],
  text: string,
): Expression<SqlBool> {
  const pattern = `${escapeLike(text.toLowerCase())}%`
  const patterns = needsWordBreak(text)
    ? wordBreaks.map((before) => before + pattern)
    : [`%${pattern}`]
  const eb = expressionBuilder()
  return eb.or(values.flatMap((value) => patterns.map((one) => eb(value, 'like', one))))
}

/** A text that begins with a sign has a word break already. */
const needsWordBreak = (text: string) =>
  /^[a-z0-9][\x20-\x7e]*$/i.test(text) && !/[a-z0-9]{3}/i.test(text)

/** Escapes `%`, `_` and `\` of a person's text in a `like` pattern. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
