import type { ServerResponse } from 'node:http'
import type { UpstreamErrorKind } from '../src/upstream-error.ts'
import { json } from './scripted-server.ts'

/**
 * Stands in every body and header that the faulty server sends; must never come out in an error.
 */
export const bodyCanary = 'BODY-CANARY-5f1c'

export interface Fault {
  name: string
  kind: UpstreamErrorKind
  /** Requests that a repeatable call makes in all. */
  tries: 1 | 3
  answer: (response: ServerResponse) => void
  status?: number
  /** Set where the fault is that nothing comes. */
  deadlineMs?: number
}

const secret = { detail: bodyCanary, error: { message: bodyCanary } }
const status = (
  code: number,
  kind: UpstreamErrorKind,
  tries: 1 | 3,
  headers: Record<string, string> = {},
): Fault => ({
  name: `status ${code}${headers['retry-after'] ? ` with Retry-After ${headers['retry-after']}` : ''}`,
  kind,
  tries,
  status: code,
  answer: (response) => json(response, code, secret, { 'x-canary': bodyCanary, ...headers }),
})

/** What a server can do wrong once the connection stands. */
export const faults: Fault[] = [
  { name: 'no answer', kind: 'timeout', tries: 3, deadlineMs: 60, answer: () => undefined },
  {
    name: 'an answer that stops midway',
    kind: 'timeout',
    tries: 3,
    deadlineMs: 60,
    answer: (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .write(`{"results":["${bodyCanary}"`),
  },
  {
    name: 'a reset before the answer',
    kind: 'connection',
    tries: 3,
    answer: (response) => response.destroy(),
  },
  {
    name: 'a reset in the body',
    kind: 'connection',
    tries: 3,
    answer: (response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
        .write(`{"a":"${bodyCanary}`)
      setImmediate(() => response.destroy())
    },
  },
  status(500, 'server', 3),
  status(502, 'server', 3),
  status(503, 'server', 3, { 'retry-after': '0' }),
  status(503, 'server', 1, { 'retry-after': '3600' }),
  status(429, 'rate_limited', 3, { 'retry-after': '0' }),
  status(429, 'rate_limited', 1, { 'retry-after': '120' }),
  status(401, 'unauthorized', 1),
  status(403, 'unauthorized', 1),
  status(405, 'server', 3),
  status(415, 'refused', 1),
  // Every call of the matrix asks an address that must exist.
  status(404, 'invalid_answer', 3),
  status(206, 'invalid_answer', 3),
  status(302, 'invalid_answer', 3, { location: `/elsewhere-${bodyCanary}` }),
  {
    name: 'cut JSON',
    kind: 'invalid_answer',
    tries: 3,
    status: 200,
    answer: (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"results":[{"pk":"${bodyCanary}`),
  },
  {
    name: 'bytes that are no text',
    kind: 'invalid_answer',
    tries: 3,
    status: 200,
    answer: (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
  },
  {
    name: 'a page instead of JSON',
    kind: 'invalid_answer',
    tries: 3,
    status: 200,
    answer: (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${bodyCanary}</h1>`),
  },
  ...[{ unexpected: bodyCanary }, [bodyCanary], bodyCanary, 7].map(
    (body): Fault => ({
      name: `JSON of another shape (${Array.isArray(body) ? 'array' : typeof body})`,
      kind: 'invalid_answer',
      tries: 3,
      status: 200,
      answer: (response) => json(response, 200, body),
    }),
  ),
  {
    name: 'an endless body',
    kind: 'invalid_answer',
    tries: 3,
    status: 200,
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('[')
      const chunk = `"${bodyCanary}",`.repeat(4000)
      const pour = () => {
        while (response.writable && response.write(chunk)) {}
      }
      response.on('drain', pour)
      pour()
    },
  },
]
