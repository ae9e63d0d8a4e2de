import { demoServiceCredentials } from '@atrium/core/demo'
import { type CallLog, createCallLog } from '../src/call-log.ts'
import { createFaults, type Faults } from '../src/faults.ts'
import { createFiles, type FilesOptions, type FilesSystem } from '../src/files/system.ts'
import { guarded, listen } from '../src/serve.ts'
import { basic, type Wire } from './mail-server.ts'

export interface Answer {
  readonly status: number
  readonly body: Wire
  readonly text: string
  readonly headers: Headers
}

export interface FilesServer extends AsyncDisposable {
  readonly url: string
  readonly files: FilesSystem
  readonly faults: Faults
  readonly calls: CallLog
  advance(ms: number): void
  /** A call below `/graph` as the service account: `body` is sent as JSON. */
  graph(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The same with other credentials. */
  graphAs(
    authorization: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

export const serviceBasic = basic(demoServiceCredentials.filesUser, demoServiceCredentials.filesAppToken)

/** A file storage on a free port with a clock of its own. */
export async function openFiles(options: FilesOptions = {}): Promise<FilesServer> {
  let now = Date.UTC(2026, 7, 20, 10)
  let url = ''
  const faults = createFaults()
  const calls = createCallLog()
  const files = createFiles({ faults, calls, now: () => now, changed: () => {}, origin: () => url, seed: 'demo' }, options)
  const listening = await listen(guarded(files, { faults, calls }), 0, '127.0.0.1', 'files')
  url = `http://127.0.0.1:${listening.port}`
  const graphAs: FilesServer['graphAs'] = async (authorization, method, path, body, headers = {}) => {
    const response = await fetch(`${url}/graph${path}`, {
      method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, text, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : undefined }
  }
  return {
    url,
    files,
    faults,
    calls,
    advance(ms) {
      now += ms
    },
    graph: (method, path, body, headers) => graphAs(serviceBasic, method, path, body, headers),
    graphAs,
    [Symbol.asyncDispose]: () => listening.close(),
  }
}
