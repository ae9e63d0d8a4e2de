/** Languages that the product speaks. Each is a folder of `packages/messages/src`. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** For everyone whose language is not among them. */
export const defaultLanguage: Language = 'en'

/**
 * A language of tests: English with every message between ⟦ and ⟧. Text without brackets does not
 * come from the catalogue. Pages show it to a browser that names it, which no browser does on its
 * own.
 */
export const pseudoLanguage = 'en-XA'

/** What pages, mails and errors can be written in: a BCP 47 tag. */
export type PageLanguage = Language | typeof pseudoLanguage

export const pageLanguages: readonly PageLanguage[] = [...languages, pseudoLanguage]

export function isPageLanguage(tag: unknown): tag is PageLanguage {
  return pageLanguages.some((language) => language === tag)
}

/** The first of these that the product speaks: the person's setting, then the tenant's. */
export function firstLanguage(
  ...settings: readonly (string | null | undefined)[]
): PageLanguage | undefined {
  return settings.find(isPageLanguage)
}

/**
 * Where an app keeps the language that its pages are in: that of the person's or the tenant's
 * setting.
 */
export const languageCookie = 'atrium_language'

/** Whose files a page in this language is written with. */
export function catalogueLanguage(language: PageLanguage): Language {
  return language === pseudoLanguage ? defaultLanguage : language
}

/** Languages by their own names, with which people find theirs: `Deutsch`. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

/** The locale of dates and numbers on servers: English is the British one. */
export function formatLocale(language: PageLanguage): string {
  return catalogueLanguage(language) === 'en' ? 'en-GB' : language
}

/** The language of a locale, where the product speaks it: German for `de-AT`. */
export function languageOfLocale(locale: string): Language | undefined {
  const primary = locale.split('-')[0]?.toLowerCase()
  return languages.find((language) => language === primary)
}
