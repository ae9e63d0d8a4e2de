import type { MiddlewareHandler } from 'hono'
import { languageDetector } from 'hono/language'
import { defaultLanguage, languageCookie, type PageLanguage, pageLanguages } from './languages.ts'

/** What `detectLanguage` leaves in the context of a request. */
export interface LanguageVariables {
  language: PageLanguage
}

/**
 * Sets `language` in the request's context: from the app's cookie, else from Accept-Language, else
 * English. `de-AT` is German.
 */
export function detectLanguage(
  from: ('cookie' | 'header')[] = ['cookie', 'header'],
): MiddlewareHandler<{ Variables: LanguageVariables }> {
  return languageDetector({
    supportedLanguages: [...pageLanguages],
    fallbackLanguage: defaultLanguage,
    order: from,
    lookupCookie: languageCookie,
    caches: false,
  })
}
