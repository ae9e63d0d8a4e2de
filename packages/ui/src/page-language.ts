import {
  catalogueLanguage,
  defaultLanguage,
  isPageLanguage,
  languageCookie,
  type PageLanguage,
} from '@atrium/messages/languages'

/**
 * The language of this page, which the server chose. It stays the same for as long as the page is
 * open: another one comes with the next load.
 */
export const pageLanguage: PageLanguage = languageOf(
  typeof document === 'undefined' ? undefined : document.documentElement.lang,
)

function languageOf(tag: string | undefined): PageLanguage {
  return isPageLanguage(tag) ? tag : defaultLanguage
}

/**
 * Loads the page again in this language, unless it is in it. A browser that keeps no cookies stays
 * as it is.
 */
export function switchLanguage(language: PageLanguage): void {
  if (language === pageLanguage) return
  const cookie = `${languageCookie}=${language}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and Safari
  document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax`
  if (document.cookie.split('; ').includes(cookie)) window.location.reload()
}

/**
 * The locale of dates and numbers: the viewer's own kind of the page's language, so that `en-US`
 * and `de-AT` are kept. `preferred`: what the browser prefers, first choice first. Some systems
 * report names that `Intl` rejects (`en-US@posix`); they are passed over.
 */
export function formatLocale(language: PageLanguage, preferred: readonly string[]): string {
  const base = catalogueLanguage(language)
  return (
    preferred.find((tag) => tag.split('-')[0] === base && isKnown(tag)) ??
    (base === 'de' ? 'de-DE' : 'en-GB')
  )
}

function isKnown(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/** `formatLocale` of this page and browser. */
export const viewerLocale: string = formatLocale(
  pageLanguage,
  typeof navigator === 'undefined' ? [] : navigator.languages,
)
