import type { ErrorCode, Issue } from '@atrium/core/platform/errors'
import { describeError } from '@atrium/core/platform/errors'
import type { PublicEventTypePage } from '@atrium/core/scheduling/booking-pages'
import type { ManagedBooking } from '@atrium/core/scheduling/bookings'
import type { SlotView } from '@atrium/core/scheduling/slot-availability'
import { dateOf, dayOf, weekdayOf } from '@atrium/core/scheduling/time-zones'
import { TRPCClientError } from '@trpc/client'
import type { BookingApi, ConnectApi, Proofs } from '../src/api.ts'

/** Sunday, 22 November 2026, 10:00 in UTC. */
export const now = Date.parse('2026-11-22T10:00:00Z')
export const manageToken = 'M'.repeat(43)
const calendarFile = {
  fileName: 'booking.ics',
  contentType: 'text/calendar; charset=utf-8',
  text: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
}
const bookingId = '0199a000-0000-7000-8000-000000000001'
const eventTypeId = '0199a000-0000-7000-8000-000000000002'

export const tenant = {
  slug: 'acme',
  name: 'Acme Engineering',
  brand: { productName: 'Acme Suite', accentColor: '#b4391f', textColor: '#ffffff' },
  headline: null as string | null,
  intro: 'We build bridges, and we like to talk about them.' as string | null,
  embedOrigins: ['https://www.acme.test'],
}
const anna = {
  slug: 'anna',
  name: 'Anna Owner',
  title: 'Head of bridges',
  description: 'Ask me anything.',
  avatarUrl: null as string | null,
}

export const eventType: PublicEventTypePage['eventType'] = {
  id: eventTypeId,
  slug: 'intro',
  title: 'Introduction call',
  description: 'Half an hour to get to know each other.',
  durations: [30, 60],
  location: { kind: 'video', text: null },
  requiresConfirmation: false,
  seats: 1,
  assignment: 'host',
  hostNames: ['Anna Owner'],
  fields: [
    { key: 'topic', label: 'What is it about?', kind: 'long_text', required: true },
    {
      key: 'size',
      label: 'How large is the bridge?',
      kind: 'choice',
      required: false,
      options: ['Small', 'Large'],
    },
    { key: 'terms', label: 'I have read the terms', kind: 'checkbox', required: false },
  ],
  timeZone: 'Europe/Berlin',
  cancelCutoffMinutes: 60,
  rescheduleCutoffMinutes: 120,
  approvalHours: 72,
}

export interface Call {
  name: keyof BookingApi
  input: unknown
  proofs: Proofs | undefined
}

export interface FakeApi {
  connect: ConnectApi
  calls: Call[]
  /** The code with which the next call of that name is rejected. */
  rejections: Partial<
    Record<keyof BookingApi, { code: ErrorCode; issues?: Issue[] } | 'unreachable'>
  >
  managed: ManagedBooking
  eventType: PublicEventTypePage['eventType']
  /** Starts that somebody else has. */
  taken: Set<string>
}

/** An API in memory with one host whose weekdays are free from 9 to 12 in Berlin. */
export function createFakeApi(): FakeApi {
  const fake: FakeApi = {
    calls: [],
    rejections: {},
    taken: new Set(),
    eventType: structuredClone(eventType),
    managed: managedBooking(),
    connect: () => api,
  }
  const response = async <Answer>(
    name: keyof BookingApi,
    input: unknown,
    value: () => Answer,
    proofs?: Proofs,
  ): Promise<Answer> => {
    fake.calls.push({ name, input, proofs })
    const rejection = fake.rejections[name]
    if (rejection === 'unreachable') throw new TRPCClientError('fetch failed')
    if (rejection) throw rejected(rejection.code, rejection.issues)
    return value()
  }
  const known = <Answer>(slugs: readonly string[], value: Answer): Answer => {
    if (slugs.some((slug, index) => slug !== ['acme', 'anna', 'intro'][index]))
      throw rejected('not_found')
    return value
  }
  const mine = <Answer>(token: string, value: Answer): Answer => {
    if (token !== manageToken) throw rejected('not_found')
    return value
  }
  const api: BookingApi = {
    tenantPage: (slug) =>
      response('tenantPage', slug, () => known([slug], { tenant, hosts: [anna] })),
    hostPage: (...slugs) =>
      response('hostPage', slugs, () =>
        known(slugs, { tenant, host: anna, eventTypes: [fake.eventType] }),
      ),
    eventTypePage: (...slugs) =>
      response('eventTypePage', slugs, () =>
        known(slugs, { tenant, host: anna, eventType: fake.eventType }),
      ),
    slots: (question, proofs) =>
      response(
        'slots',
        question,
        () => ({
          timeZone: question.timeZone,
          duration: question.duration ?? 30,
          from: `${question.from}T00:00:00.000Z`,
          to: `${question.to}T00:00:00.000Z`,
          slots: slotsOf(
            question.from,
            question.to,
            question.timeZone,
            question.duration ?? 30,
            fake,
          ),
          nextFrom: null,
          generatedAt: new Date(now).toISOString(),
        }),
        proofs,
      ),
    takeLock: (requested, proofs) =>
      response(
        'takeLock',
        requested,
        () => ({
          id: bookingId,
          lockToken: 'lock-token',
          start: requested.start,
          end: requested.start,
          expiresAt: new Date(now + 300_000).toISOString(),
        }),
        proofs,
      ),
    book: (booking, key) =>
      response('book', { booking, key }, () => ({ booking: fake.managed.booking, manageToken })),
    sendLink: (id, email) => response('sendLink', { id, email }, () => undefined),
    managed: (token) => response('managed', token, () => mine(token, fake.managed)),
    inviteGuests: (token, proof) =>
      response('inviteGuests', { token, proof }, () => mine(token, undefined)),
    cancel: (token, reason) => response('cancel', { token, reason }, () => mine(token, undefined)),
    reschedule: (token, move) =>
      response('reschedule', { token, move }, () => mine(token, undefined)),
    calendarFile: (token) => response('calendarFile', token, () => mine(token, calendarFile)),
  }
  return fake
}

function rejected(code: ErrorCode, issues: Issue[] = []): TRPCClientError<never> {
  const { status, title } = describeError(code)
  const error = {
    message: title,
    code: -32_000,
    data: { code, httpStatus: status, path: 'scheduling', requestId: 'r', issues },
  }
  return TRPCClientError.from({ error } as never)
}

function slotsOf(
  from: string,
  to: string,
  zone: string,
  duration: number,
  { taken }: FakeApi,
): Record<string, SlotView[]> {
  const slots: Record<string, SlotView[]> = {}
  for (let day = dayOf(from); day <= dayOf(to); day++) slots[dateOf(day)] = []
  for (let day = dayOf(from) - 1; day <= dayOf(to) + 1; day++) {
    if (weekdayOf(day) > 4) continue
    for (let minutes = 9 * 60; minutes + duration <= 12 * 60; minutes += 30) {
      const start = Temporal.PlainDate.from(dateOf(day))
        .toZonedDateTime({
          timeZone: 'Europe/Berlin',
          plainTime: { hour: Math.floor(minutes / 60), minute: minutes % 60 },
        })
        .toInstant()
      const text = start.toString({ smallestUnit: 'millisecond' })
      const list = slots[start.toZonedDateTimeISO(zone).toPlainDate().toString()]
      if (list && start.epochMilliseconds > now && !taken.has(text))
        list.push({
          start: text,
          end: start.add({ minutes: duration }).toString({ smallestUnit: 'millisecond' }),
        })
    }
  }
  return slots
}

function managedBooking(): ManagedBooking {
  return {
    booking: {
      id: bookingId,
      status: 'confirmed',
      title: 'Introduction call',
      start: '2026-11-25T09:00:00.000Z',
      end: '2026-11-25T09:30:00.000Z',
      location: { kind: 'video', text: 'https://meet.acme.test/anna' },
      host: {
        slug: 'anna',
        name: 'Anna Owner',
        title: 'Head of bridges',
        timeZone: 'Europe/Berlin',
      },
      attendee: {
        name: 'Vera Visitor',
        email: 'vera@example.test',
        timeZone: 'America/New_York',
        locale: 'en-US',
      },
      guests: ['gus@example.test'],
      guestsInvited: true,
      answers: [{ key: 'topic', label: 'What is it about?', value: 'A bridge\nover a river' }],
      note: null,
      approvalExpiresAt: null,
      endedAt: null,
      endedBy: null,
      reason: null,
      sequence: 0,
      calendarSync: 'synced',
      createdAt: '2026-11-22T09:00:00.000Z',
      updatedAt: '2026-11-22T09:00:00.000Z',
    },
    eventType: {
      id: eventTypeId,
      slug: 'intro',
      title: 'Introduction call',
      description: null,
      durations: [30, 60],
      hostSlug: 'anna',
      offered: true,
      hostMayChange: false,
    },
    tenant: { slug: 'acme', name: 'Acme Engineering', brand: tenant.brand },
    cancelUntil: '2026-11-25T08:00:00.000Z',
    rescheduleUntil: '2026-11-25T07:00:00.000Z',
    linkEndsAt: '2026-11-26T09:30:00.000Z',
    allowedActions: ['cancel', 'reschedule'],
  }
}
