import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  /** Path and query, decoded. */
  target: string
  headers: IncomingMessage['headers']
  body: unknown
}

export type Script = (received: Received, response: ServerResponse) => void

/**
 * A small HTTP server on loopback that answers as the test says and remembers what it was asked.
 */
export async function scriptedServer(script: Script) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one = {
        method: request.method ?? '',
        target: decodeURIComponent((request.url ?? '').replaceAll('+', ' ')),
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      }
      received.push(one)
      handle.script(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const handle = {
    script,
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** `METHOD target` of everything that came in. */
    asked: () => received.map((one) => `${one.method} ${one.target}`),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return handle
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body))
}
