import { createServer, Socket } from 'node:net'
import { vi } from 'vitest'

/**
 * Where this process tried to connect to, whatever made the connection: `host:port` as it was asked
 * for, before any name was resolved.
 */
export interface Outgoing extends Disposable {
  readonly tried: readonly string[]
}

/** Records from here on; every TCP and TLS client of Node connects by this one method. */
export function recordOutgoing(): Outgoing {
  const tried: string[] = []
  const original = Socket.prototype.connect
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function connect(
    this: Socket,
    ...given: unknown[]
  ) {
    tried.push(destinationOf(given))
    return Reflect.apply(original, this, given)
  } as typeof original)
  return { tried, [Symbol.dispose]: () => spy.mockRestore() }
}

/**
 * Callers inside of Node hand over a list of normalized arguments, others options or port and host.
 */
function destinationOf(given: readonly unknown[]): string {
  const [first, second] = Array.isArray(given[0]) ? given[0] : given
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as { host?: string; port?: number | string; path?: string }
    return path ? `unix:${path}` : `${host ?? 'localhost'}:${port}`
  }
  return `${typeof second === 'string' ? second : 'localhost'}:${String(first)}`
}

export interface Listener extends AsyncDisposable {
  readonly port: number
  /** How many connections came, on any address of the machine. */
  connections(): number
}

/** A door inside: it counts who knocks, over IPv4 and IPv6, and answers nothing. */
export async function openListener(): Promise<Listener> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen({ port: 0, host: '::', ipv6Only: false }, done)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the listener has no port')
  return {
    port: address.port,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  }
}
