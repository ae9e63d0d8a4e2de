import { formatLocale, type PageLanguage } from '@atrium/messages/languages'

/** A day as mails and sentences write it, in UTC: 28 July 2026. */
export function writtenDay(at: Date, language: PageLanguage): string {
  return at.toLocaleDateString(formatLocale(language), { dateStyle: 'long', timeZone: 'UTC' })
}
