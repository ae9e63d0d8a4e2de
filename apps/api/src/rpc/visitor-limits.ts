import type { LimitName } from '@atrium/core/platform/limits'
import type { Context } from './context.ts'
import type { Take } from './limits.ts'
import { limitedAddress, limitedNetwork } from './visitor-address.ts'

/** The limits of each kind of request that visitors make, by address and by IPv6 network. */
const limitsOf = {
  pages: { address: ['visitor_pages_minute'], network: [] },
  slots: { address: ['visitor_slots_minute'], network: ['visitor_slots_network_minute'] },
  locks: { address: ['visitor_holds_minute'], network: ['visitor_holds_network_minute'] },
  bookings: {
    address: ['visitor_bookings_minute', 'visitor_bookings_day'],
    network: ['visitor_bookings_network_minute', 'visitor_bookings_network_day'],
  },
  manage_reads: { address: ['visitor_manage_reads_minute'], network: [] },
  manage_writes: { address: ['visitor_manage_changes_minute'], network: [] },
  invitation_links: {
    address: ['invitation_links_minute'],
    network: ['invitation_links_network_minute'],
  },
  /** Their tokens are guessed or tried in turn as those of other mailed links are. */
  unsubscribe_links: {
    address: ['invitation_links_minute'],
    network: ['invitation_links_network_minute'],
  },
  /** Invalid manage tokens: a client that tries many is guessing. */
  manage_failures: { address: ['visitor_manage_failures'], network: [] },
} as const satisfies Record<
  string,
  { address: readonly LimitName[]; network: readonly LimitName[] }
>
export type LimitedRoute = keyof typeof limitsOf

/**
 * Takes one request of what the visitor's address and network may make of this kind. Throws
 * AppError `rate_limited` with the seconds to wait.
 */
export async function takeAllowance(
  ctx: Pick<Context, 'services' | 'request'>,
  route: LimitedRoute,
): Promise<void> {
  if (takenAhead.get(ctx.request) === route) return void takenAhead.delete(ctx.request)
  await ctx.services.limits.take(ctx.request, takesOf(ctx, route))
}

/** Requests that have taken one from an allowance before their procedure asks for it. */
const takenAhead = new WeakMap<Context['request'], LimitedRoute>()

/**
 * The same before the procedure runs: the next `takeAllowance` of this request on this route takes
 * nothing.
 */
export async function takeAllowanceAhead(
  ctx: Pick<Context, 'services' | 'request'>,
  route: LimitedRoute,
): Promise<void> {
  await takeAllowance(ctx, route)
  takenAhead.set(ctx.request, route)
}

/** The same without taking one: rejects an address that has nothing left. */
export function checkAllowance(
  ctx: Pick<Context, 'services' | 'request'>,
  route: LimitedRoute,
): Promise<void> {
  return ctx.services.limits.check(ctx.request, takesOf(ctx, route))
}

function takesOf(ctx: Pick<Context, 'services' | 'request'>, route: LimitedRoute): Take[] {
  const { address, network } = limitsOf[route]
  const takes: Take[] = address.map((limit) => ({ limit, of: limitedAddress(ctx) }))
  const of = limitedNetwork(ctx)
  return of === undefined ? takes : [...takes, ...network.map((limit) => ({ limit, of }))]
}
