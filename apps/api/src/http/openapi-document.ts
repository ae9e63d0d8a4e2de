/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 uses as it is. */
export type Schema = Readonly<Record<string, unknown>>

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

/** A response in its own place or a `$ref` to one of the components. */
export type Answered = {
  description: string
  headers?: Schema
  content?: Record<string, { schema: Schema }>
  links?: Schema
}
export interface Operation {
  operationId: string
  summary: string
  description?: string
  deprecated?: true
  /** The day of `Sunset` (RFC 8594), of a deprecated operation. */
  'x-sunset'?: string
  tags: readonly string[]
  /** One of these; of a service token, the scopes that it needs. */
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters: readonly Parameter[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Answered | { $ref: string }>
}

/** What an endpoint receives for each event of a type. */
export interface Webhook {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  security: readonly []
  parameters: readonly { $ref: string }[]
  requestBody: {
    required: true
    content: { 'application/json': { schema: Schema; example: unknown } }
  }
  responses: Record<string, { $ref: string }>
}

export interface ApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  /** The types of events, as requests to a webhook endpoint. */
  webhooks: Record<string, { post: Webhook }>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Answered>
    parameters: Record<string, Parameter>
    securitySchemes: Schema
  }
}
