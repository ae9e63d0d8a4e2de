import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * One address in front of several processes, as a proxy that asks for readiness does it: requests
 * go round over kept-alive connections to those that said they were ready. A request is given to
 * another process only where the first rejected the connection, so that nothing was sent; whatever
 * else goes wrong is the client's to see.
 */
export interface Balancer extends AsyncDisposable {
  readonly url: string
  add(target: string): void
  remove(target: string): void
  /** Resolves when the process behind this address takes requests. */
  untilReady(target: string): Promise<void>
  /** Requests that each process answered. */
  readonly answered: ReadonlyMap<string, number>
  /** Requests that were sent and got no response, one sentence each. */
  readonly broken: readonly string[]
}

interface Target {
  url: string
  agent: Agent
  ready: boolean
}

const lookEveryMs = 100
/** Headers of one connection only (RFC 9110 section 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
])

/** `readyPath` returns 200 while a process accepts requests. */
export async function openBalancer({
  port = 0,
  readyPath = '/health/ready',
} = {}): Promise<Balancer> {
  const targets = new Map<string, Target>()
  const answered = new Map<string, number>()
  const broken: string[] = []
  let turn = 0

  function nextReady(tried: ReadonlySet<Target>): Target | undefined {
    const ready = [...targets.values()].filter((target) => target.ready && !tried.has(target))
    return ready[turn++ % Math.max(1, ready.length)]
  }

  function pass(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer,
    tried = new Set<Target>(),
  ): void {
    const target = nextReady(tried)
    if (!target) {
      broken.push(`${incoming.method} ${incoming.url}: nobody is ready`)
      outgoing.writeHead(502).end()
      return
    }
    const forwarded = incoming.headers['x-forwarded-for'] ?? incoming.socket.remoteAddress ?? ''
    const call = request(`${target.url}${incoming.url}`, {
      method: incoming.method,
      agent: target.agent,
      headers: { ...endToEnd(incoming.headers), 'x-forwarded-for': forwarded },
    })
    outgoing.once('close', () => call.destroy())
    call.once('response', (answer) => {
      answered.set(target.url, (answered.get(target.url) ?? 0) + 1)
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
      answer.pipe(outgoing)
      // A response that ends half-way must not look complete.
      answer.once('error', () => outgoing.destroy())
      answer.once('aborted', () => outgoing.destroy())
    })
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.destroyed || outgoing.headersSent) return
      if (error.code === 'ECONNREFUSED') return pass(incoming, outgoing, body, tried.add(target))
      broken.push(
        `${incoming.method} ${incoming.url}: ${error.code ?? error.message}${call.reusedSocket ? ' on a kept-alive connection' : ''}`,
      )
      outgoing.writeHead(502).end()
    })
    call.end(body)
  }

  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.once('end', () => pass(incoming, outgoing, Buffer.concat(pieces)))
  })
  server.keepAliveTimeout = 65_000
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const looking = setInterval(() => {
    for (const target of targets.values()) void look(target, readyPath)
  }, lookEveryMs)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    broken,
    add(url) {
      const target: Target = {
        url,
        agent: new Agent({ keepAlive: true, maxFreeSockets: 64 }),
        ready: false,
      }
      targets.set(url, target)
      void look(target, readyPath)
    },
    remove(url) {
      targets.get(url)?.agent.destroy()
      targets.delete(url)
    },
    async untilReady(url) {
      while (targets.get(url)?.ready !== true) await new Promise((done) => setTimeout(done, 20))
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      for (const { agent } of targets.values()) agent.destroy()
    },
  }
}

async function look(target: Target, path: string): Promise<void> {
  const response = await fetch(`${target.url}${path}`, {
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined)
  await response?.body?.cancel()
  target.ready = response?.status === 200
}

function endToEnd(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !hopByHop.has(name)),
  )
}
