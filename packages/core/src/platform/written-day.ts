import { formatLocale, type PageLanguage } from '@atrium/messages/languages'

/** A day as mails and sentences write it, in UTC: 28 July 2026. */
export function writtenDay(at: Date, language: PageLanguage): string {
  return at.toLocaleDateString(formatLocale(language), { dateStyle: 'long', timeZone: 'UTC' })
}

/** A moment as a confirmation writes it, in UTC: 28 July 2026 at 14:05 UTC. */
export function writtenMoment(at: Date, language: PageLanguage): string {
  return at.toLocaleString(formatLocale(language), {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  })
}
