import { readFileSync } from 'node:fs'

/** A JSON Schema of a field. */
export interface FieldSchema {
  type?: string
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  items?: FieldSchema
  anyOf?: readonly FieldSchema[]
  [keyword: string]: unknown
}

/** What an operation returns: nothing, a record, a list in pages or whole, or a file. */
export type OutputKind = 'nothing' | 'record' | 'pages' | 'list' | 'file'

/** An operation of the API that service tokens can call, as the build found it in the router. */
export interface Operation {
  /** The procedure, such as `scheduling.hosts.list`. */
  name: string
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With parameters in braces. */
  path: string
  summary: string
  description?: string
  /** The scopes that a token needs. */
  scopes: readonly string[]
  /** False for those that only read. */
  changes: boolean
  /** Whether the response can have a one-time secret. */
  secret: boolean
  output: OutputKind
  /** Fields of the query or the body. */
  fields: Readonly<Record<string, FieldSchema>>
  required: readonly string[]
}

/** Returns every operation of the build, in the order of the router. */
export function readOperations(): Operation[] {
  const file = new URL('./generated/operations.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Operation[]
}

/** The parameters of a path, in its order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Whose records a path names by its slug; the profile knows which one. */
export function ownerOf(path: string): 'tenant' | 'partner' | undefined {
  const [, area] = /^\/(?:api\/v1\/)?(tenants|partners)\/\{slug\}/.exec(path) ?? []
  return area === 'tenants' ? 'tenant' : area === 'partners' ? 'partner' : undefined
}
