import { randomUUID } from 'node:crypto'
import type { ScaledTestApp } from './cluster.ts'

/** What the load is put on: an address, a way to send requests to it, and tokens of demo people. */
export interface LoadedWorkplace {
  send: ScaledTestApp['send']
  testApp: Pick<ScaledTestApp['testApp'], 'token'>
  balancer: Pick<ScaledTestApp['balancer'], 'url'>
}

/**
 * What people do all the time while something happens to the processes; every request that fails is
 * written down.
 */
export interface SteadyLoad {
  readonly reads: number
  /** Tenants that were acknowledged, by the key that each was asked for with. */
  readonly created: ReadonlyMap<string, { slug: string; id: string }>
  /** Times that a stream was begun, and events that came over them. */
  readonly streams: { begun: number; events: number }
  /** Requests with an unexpected response, one sentence each. */
  readonly failed: readonly string[]
  stop(): Promise<void>
}

/**
 * Continuous readers, a client that creates tenants with an `Idempotency-Key`, and one that follows
 * a tenant's events.
 */
export async function startLoad(
  scaled: LoadedWorkplace,
  { readers = 3, pauseMs = 10, createEveryMs = 100 } = {},
): Promise<SteadyLoad> {
  const [owner, newcomer] = await Promise.all([
    scaled.testApp.token('owner@acme.test'),
    scaled.testApp.token('newcomer@example.test'),
  ])
  const created = new Map<string, { slug: string; id: string }>()
  const streams = { begun: 0, events: 0 }
  const failed: string[] = []
  const stopping = new AbortController()
  let reads = 0

  async function expectStatus(status: number, ...request: Parameters<ScaledTestApp['send']>) {
    const told = await scaled
      .send(...request)
      .catch((error: Error) => ({ status: 0, body: String(error.cause ?? error) }))
    if (told.status === status) return told.body
    failed.push(
      `${request[0]} ${request[1]}: ${told.status} ${JSON.stringify(told.body).slice(0, 200)}`,
    )
    return undefined
  }
  async function read(): Promise<void> {
    if (await expectStatus(200, 'GET', '/tenants/acme', { token: owner })) reads++
  }
  async function create(): Promise<void> {
    const key = randomUUID()
    const slug = `rolled-${key.slice(0, 8)}`
    const body = { name: slug, slug, respondAsync: true }
    const made = await expectStatus(201, 'POST', '/tenants', {
      token: newcomer,
      body,
      headers: { 'idempotency-key': key },
    })
    if (made) created.set(key, { slug, id: made.id })
  }
  /** As a browser reads events: whenever the stream ends, it is asked for again. */
  async function follow(): Promise<void> {
    const response = await fetch(`${scaled.balancer.url}/tenants/acme/events`, {
      headers: { authorization: `Bearer ${owner}` },
      signal: stopping.signal,
    }).catch(() => undefined)
    if (stopping.signal.aborted) return
    if (!response?.ok || !response.body)
      return void failed.push(`GET /tenants/acme/events: ${response?.status ?? 'no answer'}`)
    streams.begun++
    const decoder = new TextDecoder()
    try {
      for await (const piece of response.body)
        streams.events += decoder.decode(piece).split('data: ').length - 1
    } catch {
      // Cut by a stop of the process or of this load.
    }
  }
  async function again(act: () => Promise<void>, pause: number): Promise<void> {
    while (!stopping.signal.aborted) {
      await act()
      await new Promise((done) => setTimeout(done, pause))
    }
  }
  const running = [
    ...Array.from({ length: readers }, () => again(read, pauseMs)),
    again(create, createEveryMs),
    again(follow, 50),
  ]
  return {
    get reads() {
      return reads
    },
    created,
    streams,
    failed,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
