import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { userKey } from './authentik-paths.ts'
import type { IdentityProvider } from './port.ts'
import { SessionPage } from './records.ts'

const mostPages = 100

/**
 * Login sessions. authentik lists other users' refresh tokens for superusers only (anyone else gets
 * an empty list), so they are ended by deactivating the user.
 */
export function authentikSessions(client: HttpClient): Pick<IdentityProvider, 'endSessions'> {
  /** The keys of all rows that `pick` takes, over all pages. */
  async function collect(
    operation: Operation,
    list: {
      path: string
      filter: Record<string, string>
      pick: (json: unknown) => { keys: string[]; next: number }
    },
  ): Promise<string[]> {
    const keys: string[] = []
    let page = 1
    for (let read = 0; page !== 0; read += 1) {
      // So many pages mean that the filter was ignored on a large instance; ending only some
      // sessions would be a false success.
      if (read === mostPages)
        throw operation.fail('invalid_answer', {
          note: `the list has more than ${mostPages} pages`,
        })
      const response = await client.send(operation, {
        label: `GET ${list.path}`,
        method: 'GET',
        path: `api/v3${list.path}`,
        query: { ...list.filter, page: String(page), page_size: '100' },
        repeatable: true,
        // A page past the end is 404: rows went away while we read.
        accept: page === 1 ? [200] : [200, 404],
        read: ({ status, json }) => (status === 200 ? list.pick(json) : { keys: [], next: 0 }),
      })
      keys.push(...response.keys)
      page = response.next
    }
    return keys
  }

  /** How many of them this call deleted; others were gone already. */
  async function deleteAll(operation: Operation, path: string, keys: string[]): Promise<number> {
    let deleted = 0
    for (const key of keys) {
      const status = await client.send(operation, {
        label: `DELETE ${path}{id}/`,
        method: 'DELETE',
        path: `api/v3${path}${encodeURIComponent(key)}/`,
        repeatable: true,
        accept: [204, 404],
        read: (response) => response.status,
      })
      if (status === 204) deleted += 1
    }
    return deleted
  }

  return {
    endSessions: ({ userId, username }, options) =>
      client.operation('endSessions', options, async (operation) => {
        const user = userKey(operation, userId)
        const sessions = await collect(operation, {
          path: '/core/authenticated_sessions/',
          filter: { user__username: username },
          pick: (json) => {
            const { results, pagination } = SessionPage.parse(json)
            return {
              keys: results.filter((row) => row.user === user).map((row) => row.uuid),
              next: pagination.next,
            }
          },
        })
        const endedSessions = await deleteAll(operation, '/core/authenticated_sessions/', sessions)
        return { sessions: endedSessions }
      }),
  }
}
