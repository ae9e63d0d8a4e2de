import { currentZoneName, isRepeatedTime } from './time-zones.ts'

/** A meeting's times as a person reads them. */
export interface FormattedTimes {
  /** Day of the start, written out with its weekday. */
  date: string
  startTime: string
  /**
   * With its day where the meeting ends on another one. Where the clocks go back, times tell their
   * difference from UTC.
   */
  endTime: string
  /** Name of the zone, for people. */
  timeZone: string
}

/**
 * The times of a meeting in a zone and in the words and clock (12 or 24 hours) of a language.
 * Milliseconds since 1970; an IANA name; a tag of BCP 47, or English where it is none. RangeError
 * for a name that is no zone.
 */
export function formatTimes({
  start,
  end,
  zone,
  locale,
}: {
  start: number
  end: number
  zone: string
  locale: string
}): FormattedTimes {
  const language = languageOf(locale)
  // The calendar of the booking pages: a mail that counts in another one would name another day.
  const day = new Intl.DateTimeFormat(language, {
    calendar: 'gregory',
    dateStyle: 'full',
    timeZone: zone,
  })
  const repeated = isRepeatedTime(zone, start) || isRepeatedTime(zone, end)
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: zone })
  const offset = new Intl.DateTimeFormat(language, { timeZoneName: 'shortOffset', timeZone: zone })
  const offsetAt = (instant: number) =>
    offset.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const timeAt = (instant: number) =>
    repeated ? `${time.format(instant)} (${offsetAt(instant)})` : time.format(instant)
  const date = day.format(start)
  const lastDay = day.format(end)
  return {
    date,
    startTime: timeAt(start),
    endTime: lastDay === date ? timeAt(end) : `${lastDay}, ${timeAt(end)}`,
    timeZone: currentZoneName(zone).replaceAll('_', ' '),
  }
}

function languageOf(locale: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? 'en-GB'
  } catch {
    return 'en-GB'
  }
}
