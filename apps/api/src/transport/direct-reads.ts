import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { createContext } from '../context.ts'
import type { House } from '../house.ts'
import { takesVisitors } from '../scheduling/cors.ts'
import { chooseRequestId, HttpFacts, type RequestSource, WebSource } from './facts.ts'
import { type PlainAnswer, problemAnswer, toResponse } from './problems.ts'
import { createPaths } from './read-paths.ts'
import { type BegunRequest, type RequestRecord, withEveryHeader } from './request-record.ts'
import { type Invoke, logFailure, procedureOf, type RestRoute, restRoutes } from './rest.ts'
import { fromQuery } from './rest-input.ts'
import { SocketSource, sendAnswer } from './socket.ts'
import { answerInOnePiece, trpcRoute } from './trpc.ts'
import { endpoint, type Queries, readQueries } from './trpc-queries.ts'

/** What a request asks to read: a REST path or calls of tRPC. */
type Asked = { path: string; route: string } & (
  | { kind: 'rest'; query: string; parameters: Readonly<Record<string, string>>; invoke: Invoke }
  | { kind: 'trpc'; queries: Queries }
)

/**
 * Reads that are answered in one piece, straight between Node's socket and the procedure: `GET` of a REST path whose answer is JSON, and
 * queries of tRPC. Most of the traffic is of this kind, and the web-standard Request and Response that Hono works on cost as much as
 * half of such a read. Whatever else is asked, or is not written plainly (encoded paths, repeated query names of tRPC), takes the
 * way through Hono, where the same procedures answer the same.
 */
export interface DirectReads {
  /** The answer to a request, or undefined when it is not such a read. */
  fetch(request: Request, env: Partial<HttpBindings> | undefined): Promise<Response> | undefined
  /** Answers on the socket; false when it is not such a read. With `closing` the answer asks its client to take another connection. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, closing: boolean): boolean
}

export function createDirectReads(house: House, record: RequestRecord): DirectReads {
  // All paths, whatever they take: one without a GET must not be taken for another's parameter.
  const find = createPaths([...Map.groupBy(restRoutes(), (route) => route.path)].map(([path, routes]) => [path, toTarget(path, routes)]))

  function read(method: string | undefined, target: string, header: (name: string) => string | undefined): Asked | undefined {
    if (method !== 'GET') return undefined
    const begin = target.indexOf('?')
    const path = begin === -1 ? target : target.slice(0, begin)
    const query = begin === -1 ? '' : target.slice(begin + 1)
    if (!plainPath.test(path) || !plainQuery.test(query)) return undefined
    if (path.startsWith(`${endpoint}/`)) {
      if (header('trpc-accept') !== undefined) return undefined
      const parameter = parametersIn(query)
      const queries = parameter && readQueries(path.slice(endpoint.length + 1), parameter)
      return queries && { kind: 'trpc', path, route: trpcRoute(path), queries }
    }
    const found = find(path)
    if (!found?.target.invoke) return undefined
    const { route, invoke } = found.target
    return { kind: 'rest', path, route, query, parameters: found.parameters, invoke }
  }

  async function answer(asked: Asked, facts: HttpFacts, authorization: string | undefined): Promise<PlainAnswer> {
    try {
      const ctx = createContext(house, facts, authorization)
      if (asked.kind === 'trpc') return await answerInOnePiece(ctx, asked.queries)
      const result = await asked.invoke(ctx, () => fromQuery(asked.query, asked.parameters))
      if (result === undefined) return { status: 204, headers: {}, body: null }
      return { status: 200, headers: asJson, body: JSON.stringify(result) }
    } catch (error) {
      const refusal = problemAnswer(error, facts.requestId)
      logFailure(house, refusal.status, error, facts.requestId)
      return refusal
    }
  }

  const begin = (source: RequestSource) => record.begin(chooseRequestId(source.header('x-request-id')))

  /** From the procedure to the request's line in the log, which is written when the answer was given. */
  async function carryOut<Given>(
    asked: Asked,
    source: RequestSource,
    begun: BegunRequest,
    give: (plain: PlainAnswer, facts: HttpFacts) => Given,
  ): Promise<Given> {
    const facts = new HttpFacts(source, begun.requestId, begun.line, house.config)
    const plain = await answer(asked, facts, source.header('authorization'))
    const given = give(plain, facts)
    record.end(begun, { method: 'GET', path: asked.path, route: asked.route, status: plain.status })
    return given
  }

  return {
    fetch(request, env) {
      const target = request.url.slice(request.url.indexOf('/', request.url.indexOf('//') + 2))
      const source = new WebSource(request, env?.incoming?.socket?.remoteAddress)
      const asked = request.body === null ? read(request.method, target, (name) => source.header(name)) : undefined
      return (
        asked &&
        carryOut(asked, source, begin(source), (plain, facts) => withEveryHeader(facts.complete(toResponse(plain)), facts.requestId))
      )
    },
    handle(incoming, outgoing, closing) {
      const { method, url = '' } = incoming
      const source = new SocketSource(incoming, outgoing)
      // Who sends a body with a GET is answered where bodies are read to their end.
      if (source.header('content-length') !== undefined || source.header('transfer-encoding') !== undefined) return false
      const asked = read(method, url, (name) => source.header(name))
      if (!asked) return false
      const begun = begin(source)
      carryOut(asked, source, begun, (plain, facts) => sendAnswer(outgoing, plain, facts, closing)).catch((err: unknown) => {
        house.log.error({ err, requestId: begun.requestId }, 'an answer could not be sent')
        outgoing.destroy()
      })
      return true
    },
  }
}

const asJson = { 'content-type': 'application/json' }

/** Segments of letters, digits and marks that stand for themselves; none of them a dot or two, none of them empty. */
const plainPath = /^(?:\/(?!\.\.?(?:\/|$))[\w.,~:@-]+)+$/
/** What an address may hold behind its `?` as it is; no fragment. */
const plainQuery = /^[!"$-~]*$/

/** Without `invoke` it is a path that there is, and that Hono answers. */
function toTarget(path: string, routes: readonly RestRoute[]): { route: string; invoke: Invoke | undefined } {
  const read = routes.find(({ method }) => method === 'GET')
  const inOnePiece = read?.type === 'query' && !read.ofrep && !read.file && !read.csv && !read.export && !takesVisitors(path)
  return { route: path, invoke: read && inOnePiece ? procedureOf(read) : undefined }
}

/** The parameters of a query that tRPC's clients write: names as they are, each once; undefined for any other, which Hono reads. */
function parametersIn(query: string): ((name: string) => string | undefined) | undefined {
  const found = new Map<string, string>()
  if (query === '') return () => undefined
  for (const part of query.split('&')) {
    const equals = part.indexOf('=')
    const name = equals === -1 ? part : part.slice(0, equals)
    const value = equals === -1 ? '' : part.slice(equals + 1)
    if (!/^\w+$/.test(name) || found.has(name)) return undefined
    try {
      found.set(name, value.includes('%') || value.includes('+') ? decodeURIComponent(value.replaceAll('+', ' ')) : value)
    } catch {
      return undefined
    }
  }
  return (name) => found.get(name)
}
