import { setTimeout as delay } from 'node:timers/promises'
import type { StreamEvents } from '@atrium/core/events/events'
import { AppError } from '@atrium/core/platform/errors'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import type { Caller } from '../rpc/caller.ts'
import { type Context, createContext } from '../rpc/context.ts'
import { readerOfEvents } from '../rpc/guards.ts'
import { listEvents } from './list.ts'

const pageSize = 200
/** How often a stream that is followed is polled for events. */
const pollIntervalMs = 1_000
/** After so many polls without an event an empty line keeps the connection alive. */
const pollsPerKeepAlive = 15

/**
 * Events behind a cursor as NDJSON, one per line, in the order of their commits. A reader continues
 * with the `cursor` of the last line it has. Followed, it ends when the reader leaves or may not
 * read any more: access is checked before each poll.
 */
export async function* streamEvents(
  ctx: Context & { caller: Caller; reader: TokenOwner },
  { after, follow, include }: StreamEvents,
): AsyncGenerator<string> {
  const { signal } = ctx.request
  let cursor = after
  let silence = 0
  while (!signal.aborted) {
    const page = await listEvents(ctx.services, ctx, { after: cursor, limit: pageSize, include })
    cursor = page.nextCursor
    if (page.items.length > 0)
      yield page.items.map((event) => `${JSON.stringify(event)}\n`).join('')
    if (page.more) continue
    if (follow === 'false') return
    // At the first poll too, so that the response begins.
    if (page.items.length === 0 && silence++ % pollsPerKeepAlive === 0) yield '\n'
    await delay(pollIntervalMs, undefined, { signal }).catch(() => {})
    if (!(await mayStillRead(ctx))) return
  }
}

/** Verifies the token again, as a new request would. */
async function mayStillRead({ services, request, bearerToken }: Context): Promise<boolean> {
  try {
    await readerOfEvents(createContext(services, request, `Bearer ${bearerToken()}`))
    return true
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return false
    throw error
  }
}
