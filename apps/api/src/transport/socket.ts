import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpFacts, RequestSource } from './facts.ts'
import type { PlainAnswer } from './problems.ts'
import { everyAnswer } from './request-record.ts'

/** Puts an answer on the socket with one write. With `closing` it asks its client to take another connection. */
export function sendAnswer(
  outgoing: ServerResponse,
  { status, headers, body }: PlainAnswer,
  facts: Pick<HttpFacts, 'requestId' | 'headersSet'>,
  closing: boolean,
): void {
  if (outgoing.destroyed) return
  const list = ['x-request-id', facts.requestId]
  for (const name in headers) list.push(name, headers[name] ?? '')
  const set = facts.headersSet
  if (set) for (const [name, value] of set) list.push(name, value)
  for (const [name, value] of everyAnswer) if (!(name in headers) && !set?.has(name)) list.push(name, value)
  if (closing) list.push('connection', 'close')
  if (body === null) {
    outgoing.writeHead(status, list)
    outgoing.end()
    return
  }
  list.push('content-length', String(Buffer.byteLength(body)))
  outgoing.writeHead(status, list)
  outgoing.end(body)
}

/** A request on Node's server. Its raw headers are searched: Node makes the object of all of them only for who asks for it. */
export class SocketSource implements RequestSource {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  #aborting: AbortController | undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming
    this.#outgoing = outgoing
  }

  get peerAddress(): string | undefined {
    return this.#incoming.socket.remoteAddress
  }

  header(name: string): string | undefined {
    const { rawHeaders } = this.#incoming
    let found: string | undefined
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const given = rawHeaders[i] ?? ''
      if (given.length !== name.length || given.toLowerCase() !== name) continue
      const value = rawHeaders[i + 1] ?? ''
      found = found === undefined ? value : `${found}, ${value}`
    }
    return found
  }

  get signal(): AbortSignal {
    if (!this.#aborting) {
      const aborting = new AbortController()
      const outgoing = this.#outgoing
      const abortUnlessAnswered = () => {
        if (!outgoing.writableFinished) aborting.abort(new Error('The caller went away.'))
      }
      if (outgoing.closed) abortUnlessAnswered()
      else outgoing.once('close', abortUnlessAnswered)
      this.#aborting = aborting
    }
    return this.#aborting.signal
  }
}
