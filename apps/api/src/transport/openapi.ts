import { errorCodes } from '@atrium/core/errors'
import { limitNames } from '@atrium/core/limits'
import { generateOpenApiDocument } from 'trpc-to-openapi'
import { appRouter } from '../router.ts'
import { ofrepErrorCodes } from './ofrep.ts'
import { type RestRoute, restRoutes } from './rest.ts'

const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: errorCodes },
    requestId: { type: 'string' },
    limit: { type: 'string', enum: limitNames },
    issues: {
      type: 'array',
      items: { type: 'object', required: ['path', 'message'], properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
} as const

const ofrepProblem = {
  allOf: [
    { $ref: '#/components/schemas/Problem' },
    {
      type: 'object',
      required: ['errorCode', 'errorDetails'],
      properties: { errorCode: { type: 'string', enum: ofrepErrorCodes }, errorDetails: { type: 'string' }, key: { type: 'string' } },
    },
  ],
} as const

/** The OpenAPI 3.1 description of the REST side, made once from the procedures themselves. */
export function openApiDocument(version: string, baseUrl: string): object {
  const described = generateOpenApiDocument(appRouter, {
    title: 'Atrium platform API',
    version,
    baseUrl,
    openApiVersion: '3.1.0',
    description: 'Tenants, people and audit of a self-hosted workplace. Errors are RFC 9457 problem details.',
    tags: ['tenants', 'users', 'members', 'sso', 'branding', 'audit'],
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of the identity provider.' },
    },
    // Streams are described below: a JSON schema says nothing about them.
    filter: ({ metadata }) => !streamed.has(metadata.openapi.path),
  })
  const document = structuredClone(described) as unknown as Document
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: problem, OfrepProblem: ofrepProblem },
  }
  for (const [path, description] of streamed) document.paths[path] = { get: { ...description, security: [{ bearer: [] }] } }
  for (const item of Object.values(document.paths)) for (const operation of Object.values(item)) useProblems(operation)
  for (const route of restRoutes()) {
    useStatus(document, route)
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    if (route.ofrep && operation) useProblems(operation, 'OfrepProblem')
    if (route.recentSignIn !== undefined && operation) tellOfRecentSignIn(operation, route.recentSignIn)
  }
  return document
}

interface Operation {
  description?: string
  responses: Record<string, Answered>
  security?: object[]
}
interface Answered {
  description: string
  headers?: Record<string, object>
  content?: Record<string, object>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, unknown> }
}

const parameter = (name: string, place: 'path' | 'query') => ({ name, in: place, required: place === 'path', schema: { type: 'string' } })

const streamed = new Map<string, Operation & Record<string, unknown>>([
  [
    '/tenants/{slug}/events',
    {
      operationId: 'tenants-events',
      summary: 'Follow provisioning as server-sent events',
      tags: ['tenants'],
      parameters: [parameter('slug', 'path')],
      responses: {
        '200': { description: 'One JSON object per message', content: { 'text/event-stream': { schema: { type: 'string' } } } },
      },
    },
  ],
  [
    '/audit/export',
    {
      operationId: 'audit-export',
      summary: 'Export the audit log as NDJSON or CSV',
      tags: ['audit'],
      parameters: ['format', 'since', 'until', 'before', 'action', 'tenantSlug', 'partnerSlug', 'actorEmail', 'outcome', 'q'].map((name) =>
        parameter(name, 'query'),
      ),
      responses: {
        '200': {
          description: 'The entries, newest first',
          content: { 'application/x-ndjson': { schema: { type: 'string' } }, 'text/csv': { schema: { type: 'string' } } },
        },
      },
    },
  ],
  [
    '/partners/{slug}/ledger/export',
    {
      operationId: 'payouts-exportLedger',
      summary: "Export a partner's ledger as CSV",
      tags: ['payouts'],
      parameters: [
        parameter('slug', 'path'),
        ...['currency', 'type', 'invoiceId', 'tenantSlug', 'format'].map((name) => parameter(name, 'query')),
      ],
      responses: {
        '200': { description: 'The entries, newest first', content: { 'text/csv': { schema: { type: 'string' } } } },
      },
    },
  ],
])

function useProblems(operation: Operation, schema = 'Problem'): void {
  for (const status of Object.keys(operation.responses)) {
    if (Number(status) >= 400) delete operation.responses[status]
  }
  operation.responses.default = {
    description: 'A refusal or a failure',
    content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  }
}

/** The challenge of RFC 9470 section 3 among the answers, and a sentence that says when it is met. */
function tellOfRecentSignIn(operation: Operation, calls: string): void {
  const sentence = `This needs a recent sign-in${calls === 'always' ? '' : ` ${calls}`}.`
  operation.description = operation.description === undefined ? sentence : `${operation.description} ${sentence}`
  operation.responses['401'] = {
    description: 'No valid token, or `recent_sign_in_required`: the sign-in behind it is too old for this',
    headers: { 'WWW-Authenticate': { description: 'RFC 6750 section 3, RFC 9470 section 3', schema: { type: 'string' } } },
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

const text = { schema: { type: 'string' } }

/** The generator writes 200 with JSON for everything; a create answers 201, a delete 204 without a body, and some answer files. */
function useStatus(document: Document, { path, method, creates, csv, file, ofrep }: RestRoute): void {
  const operation = document.paths[path]?.[method.toLowerCase()]
  const ok = operation?.responses['200']
  if (!operation || !ok) return
  if (csv) ok.content = { ...ok.content, 'text/csv': text }
  if (file) ok.content = Object.fromEntries(file.map((type) => [type, text]))
  if (ofrep) operation.responses['304'] = { description: 'The same as what the ETag in If-None-Match stands for' }
  if (method === 'DELETE') {
    delete operation.responses['200']
    operation.responses['204'] = { description: 'Done' }
  } else if (creates) {
    delete operation.responses['200']
    operation.responses['201'] = ok
  }
}
