import { z } from 'zod'
import { encodeId } from '../ids.ts'
import { type JsonObject, json } from '../json.ts'

const record = z.record(z.string(), json)

const Kind = z.enum(['Calendar', 'CalendarEvent'])
/** What a state counts: every change of a calendar or an event, in order. */
export type ChangeKind = z.infer<typeof Kind>

const Change = z.object({
  kind: Kind,
  id: z.string(),
  what: z.enum(['created', 'updated', 'destroyed']),
})
const StoredEvent = z.object({
  calendarIds: z.array(z.string()),
  isDraft: z.boolean(),
  /** The JSCalendar object, without what JMAP adds to it. */
  event: record,
  /** Milliseconds since 1970 at which the search index knows the event as it is. */
  indexedAt: z.number(),
})
const Mailbox = z.object({
  calendars: z.record(z.string(), record),
  defaultId: z.string().nullable(),
  events: z.record(z.string(), StoredEvent),
  calendarCount: z.int(),
  eventCount: z.int(),
  changes: z.array(Change),
})
const Saved = z.object({
  mailboxes: z.record(z.string(), Mailbox),
  schedulingMessages: z.array(z.object({ accountId: z.string(), uid: z.string() })),
})

export type StoredEvent = z.infer<typeof StoredEvent>
export type CalendarMailbox = z.infer<typeof Mailbox>

/** Calendars and events of every account: everything that lasts. */
export interface CalendarStore {
  /** The account's calendars; the first access makes the default one, named after `address`. */
  mailbox(accountId: string, address: string): CalendarMailbox
  addCalendar(mailbox: CalendarMailbox, calendar: JsonObject): string
  addEvent(mailbox: CalendarMailbox, event: StoredEvent): string
  putCalendar(mailbox: CalendarMailbox, id: string, calendar: JsonObject): void
  putEvent(mailbox: CalendarMailbox, id: string, event: StoredEvent): void
  removeCalendar(mailbox: CalendarMailbox, id: string): void
  removeEvent(mailbox: CalendarMailbox, id: string): void
  /** Changes when an object of the kind does. */
  stateOf(mailbox: CalendarMailbox): string
  /** Notes that the server would have sent an invitation. */
  scheduled(accountId: string, uid: string): void
  readonly schedulingMessages: readonly { readonly accountId: string; readonly uid: string }[]
  accountIds(): readonly string[]
  removeAccount(accountId: string): void
  save(): unknown
  load(saved: unknown): void
  clear(): void
}

/** The defaults of a new calendar. */
export const newCalendar: JsonObject = {
  name: '',
  description: null,
  color: null,
  timeZone: null,
  sortOrder: 0,
  isSubscribed: true,
  isVisible: true,
  includeInAvailability: 'all',
  shareWith: {},
}

/** `changed` is called after every change. */
export function createCalendarStore(changed: () => void): CalendarStore {
  let mailboxes = new Map<string, CalendarMailbox>()
  let messages: { accountId: string; uid: string }[] = []

  const note = (
    mailbox: CalendarMailbox,
    kind: ChangeKind,
    id: string,
    what: 'created' | 'updated' | 'destroyed',
  ) => {
    mailbox.changes.push({ kind, id, what })
    changed()
  }
  const store: CalendarStore = {
    mailbox(accountId, address) {
      const known = mailboxes.get(accountId)
      if (known) return known
      const fresh: CalendarMailbox = {
        calendars: {},
        defaultId: null,
        events: {},
        calendarCount: 0,
        eventCount: 0,
        changes: [],
      }
      mailboxes.set(accountId, fresh)
      fresh.defaultId = store.addCalendar(fresh, {
        ...newCalendar,
        name: `Stalwart Calendar (${address})`,
      })
      return fresh
    },
    addCalendar(mailbox, calendar) {
      mailbox.calendarCount += 1
      const id = encodeId(mailbox.calendarCount)
      mailbox.calendars[id] = calendar
      note(mailbox, 'Calendar', id, 'created')
      return id
    },
    addEvent(mailbox, event) {
      mailbox.eventCount += 1
      const id = encodeId(mailbox.eventCount)
      mailbox.events[id] = event
      note(mailbox, 'CalendarEvent', id, 'created')
      return id
    },
    putCalendar(mailbox, id, calendar) {
      mailbox.calendars[id] = calendar
      note(mailbox, 'Calendar', id, 'updated')
    },
    putEvent(mailbox, id, event) {
      mailbox.events[id] = event
      note(mailbox, 'CalendarEvent', id, 'updated')
    },
    removeCalendar(mailbox, id) {
      delete mailbox.calendars[id]
      if (mailbox.defaultId === id) mailbox.defaultId = null
      note(mailbox, 'Calendar', id, 'destroyed')
    },
    removeEvent(mailbox, id) {
      delete mailbox.events[id]
      note(mailbox, 'CalendarEvent', id, 'destroyed')
    },
    stateOf: (mailbox) =>
      mailbox.changes.length === 0 ? 'n' : `s${encodeId(mailbox.changes.length)}`,
    scheduled(accountId, uid) {
      messages.push({ accountId, uid })
      changed()
    },
    get schedulingMessages() {
      return messages
    },
    accountIds: () => [...mailboxes.keys()],
    removeAccount(accountId) {
      mailboxes.delete(accountId)
    },
    save: () => ({ mailboxes: Object.fromEntries(mailboxes), schedulingMessages: messages }),
    load(saved) {
      const parsed = Saved.parse(saved)
      mailboxes = new Map(Object.entries(parsed.mailboxes))
      messages = parsed.schedulingMessages
    },
    clear() {
      mailboxes = new Map()
      messages = []
    },
  }
  return store
}
