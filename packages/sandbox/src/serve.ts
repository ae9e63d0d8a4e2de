import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Call, CallLog } from './call-log.ts'
import type { Fault, Faults } from './faults.ts'
import type { SandboxSystem } from './system.ts'

/**
 * A body larger than any of our calls, so that a runaway client cannot fill the memory of the
 * developer's machine.
 */
const bodyLimit = 32 * 1024 * 1024

/** An HTTP server that listens. */
export interface Listening {
  readonly port: number
  /** Closes the port and drops every connection, kept alive or waiting. */
  close(): Promise<void>
}

/**
 * Opens `port` (0 takes a free one) on `host`. Rejects with one line that names port and purpose
 * when the port is taken.
 */
export async function listen(
  listener: RequestListener,
  port: number,
  host: string,
  purpose: string,
): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 5_000 }, listener)
  await open(server, port, host, purpose)
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function open(server: Server, port: number, host: string, purpose: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(describeListenError(error, port, purpose)))
    server.listen(port, host, () => resolve())
  })
}

/** The error of `listen` as one line for a person. */
export function describeListenError(error: unknown, port: number, purpose: string): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} (sandbox ${purpose}) is already in use.`, { cause: error })
  if (code === 'EACCES')
    return new Error(`Port ${port} (sandbox ${purpose}) may not be opened by this user.`, {
      cause: error,
    })
  return new Error(`Port ${port} (sandbox ${purpose}) cannot be opened: ${String(error)}`, {
    cause: error,
  })
}

/** The listener of a system with its faults applied and its calls logged. */
export function guarded(
  system: SandboxSystem,
  { faults, calls }: { faults: Faults; calls: CallLog },
): RequestListener {
  return (request, response) => {
    const started = performance.now()
    const at = new Date().toISOString()
    const method = request.method ?? 'GET'
    const url = request.url ?? '/'
    const path = url.split('?', 1)[0] ?? '/'
    let operations: readonly string[] = []
    let fault: Fault | undefined

    response.once('close', () => {
      const call: Call = {
        at,
        method,
        path: url,
        status: response.writableFinished ? response.statusCode : 0,
        ms: Math.round(performance.now() - started),
      }
      calls.add({
        ...call,
        ...(operations.length > 0 && { operations }),
        ...(fault && { fault: { id: fault.id, mode: fault.mode } }),
      })
    })

    const carryOut = async () => {
      if (system.operations) {
        const body = await readBody(request)
        Object.assign(request, { rawBody: body })
        operations = system.operations({ method, path, body })
      }
      fault = faults.take(system.name, [
        `${method} ${path}`,
        ...operations,
        ...bySignedIn(request, operations),
      ])
      if (!fault) return system.listener(request, response)
      if (fault.after) return hitAfter(fault, system, request, response)
      if (fault.mode === 'latency') {
        await pause(fault.delayMs ?? 1_000, response)
        if (!response.destroyed) system.listener(request, response)
        return
      }
      request.resume()
      await hit(fault, system, response)
    }
    carryOut().catch(() => response.destroy())
  }
}

/**
 * Operations with the name that the caller signs in with, so that a fault can hit one mailbox
 * alone.
 */
function bySignedIn({ headers }: IncomingMessage, operations: readonly string[]): string[] {
  const [, basic] = /^Basic (\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (basic === undefined) return []
  const [name] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return operations.map((operation) => `${operation} ${name}`)
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyLimit) throw new Error('The body is larger than the sandbox takes.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Resolves after `ms`, or at once when the client goes away. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  if (ms === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, ms)
    response.once('close', done)
  })
}

async function hit(fault: Fault, system: SandboxSystem, response: ServerResponse): Promise<void> {
  await pause(fault.delayMs ?? 0, response)
  if (response.destroyed) return
  switch (fault.mode) {
    case 'timeout':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x00, 0x3c, 0x68, 0x74, 0x6d, 0x6c]))
      return
    case 'shape':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"unexpected":{"shape":[1,"two",null]}}')
      return
    default: {
      const status = fault.status ?? 503
      const reply = system.errorResponse(status)
      response.writeHead(status, { ...reply.headers })
      response.end(reply.body)
    }
  }
}

/**
 * Lets the system run the call, buffers its response, and applies the fault when it is complete.
 */
function hitAfter(
  fault: Fault,
  system: SandboxSystem,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const real = {
    writeHead: response.writeHead,
    write: response.write,
    end: response.end,
    flushHeaders: response.flushHeaders,
  }
  const chunks: Buffer[] = []
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string')
      chunks.push(
        Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'),
      )
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  let head: Parameters<ServerResponse['writeHead']> | undefined
  const answered = () => {
    Object.assign(response, real)
    if (fault.mode !== 'latency') {
      for (const name of response.getHeaderNames()) response.removeHeader(name)
      return hit(fault, system, response)
    }
    return pause(fault.delayMs ?? 1_000, response).then(() => {
      if (response.destroyed) return
      if (head) response.writeHead(...head)
      response.end(Buffer.concat(chunks))
    })
  }
  Object.assign(response, {
    writeHead(...args: Parameters<ServerResponse['writeHead']>) {
      head = args
      return response
    },
    flushHeaders() {},
    write(chunk: unknown, encoding?: unknown) {
      keep(chunk, encoding)
      return true
    },
    end(chunk?: unknown, encoding?: unknown) {
      keep(chunk, encoding)
      answered().catch(() => response.destroy())
      return response
    },
  })
  system.listener(request, response)
}
