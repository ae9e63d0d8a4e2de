import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'
import { auditActions } from '@atrium/core/audit/audit'
import { eventRecords, type RecordKind } from '@atrium/core/events/event-records'
import { resourceReads } from '@atrium/core/events/event-type'
import type { EventView } from '@atrium/core/events/events'
import { startApi } from '@atrium/testing/api-process'
import { faultsOfEvents, undescribedEvents, validatorOf } from '@atrium/testing/event-schemas'
import { startTestApp } from '@atrium/testing/test-app'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/http/openapi.ts'
import { scimDocument } from '../src/http/openapi-scim.ts'
import { exampleOf } from '../src/http/reference/examples.ts'
import { exampleBody, type Listed } from '../src/http/reference/sample-request.ts'
import { requestSamples } from '../src/http/reference/samples.ts'
import { scimRoutes } from '../src/http/scim.ts'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'

const document = openApiDocument('0.0.0', '/')
const operations: Listed[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
  })),
)
const procedures = new Map(
  Object.entries(proceduresOf(appRouter)).map(([name, procedure]) => [
    name.replaceAll('.', '-'),
    procedure,
  ]),
)
const find = (name: string): Listed => {
  const listed = operations.find(({ method, path }) => `${method} ${path}` === name)
  if (!listed) throw new Error(`there is no ${name}`)
  return listed
}

describe('an example of the API reference', () => {
  /** Rules between fields that no schema says. */
  const incomplete: Readonly<Record<string, RegExp>> = {
    'flags-update': /Include the version/,
    'scheduling-eventTypes-create': /address of the video call/,
    'prices-create': /The last tier has no end/,
    'prices-update': /The last tier has no end/,
  }

  it('is a request that its operation accepts', () => {
    const rejected: string[] = []
    for (const { operation } of operations) {
      const { operationId, parameters } = operation
      const input = procedures.get(operationId)?._def.inputs.at(-1)
      if (!input) continue
      const values = Object.fromEntries(
        parameters
          .filter((one) => one.required && one.in !== 'header')
          .map(({ name, schema }) => [name, exampleOf(document, schema, name)]),
      )
      const { error } = input.safeParse({ ...values, ...exampleBody(document, operation) })
      const messages = (error?.issues ?? []).map(({ message }) => message).join(' ')
      const known = incomplete[operationId]
      if (known ? !known.test(messages) : error) rejected.push(`${operationId}: ${messages}`)
    }
    expect(rejected).toEqual([])
    expect(operations.length).toBeGreaterThan(300)
  })

  it('is written in each language without a fault of syntax', () => {
    for (const listed of operations) {
      const [curl, typescript] = requestSamples(document, listed).map(({ text }) => text)
      const body = curl?.match(/-d '([\s\S]*)'$/)?.[1]
      if (body !== undefined) JSON.parse(body.replaceAll("'\\''", "'"))
      expect(Boolean(listed.operation.requestBody)).toBe(body !== undefined)
      stripTypeScriptTypes(typescript ?? '')
      expect(typescript).toContain(`atrium.${listed.method}('${listed.path}'`)
    }
  })

  it('sends what the operation needs, and no token where none is needed', () => {
    const [curl, typescript] = requestSamples(document, find('PATCH /tenants/{slug}'))
    expect(curl).toEqual({
      language: 'curl',
      text: `curl -X PATCH "$ATRIUM_URL/tenants/acme" \\
  -H "Authorization: Bearer $ATRIUM_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{
  "plan": "free"
}'`,
    })
    expect(typescript?.text).toBe(`import { createAtriumClient, dataOf } from '@atrium/client'

const atrium = createAtriumClient({
  url: 'https://api.example.com',
  token: process.env.ATRIUM_TOKEN,
})
const result = await dataOf(
  atrium.PATCH('/tenants/{slug}', {
    params: {
      path: {
        slug: 'acme',
      },
    },
    body: {
      plan: 'free',
    },
  }),
)`)
    const [, , command] = requestSamples(document, find('PATCH /tenants/{slug}'))
    expect(command?.text).toBe('atrium tenants update \\\n  --tenant acme \\\n  --plan free')
    const open = requestSamples(document, find('GET /api/v1/pages/{tenantSlug}'))
    for (const { text } of open) expect(text).not.toMatch(/token/i)
    const file = requestSamples(document, find('GET /audit/export'))
    expect(file[1]?.text).toContain("parseAs: 'stream'")
    const removed = requestSamples(document, find('DELETE /tenants/{slug}/lists/{listId}'))
    expect(removed[1]?.text).toContain('\nawait dataOf(')
  })
})

it('describes every operation of the SCIM service, with what its errors mean', () => {
  const scim = scimDocument('0.0.0', '/')
  const described = Object.entries(scim.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.toSorted()).toEqual(
    scimRoutes()
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  )
  const create = scim.paths['/tenants/{slug}/scim/v2/Users']?.post
  expect(create?.requestBody?.content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/ScimUserInput',
  })
  expect(create?.security).toContainEqual({ serviceToken: ['scim:write'] })
  expect(create?.responses['409']).toMatchObject({
    description: expect.stringContaining('`email_taken`'),
  })
  // Other conflicts are bad requests there.
  expect(create?.responses['400']).toMatchObject({
    description: expect.stringContaining('`seats_exhausted`'),
  })
  const references = [...JSON.stringify(scim).matchAll(/#\/components\/schemas\/(\w+)/g)]
  expect(references.filter(([, name = '']) => !scim.components.schemas[name])).toEqual([])
})

describe('a type of event', () => {
  it('is described for each action of the audit log, and for the test of an endpoint', () => {
    expect(Object.keys(document.webhooks)).toEqual([
      ...auditActions.toSorted(),
      'webhook_endpoint.test',
    ])
  })

  it('has an example that fits its schema', () => {
    const faults = Object.values(document.webhooks).flatMap(({ post }) => {
      const { schema, example } = post.requestBody.content['application/json']
      const fits = validatorOf(String(schema.$ref).split('/').at(-1) ?? '')
      return fits(example) ? [] : [`${post.operationId}: ${JSON.stringify(fits.errors)}`]
    })
    expect(faults).toEqual([])
  })

  it('names operations that read its record', () => {
    const described = Object.values(resourceReads).flat()
    expect(described.filter((path) => !document.paths[path]?.get)).toEqual([])
    expect(document.webhooks['list.created']?.post.description).toContain(
      '`GET /tenants/{slug}/lists/{listId}`',
    )
  })

  it('contains a record for programs that may read it by that operation', () => {
    const scopeOf = (path: string) =>
      Object.values(proceduresOf(appRouter)).find(
        ({ _def: { meta } }) => meta?.openapi?.method === 'GET' && meta.openapi.path === path,
      )?._def.meta?.scope
    const kinds = Object.keys(eventRecords) as RecordKind[]
    expect(kinds.map((kind) => [kind, scopeOf(resourceReads[kind][0])])).toEqual(
      kinds.map((kind) => [kind, eventRecords[kind].scope]),
    )
  })

  it('is no event of another type, without a field, or with a change that is no pair', () => {
    const example = document.webhooks['list.updated']?.post.requestBody.content['application/json']
      .example as EventView
    const { data } = example
    const faultsOf = (changed: Partial<EventView>) => faultsOfEvents([{ ...example, ...changed }])
    expect(faultsOf({})).toEqual([])
    expect(faultsOf({ type: 'list.forgotten' })).toEqual(['list.forgotten is no type of event'])
    expect(faultsOf({ type: 'domain.verified' })).not.toEqual([])
    expect(faultsOf({ data: { ...data, details: { recipientsLeft: 'two' } } })).not.toEqual([])
    expect(faultsOf({ data: { ...data, details: { unknown: 1 } } })).not.toEqual([])
    expect(faultsOf({ data: { ...data, changes: { name: ['Sales'] } } })).not.toEqual([])
    expect(faultsOf({ data: { ...data, details: { truncated: true, size: 9_000 } } })).toEqual([])
    const undescribed = (changed: Partial<EventView>) =>
      undescribedEvents([{ ...example, ...changed }])
    expect(undescribed({})).toEqual([])
    expect(undescribed({ type: 'domain.verified' })).not.toEqual([])
    expect(undescribed({ data: { ...data, changes: { name: ['Sales'] } } })).not.toEqual([])
  })
})

it('a built API sends the script of its pages', async () => {
  await using testApp = await startTestApp({ provisioned: false })
  await using api = await startApi(testApp)
  const response = await fetch(`${api.url}/docs/flags`)
  const page = await response.text()
  const [, script = ''] = page.match(/<script type="module">([\s\S]*?)<\/script>/) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  expect(response.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`)
  expect(script).toMatch(/addEventListener\(["']submit/)
  expect(script).not.toMatch(/sourceMappingURL|: HTMLFormElement/)
})
