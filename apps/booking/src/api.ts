import type { AppRouter } from '@atrium/api/router'
import { forwardedFor } from '@atrium/bff/forwarding'
import type {
  PublicEventTypePage,
  PublicHostPage,
  PublicTenantPage,
} from '@atrium/core/scheduling/booking-pages'
import type {
  BookingCalendarFile,
  CreateBooking,
  CreatedBooking,
  ManagedBooking,
  RescheduleManagedBooking,
} from '@atrium/core/scheduling/bookings'
import type {
  GetSlots,
  SlotsView,
  TakenSlotLock,
  TakeSlotLock,
} from '@atrium/core/scheduling/slot-availability'
import { createTRPCClient, httpLink } from '@trpc/client'
import superjson from 'superjson'
import type { BookingConfig } from './config.ts'
import type { AppContext } from './request.ts'

/** Proofs that travel in headers, because addresses are logged. */
export interface Proofs {
  manageToken?: string | undefined
  lockToken?: string | undefined
}

/**
 * The part of the API that visitors use, bound to one request of a visitor. Calls reject as tRPC's
 * client does.
 */
export interface BookingApi {
  tenantPage(tenantSlug: string): Promise<PublicTenantPage>
  hostPage(tenantSlug: string, hostSlug: string): Promise<PublicHostPage>
  eventTypePage(
    tenantSlug: string,
    hostSlug: string,
    eventSlug: string,
  ): Promise<PublicEventTypePage>
  slots(question: GetSlots, proofs: Proofs): Promise<SlotsView>
  takeLock(requested: TakeSlotLock, proofs: Proofs): Promise<TakenSlotLock>
  /** The same key brings the same booking, so that a form that is sent twice books once. */
  book(booking: Sent<CreateBooking>, idempotencyKey: string): Promise<CreatedBooking>
  /**
   * Sends the manage link to the visitor if the address is the booking's. The response never says
   * whether it is.
   */
  sendLink(bookingId: string, email: string): Promise<unknown>
  managed(token: string): Promise<ManagedBooking>
  /** `proof` comes from the visitor's mail. */
  inviteGuests(token: string, proof: string): Promise<unknown>
  cancel(token: string, reason: string | undefined): Promise<unknown>
  reschedule(token: string, move: RescheduleManagedBooking): Promise<unknown>
  calendarFile(token: string): Promise<BookingCalendarFile>
}

/** An input in which what is optional may also be undefined. */
type Sent<Input> = {
  [Key in keyof Input]: Input[Key] | (undefined extends Input[Key] ? undefined : never)
}

export type ConnectApi = (c: AppContext) => BookingApi

const deadlineMs = 12_000

/**
 * Calls carry the visitor's address in X-Forwarded-For and the secret by which the API believes it.
 * A call that takes longer than twelve seconds is given up; the API itself waits five for a
 * calendar.
 */
export function createApiConnection(config: BookingConfig, send: typeof fetch = fetch): ConnectApi {
  const url = new URL('/trpc', config.apiUrl).href
  return (c) => {
    const common = commonHeaders(c, config)
    const client = (headers: Record<string, string | undefined> = {}) => {
      const provided = Object.entries({ ...common, ...headers }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      )
      return createTRPCClient<AppRouter>({
        links: [
          httpLink({
            url,
            transformer: superjson,
            headers: Object.fromEntries(provided),
            fetch: (input, init) =>
              send(input, { ...(init as RequestInit), signal: AbortSignal.timeout(deadlineMs) }),
          }),
        ],
      }).scheduling
    }
    const bearer = (token: string | undefined) =>
      token === undefined ? undefined : `Bearer ${token}`
    const manage = (token: string) => client({ authorization: bearer(token) }).manage
    return {
      tenantPage: (tenantSlug) => client().pages.tenant.query({ tenantSlug }),
      hostPage: (tenantSlug, hostSlug) => client().pages.host.query({ tenantSlug, hostSlug }),
      eventTypePage: (tenantSlug, hostSlug, eventSlug) =>
        client().pages.eventType.query({ tenantSlug, hostSlug, eventSlug }),
      slots: (question, proofs) =>
        client({
          authorization: bearer(proofs.manageToken),
          'x-lock-token': proofs.lockToken,
        }).slots.list.query(question),
      takeLock: (requested, proofs) =>
        client({ 'x-lock-token': proofs.lockToken }).locks.take.mutate(requested),
      book: (booking, key) => client({ 'idempotency-key': key }).book.create.mutate(booking),
      sendLink: (bookingId, email) => client().manage.sendLink.mutate({ bookingId, email }),
      managed: (token) => manage(token).get.query({}),
      inviteGuests: (token, proof) => manage(token).inviteGuests.mutate({ proof }),
      cancel: (token, reason) =>
        manage(token).cancel.mutate({ ...(reason !== undefined && { reason }) }),
      reschedule: (token, move) => manage(token).reschedule.mutate(move),
      calendarFile: (token) => manage(token).calendar.query({}),
    }
  }
}

function commonHeaders(
  c: AppContext,
  { appSecret, trustedProxyHops }: BookingConfig,
): Record<string, string | undefined> {
  const addresses = forwardedFor(
    c.req.header('x-forwarded-for'),
    c.env?.incoming?.socket.remoteAddress,
    trustedProxyHops,
  )
  return {
    'x-atrium-source': 'booking',
    'x-atrium-booking-app': appSecret,
    'x-request-id': c.get('requestId'),
    'accept-language': c.get('language'),
    'x-forwarded-for': addresses === '' ? undefined : addresses,
    'user-agent': c.req.header('user-agent'),
  }
}
