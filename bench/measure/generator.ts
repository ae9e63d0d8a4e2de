import autocannon, { type Request } from 'autocannon'

/**
 * What the parent asks for: so many connections at once, each going round its own share of the
 * requests.
 */
export interface LoadOrder {
  url: string
  connections: number
  seconds: number
  requests: readonly Request[]
}

export interface LoadResult {
  completed: number
  /** Responses outside 2xx, broken connections and time-outs. */
  failed: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

async function generate(order: LoadOrder): Promise<LoadResult> {
  let next = 0
  const result = await autocannon({
    url: order.url,
    connections: order.connections,
    duration: order.seconds,
    sampleInt: 100,
    requests: order.requests.slice(0, 1),
    setupClient(client) {
      const own = next++ % Math.min(order.connections, order.requests.length)
      client.setRequests(order.requests.filter((_, i) => i % order.connections === own))
    },
  })
  return {
    completed: result['2xx'],
    failed: result.non2xx + result.errors + result.timeouts,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}

process.on('message', (order: LoadOrder) => {
  generate(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`the load generator failed: ${String(error)}\n`)
      process.exit(1)
    },
  )
})
