import { capabilities } from '../capabilities.ts'
import type { Method } from '../method.ts'
import { getAvailability } from './availability.ts'
import { calendarGet, calendarSet } from './calendar-objects.ts'
import { changes } from './changes.ts'
import { eventGet } from './event-get.ts'
import { eventQuery } from './event-query.ts'
import { eventSet } from './event-set.ts'

const of = (permission: string | undefined, run: Method['run']): Method => ({
  capability: capabilities.calendars,
  ...(permission !== undefined && { permission }),
  accountId: 'required',
  run,
})

/** Calendars of draft-ietf-jmap-calendars. Sets check their permissions object by object. */
export const calendarMethods: readonly (readonly [string, Method])[] = [
  ['Calendar/get', of('jmapCalendarGet', calendarGet)],
  ['Calendar/set', of(undefined, calendarSet)],
  ['Calendar/changes', of('jmapCalendarChanges', changes('Calendar'))],
  ['CalendarEvent/get', of('jmapCalendarEventGet', eventGet)],
  ['CalendarEvent/set', of(undefined, eventSet)],
  ['CalendarEvent/query', of('jmapCalendarEventQuery', eventQuery)],
  ['CalendarEvent/changes', of('jmapCalendarEventChanges', changes('CalendarEvent'))],
  [
    'Principal/getAvailability',
    {
      capability: capabilities.principals,
      permission: 'jmapPrincipalGetAvailability',
      accountId: 'ignored',
      run: getAvailability,
    },
  ],
]
