import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { expect } from 'vitest'
import { type CallLog, createCallLog } from '../src/call-log.ts'
import { createFaults, type Faults } from '../src/faults.ts'
import { createFiles, type FilesOptions, type FilesSystem } from '../src/files/system.ts'
import { guarded, listen } from '../src/serve.ts'
import { basic } from './mail-server.ts'

/** What the tests read of an answer; only the properties of its type are there. */
export interface GraphBody {
  readonly id: string
  readonly name: string
  readonly displayName: string
  readonly value: readonly GraphBody[]
  readonly error: {
    readonly code: string
    readonly message: string
    readonly innererror: { readonly date: string }
  }
  readonly quota: { readonly total: number }
  readonly root: { readonly deleted?: unknown }
  readonly owner: { readonly user: { readonly id: string } }
  readonly roles: readonly string[]
  readonly invitation: { readonly invitedBy: { readonly user: { readonly displayName: string } } }
  readonly members: readonly unknown[]
  readonly memberOf: readonly unknown[]
  readonly drive: unknown
  readonly appRoles: readonly GraphBody[]
  readonly '@libre.graph.permissions.roles.allowedValues': readonly GraphBody[]
  readonly '@libre.graph.permissions.actions.allowedValues': readonly string[]
}

export interface Answer {
  readonly status: number
  readonly body: GraphBody
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
  graph(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** The same with other credentials. */
  graphAs(
    authorization: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

export const serviceBasic = basic(
  demoServiceCredentials.filesUser,
  demoServiceCredentials.filesAppToken,
)

/** A file storage on a free port with a clock of its own. */
export async function openFiles(options: FilesOptions = {}): Promise<FilesServer> {
  let now = Date.UTC(2026, 7, 20, 10)
  let url = ''
  const faults = createFaults()
  const calls = createCallLog()
  const files = createFiles(
    { faults, calls, now: () => now, changed: () => {}, origin: () => url, seed: 'demo' },
    options,
  )
  const listening = await listen(guarded(files, { faults, calls }), 0, '127.0.0.1', 'files')
  url = `http://127.0.0.1:${listening.port}`
  const graphAs: FilesServer['graphAs'] = async (
    authorization,
    method,
    path,
    body,
    headers = {},
  ) => {
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
    return {
      status: response.status,
      text,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
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

export const manager = '312c0871-5ef7-4b3a-85b6-0e4074c64049'
export const editor = '58c63c02-1d89-4572-916a-870abc5a1b7d'
export const viewer = 'a8d5fe5e-96e3-418d-825b-534dbdf22b99'
export const projects = "/v1.0/drives?$filter=driveType%20eq%20'project'"

/** A new space of 1000 bytes: its id. */
export async function createSpace(
  server: FilesServer,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const created = await server.graph('POST', '/v1.0/drives', {
    name: 'Acme',
    quota: { total: 1000 },
    ...fields,
  })
  expect(created.status).toBe(201)
  return created.body.id
}

/** A new account: its id. */
export async function createUser(
  server: FilesServer,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const created = await server.graph('POST', '/v1.0/users', {
    onPremisesSamAccountName: 'anna@acme.test',
    displayName: 'Anna Berg',
    ...fields,
  })
  expect(created.status).toBe(201)
  return created.body.id
}

export function invitation(objectId: string, role = editor, type = 'user') {
  return { recipients: [{ objectId, '@libre.graph.recipient.type': type }], roles: [role] }
}

export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code })
}
