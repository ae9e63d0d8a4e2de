import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { userKey } from './authentik-paths.ts'
import type { IdentityProvider, IdentitySession } from './port.ts'
import { SessionPage } from './records.ts'

const mostPages = 100
const path = '/core/authenticated_sessions/'

/**
 * Login sessions. authentik lists other users' refresh tokens for superusers only (anyone else gets
 * an empty list), so they are ended by deactivating the user.
 */
export function authentikSessions(
  client: HttpClient,
): Pick<IdentityProvider, 'endSessions' | 'listSessions' | 'endSession'> {
  /** The sessions of the user, over all pages. */
  async function sessionsOf(
    operation: Operation,
    { userId, username }: { userId: string; username: string },
  ): Promise<IdentitySession[]> {
    const user = userKey(operation, userId)
    const sessions: IdentitySession[] = []
    let page = 1
    for (let read = 0; page !== 0; read += 1) {
      // So many pages mean that the filter was ignored on a large instance; ending only some
      // sessions would be a false success.
      if (read === mostPages)
        throw operation.fail('invalid_answer', {
          note: `the list has more than ${mostPages} pages`,
        })
      const response = await client.send(operation, {
        label: `GET ${path}`,
        method: 'GET',
        path: `api/v3${path}`,
        query: { user__username: username, page: String(page), page_size: '100' },
        repeatable: true,
        // A page past the end is 404: rows went away while we read.
        accept: page === 1 ? [200] : [200, 404],
        read: ({ status, json }) => (status === 200 ? SessionPage.parse(json) : undefined),
      })
      for (const row of response?.results ?? [])
        if (row.user === user)
          sessions.push({
            id: row.uuid,
            userAgent: row.last_user_agent,
            address: row.last_ip,
            lastUsedAt: row.last_used,
            expiresAt: row.expires ?? null,
          })
      page = response?.pagination.next ?? 0
    }
    return sessions
  }

  /** Whether this call ended it; false when it was gone already. */
  async function end(operation: Operation, id: string): Promise<boolean> {
    const status = await client.send(operation, {
      label: `DELETE ${path}{id}/`,
      method: 'DELETE',
      path: `api/v3${path}${encodeURIComponent(id)}/`,
      repeatable: true,
      accept: [204, 404],
      read: (response) => response.status,
    })
    return status === 204
  }

  return {
    endSessions: (user, options) =>
      client.operation('endSessions', options, async (operation) => {
        let ended = 0
        for (const { id } of await sessionsOf(operation, user))
          if (await end(operation, id)) ended += 1
        return { sessions: ended }
      }),

    listSessions: (user, options) =>
      client.operation('listSessions', options, (operation) => sessionsOf(operation, user)),

    endSession: ({ sessionId, ...user }, options) =>
      client.operation('endSession', options, async (operation) => {
        const own = await sessionsOf(operation, user)
        if (!own.some(({ id }) => id === sessionId))
          throw operation.fail('not_found', { note: 'the user has no such session' })
        await end(operation, sessionId)
      }),
  }
}
