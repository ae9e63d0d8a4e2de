import { ApiError, createAtriumClient, listItems, type PagedPath } from '@atrium/client'
import { type Operation, ownerOf, pathParameters } from './operations.ts'
import type { Profile } from './profile-file.ts'

/** Values of an operation by the names of its fields and of the parameters of its path. */
export type Values = Readonly<Record<string, unknown>>

interface RawRequest {
  method: string
  path: string
  query?: Values
  body?: unknown
  signal?: AbortSignal
}

/** Sends requests of commands with the token of a profile. */
export function createCaller(profile: Pick<Profile, 'url' | 'token'>) {
  const client = createAtriumClient(profile)
  // Operations are known only at run time here; the types of the client are for programs.
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
  /** Returns the response whatever its status. */
  async function send({ method, path, query, body, signal }: RawRequest, parseAs = 'text') {
    return request(method.toLowerCase(), path, {
      params: { query },
      parseAs,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
  }
  return {
    send,
    /** Returns the content of a file as it arrives. Throws ApiError. */
    async download(operation: Operation, values: Values): Promise<ReadableStream<Uint8Array>> {
      const { data, error, response } = await send(requestOf(operation, values), 'stream')
      if (!response.ok || !data) throw new ApiError(response, error)
      return data as ReadableStream<Uint8Array>
    },
    /** Returns the parsed response. Throws ApiError for every status other than success. */
    async call(operation: Operation, values: Values): Promise<unknown> {
      const { data, error, response } = await send(requestOf(operation, values))
      if (!response.ok) throw new ApiError(response, error)
      const text = typeof data === 'string' ? data : ''
      const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
      return isJson && operation.output !== 'file' ? JSON.parse(text) : text
    },
    /** Returns the items of every page, from the cursor among the values on. Throws ApiError. */
    callPages(operation: Operation, values: Values): Promise<unknown[]> {
      const { inPath, fields } = split(operation, values)
      const items = listItems(client, operation.path as PagedPath, {
        path: inPath as never,
        query: fields,
      })
      return Array.fromAsync(items)
    },
  }
}

export type Caller = ReturnType<typeof createCaller>

function requestOf(operation: Operation, values: Values): RawRequest {
  const { inPath, fields } = split(operation, values)
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(inPath[name])),
  )
  const inBody = !['GET', 'DELETE'].includes(operation.method)
  return {
    method: operation.method,
    path,
    ...(inBody ? hasFields(fields) && { body: fields } : { query: fields }),
  }
}

const hasFields = (fields: Values) => Object.keys(fields).length > 0

/** The values of the path, and the fields that remain. */
function split({ path }: Operation, values: Values): { inPath: Values; fields: Values } {
  const names = pathParameters(path)
  const present = Object.entries(values).filter(([, value]) => value !== undefined)
  return {
    inPath: Object.fromEntries(present.filter(([name]) => names.includes(name))),
    fields: Object.fromEntries(present.filter(([name]) => !names.includes(name))),
  }
}

/** The slug of the owner that a path names, from the profile where there is one. */
export function ownerSlug({ path }: Operation, profile: Profile): string | undefined {
  const owner = ownerOf(path)
  return owner && profile[owner]
}
