import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { BoundarySystem, Gate, Relay } from './boundary.ts'
import { listenOnLoopback } from './boundary-listen.ts'

/**
 * Forwards whole requests: the request when its body is complete, the response when its last byte
 * has arrived.
 */
export async function relayHttp(target: URL, gate: Gate, system: BoundarySystem): Promise<Relay> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy())
  })

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming)
    const crossing = gate.cross(
      system,
      describe(incoming.method ?? 'GET', incoming.url ?? '/', body),
    )
    if (!(await gate.pass(crossing, 'before')) || outgoing.destroyed) return void outgoing.destroy()
    const response = await ask(incoming, body)
    if (!(await gate.pass(crossing, 'after'))) return void outgoing.destroy()
    outgoing.writeHead(response.status, response.headers)
    outgoing.end(response.body)
  }

  function ask({ method, url, headers }: IncomingMessage, body: Buffer) {
    return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>(
      (done, failed) => {
        const {
          connection: _,
          'keep-alive': __,
          'transfer-encoding': ___,
          host: ____,
          ...kept
        } = headers
        const options = { agent, method, path: url, hostname: target.hostname, port: target.port }
        const sent = request(
          { ...options, headers: { ...kept, host: target.host, 'content-length': body.length } },
          (received) => {
            const {
              connection: _c,
              'keep-alive': _k,
              'transfer-encoding': _t,
              ...told
            } = received.headers
            readAll(received).then(
              (bytes) => done({ status: received.statusCode ?? 502, headers: told, body: bytes }),
              failed,
            )
          },
        )
        sent.on('error', failed)
        sent.end(body)
      },
    )
  }

  const relay = await listenOnLoopback(server)
  return {
    port: relay.port,
    async close() {
      await relay.close()
      agent.destroy()
    },
  }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * A part of a path that differs between two runs of the same sequence: numbers, hexadecimal ids,
 * addresses, ids with a prefix.
 */
const ofOneRun = /^(\d+|[0-9a-f-]{8,}|.*[$%@!].*|[a-z]{2,5}_\w+)$/i

function describe(method: string, url: string, body: Buffer): string {
  const path = (url.split('?')[0] ?? '/')
    .split('/')
    .map((part) => (ofOneRun.test(part) ? '*' : part))
    .join('/')
  return [`${method} ${path}`, ...jmapMethods(body)].join(' ')
}

/** RFC 8620 section 3.2: `methodCalls` is a list of [name, arguments, call id]. */
function jmapMethods(body: Buffer): string[] {
  if (!body.includes('"methodCalls"')) return []
  try {
    const { methodCalls } = JSON.parse(body.toString('utf8')) as {
      methodCalls: [string, Record<string, unknown>][]
    }
    return methodCalls.map(([name, given]) =>
      [name, ...['create', 'update', 'destroy'].filter((verb) => given[verb])].join(' '),
    )
  } catch {
    return []
  }
}
