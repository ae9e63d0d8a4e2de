import { type DomainCheckMessages, domainCheckTexts } from '@atrium/messages/domain-check-texts'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'

/** The key of a message in `server/domain-checks.json`. */
export type CheckTextKey = {
  [Part in keyof DomainCheckMessages]: `${Part}.${keyof DomainCheckMessages[Part] & string}`
}[keyof DomainCheckMessages]

/**
 * The result of a check as it is stored, without a language. A value may be a message of its own.
 */
export interface CheckText {
  readonly key: CheckTextKey
  readonly values: Readonly<Record<string, string | CheckText>>
}

export function checkText(
  key: CheckTextKey,
  values: Readonly<Record<string, string | number | CheckText>> = {},
): CheckText {
  const texts = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? String(value) : value,
  ])
  return { key, values: Object.fromEntries(texts) }
}

/** The message in a language, including the messages among its values. */
export function writeCheckText(text: CheckText, language: PageLanguage): string {
  const values = Object.entries(text.values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : writeCheckText(value, language),
  ])
  return domainCheckTexts(language)(text.key, Object.fromEntries(values))
}

/** Maps every value, including those of the messages among them. */
export function mapCheckValues(text: CheckText, change: (value: string) => string): CheckText {
  const values = Object.entries(text.values).map(([name, value]) => [
    name,
    typeof value === 'string' ? change(value) : mapCheckValues(value, change),
  ])
  return { key: text.key, values: Object.fromEntries(values) }
}

/** False for a key that only another version of the program knows. */
export function isKnownCheckText({ key }: CheckText): boolean {
  return domainCheckTexts(defaultLanguage).has(key)
}
