import {
  catalogueLanguage,
  defaultLanguage,
  firstLanguage,
  isPageLanguage,
  type Language,
  languageCookie,
  type PageLanguage,
  pseudoLanguage,
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

interface Settings {
  language: Language | null
  tenants: readonly { language: Language | null }[]
}

/**
 * Shows the pages in the language of this person's settings: their own, else that of the first of
 * their tenants that set one, else the browser's. Reloads the page when that changes, once, because
 * the cookie is changed before; a browser that keeps no cookies keeps its language.
 */
export function followLanguage({ language, tenants }: Settings): void {
  const chosen = firstLanguage(language, ...tenants.map((tenant) => tenant.language))
  const kept = keptLanguage()
  if (kept === chosen || kept === pseudoLanguage) return
  const value = chosen === undefined ? '; max-age=0' : `${chosen}; max-age=31536000`
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari lack the Cookie Store
  document.cookie = `${languageCookie}=${value}; path=/; samesite=lax`
  if (keptLanguage() === chosen && chosen !== pageLanguage) window.location.reload()
}

function keptLanguage(): string | undefined {
  const name = `${languageCookie}=`
  const cookie = document.cookie.split('; ').find((pair) => pair.startsWith(name))
  return cookie?.slice(name.length)
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

/** What calls to the API name as their language. */
export const requestLanguage: string = pageLanguage === pseudoLanguage ? pageLanguage : viewerLocale
