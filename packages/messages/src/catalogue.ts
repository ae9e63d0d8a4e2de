import { createTranslator } from 'use-intl/core'
import { type Language, type PageLanguage, pseudoLanguage } from './languages.ts'
import { inBrackets } from './pseudo.ts'

/**
 * The messages of one file on a server, by language: `const texts = catalogue({ en, de })`, then
 * `texts(language)('title')`. Throws at the first use of a message that is missing or broken, which
 * the tests of this package find before.
 */
export function catalogue<Messages extends Record<string, unknown>>(
  files: Record<Language, Messages>,
) {
  const translatorOf = (locale: PageLanguage, messages: Messages) =>
    createTranslator<Messages>({
      locale,
      messages,
      // Times of mails and pages have a zone of their own, which their callers name.
      timeZone: 'UTC',
      onError: (error) => {
        throw error
      },
    })
  const translators = {
    en: translatorOf('en', files.en),
    de: translatorOf('de', files.de),
    [pseudoLanguage]: translatorOf(pseudoLanguage, inBrackets(files.en)),
  }
  return (language: PageLanguage) => translators[language]
}
