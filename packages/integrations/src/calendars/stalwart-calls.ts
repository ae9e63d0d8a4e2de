import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { type Invocation, jmap, principals, SetError } from '../mail/jmap.ts'

export const calendarsCapability = 'urn:ietf:params:jmap:calendars'
const using = [calendarsCapability, principals, 'urn:ietf:params:jmap:principals:availability']

// What one get takes in a default installation.
export const objectsInGet = 500

/**
 * What one call is made with: the operation that it belongs to, and the mailbox that it is made as.
 */
export interface MailboxCall {
  operation: Operation
  client: HttpClient
  accountId: string
}

/** Runs calls in one request as the mailbox. `repeatable` as in `HttpRequest`. */
export function ask<T>(
  { operation, client }: Pick<MailboxCall, 'operation' | 'client'>,
  calls: readonly Invocation[],
  repeatable: boolean,
  read: (results: unknown[]) => T,
): Promise<T> {
  return jmap(operation, client, { calls, using, repeatable, read })
}

// Values below ids are read one by one: the path of a shape that differs would quote the id.
const byId = z.record(z.string(), z.unknown()).nullish()
const SetResult = z.object({
  created: z.object({ event: z.object({ id: z.string().min(1) }).optional() }).nullish(),
  notCreated: z.object({ event: SetError.optional() }).nullish(),
  updated: byId,
  notUpdated: byId,
  destroyed: z.array(z.string()).nullish(),
  notDestroyed: byId,
})

type Changed = { id: string } | { rejected: SetError }

/** One `/set` on one object, and what became of it. An object to create is named `event`. */
export async function change(
  call: MailboxCall,
  type: 'Calendar' | 'CalendarEvent',
  request: { create: object } | { id: string; update: object } | { id: string; destroy: true },
  repeatable: boolean,
): Promise<Changed> {
  const { operation, accountId } = call
  const work =
    'create' in request
      ? { create: { event: request.create } }
      : 'update' in request
        ? { update: { [request.id]: request.update } }
        : { destroy: [request.id] }
  // The platform sends its own invitations; a second one from the server would confuse the guest.
  const args = {
    accountId,
    ...(type === 'CalendarEvent' && { sendSchedulingMessages: false }),
    ...work,
  }
  return ask(call, [[`${type}/set`, args, 'set']], repeatable, ([result]) => {
    const response = SetResult.parse(result)
    const id = 'create' in request ? response.created?.event?.id : request.id
    const done =
      'create' in request
        ? id !== undefined
        : 'update' in request
          ? Object.hasOwn(response.updated ?? {}, request.id)
          : response.destroyed?.includes(request.id) === true
    if (done && id !== undefined) return { id }
    const rejected =
      'create' in request
        ? response.notCreated?.event
        : SetError.optional().parse(
            ('update' in request ? response.notUpdated : response.notDestroyed)?.[request.id],
          )
    if (!rejected)
      throw operation.fail('invalid_answer', { note: 'it tells neither success nor failure' })
    return { rejected }
  })
}
