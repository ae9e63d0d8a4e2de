import { type Language, languages } from '@atrium/messages/languages'
import { viewerLocale } from '@atrium/ui/page-language'

/** A language in the words of the viewer: `German`, `Deutsch`. */
export function languageName(language: Language): string {
  return new Intl.DisplayNames(viewerLocale, { type: 'language' }).of(language) ?? language
}

/** The languages of standard texts, for a select. */
export function languageOptions(): { value: Language; label: string }[] {
  return languages.map((language) => ({ value: language, label: languageName(language) }))
}
