import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestApp } from '@atrium/testing/test-app'

/** A tenant whose creation was acknowledged; moments as `performance.now` counts. */
export interface AcknowledgedWrite {
  slug: string
  /** When it was sent. */
  began: number
  /** When it was acknowledged. */
  at: number
}

export interface Writers {
  readonly acknowledged: readonly AcknowledgedWrite[]
  /** Responses by status. */
  readonly answers: ReadonlyMap<number, number>
  /** Writes that got no response, one sentence each. */
  readonly unanswered: readonly string[]
  stop(): Promise<void>
}

/**
 * `count` writers at each address; they create tenants, each under a key and a name of its own, and
 * wait `retryMs` after one that was not created.
 */
export function startWriters(
  urls: readonly string[],
  token: string,
  { count, retryMs = 20 }: { count: number; retryMs?: number },
): Writers {
  const acknowledged: AcknowledgedWrite[] = []
  const answers = new Map<number, number>()
  const unanswered: string[] = []
  let stopped = false
  async function write(url: string): Promise<boolean> {
    const slug = `promoted-${randomUUID().slice(0, 13)}`
    const began = performance.now()
    const response = await fetch(`${url}/tenants`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': slug,
      },
      body: JSON.stringify({ name: slug, slug, respondAsync: true }),
      signal: AbortSignal.timeout(30_000),
    })
    await response.text()
    answers.set(response.status, (answers.get(response.status) ?? 0) + 1)
    if (response.status !== 201) return false
    acknowledged.push({ slug, began, at: performance.now() })
    return true
  }
  async function writeOn(url: string): Promise<void> {
    while (!stopped) {
      const created = await write(url).catch((error: Error) => {
        unanswered.push(String(error.cause ?? error))
        return false
      })
      await delay(created ? 20 : retryMs)
    }
  }
  const running = urls.flatMap((url) => Array.from({ length: count }, () => writeOn(url)))
  return {
    acknowledged,
    answers,
    unanswered,
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

/** Names of acknowledged tenants that the database does not have. */
export async function missingOf(
  testApp: Pick<TestApp, 'database'>,
  acknowledged: readonly AcknowledgedWrite[],
): Promise<string[]> {
  const rows = await testApp.database.db
    .selectFrom('tenants')
    .select('slug')
    .where('slug', 'like', 'promoted-%')
    .execute()
  const there = new Set(rows.map(({ slug }) => slug))
  return acknowledged.map(({ slug }) => slug).filter((slug) => !there.has(slug))
}
