import {
  faultsOfChangelog,
  releaseChangelog,
  writeEntries,
} from '@atrium/testing/api-changes/changelog'
import { compareApis } from '@atrium/testing/api-changes/compare'
import {
  type ApiRecord,
  readRecord,
  recordOf,
  writeRecord,
} from '@atrium/testing/api-changes/record'
import { compareSchemas } from '@atrium/testing/api-changes/schemas'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/http/openapi.ts'
import type { Schema } from '../src/http/openapi-document.ts'

const text = { type: 'string' }
const nothing = { type: 'null' }
const object = (
  properties: Record<string, Schema>,
  required: string[] = [],
  more: Schema = {},
) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
  ...more,
})

/** Which of the two ways a schema may go without breaking a caller. */
type Verdict = 'both' | 'request' | 'response' | 'neither'

describe('two schemas', () => {
  it.each<[string, Schema, Schema, Verdict]>([
    ['the same', text, text, 'both'],
    [
      'alternatives in another order',
      { anyOf: [text, nothing] },
      { anyOf: [nothing, text] },
      'both',
    ],
    [
      'a list of types for alternatives',
      { anyOf: [text, nothing] },
      { type: ['string', 'null'] },
      'both',
    ],
    ['null as well', text, { anyOf: [text, nothing] }, 'request'],
    ['null no longer', { type: ['string', 'null'] }, text, 'response'],
    ['another type', text, { type: 'boolean' }, 'neither'],
    ['numbers instead of whole numbers', { type: 'integer' }, { type: 'number' }, 'request'],
    ['whole numbers instead of numbers', { type: 'number' }, { type: 'integer' }, 'response'],
    ['any value instead of a type', text, {}, 'request'],
    ['a type instead of any value', {}, text, 'response'],
    ['a value more', { enum: ['a'] }, { enum: ['b', 'a'] }, 'both'],
    ['a value less', { enum: ['a', 'b'] }, { enum: ['a'] }, 'response'],
    ['values instead of any text', text, { type: 'string', enum: ['a'] }, 'response'],
    ['a constant and one of its values', { const: 'a' }, { enum: ['a', 'b'] }, 'both'],
    ['another constant', { const: 'a' }, { const: 'b' }, 'response'],
    ['a format', text, { type: 'string', format: 'uuid' }, 'response'],
    ['no format', { type: 'string', format: 'uuid' }, text, 'request'],
    ['a longer bound', { ...text, maxLength: 5 }, { ...text, maxLength: 9 }, 'both'],
    ['a shorter bound', { ...text, maxLength: 9 }, { ...text, maxLength: 5 }, 'response'],
    ['a new bound', { type: 'integer' }, { type: 'integer', minimum: 1 }, 'response'],
    ['another pattern', { ...text, pattern: 'a' }, { ...text, pattern: 'b' }, 'response'],
    ['another default', { ...text, default: 'a' }, { ...text, default: 'b' }, 'response'],
    ['an exception', { type: 'integer' }, { type: 'integer', not: { const: 0 } }, 'response'],
    ['a new field', object({}), object({ a: text }), 'both'],
    ['a field less', object({ a: text }), object({}), 'neither'],
    ['a new field that is required', object({}), object({ a: text }, ['a']), 'response'],
    ['a field that is required now', object({ a: text }), object({ a: text }, ['a']), 'response'],
    [
      'a field that may be left out now',
      object({ a: text }, ['a']),
      object({ a: text }),
      'request',
    ],
    ['a field of another type', object({ a: text }), object({ a: { type: 'number' } }), 'neither'],
    ['no further fields', { type: 'object' }, object({}), 'response'],
    [
      'one of two fields required',
      object({ a: text, b: text }),
      object({ a: text, b: text }, [], { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      'response',
    ],
    [
      'one of three fields required instead of two',
      object({ a: text, b: text }, [], { anyOf: [{ required: ['a'] }] }),
      object({ a: text, b: text }, [], { anyOf: [{ required: ['b'] }, { required: ['a'] }] }),
      'both',
    ],
    [
      'other items',
      { type: 'array', items: text },
      { type: 'array', items: { type: 'null' } },
      'neither',
    ],
    [
      'items that are null too',
      { type: 'array', items: text },
      { type: 'array', items: { anyOf: [text, nothing] } },
      'request',
    ],
    ['no repeated items', { type: 'array' }, { type: 'array', uniqueItems: true }, 'response'],
    [
      'other values of a map',
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: { type: 'number' } },
      'neither',
    ],
    [
      'fewer names of a map',
      { type: 'object', propertyNames: { enum: ['a', 'b'] } },
      { type: 'object', propertyNames: { enum: ['a'] } },
      'response',
    ],
    [
      'an alternative more',
      { oneOf: [object({ kind: { const: 'a' } })] },
      { oneOf: [object({ kind: { const: 'a' } }), object({ kind: { const: 'b' } })] },
      'both',
    ],
    [
      'an alternative less',
      { oneOf: [object({ kind: { const: 'a' } }), object({ b: text })] },
      { oneOf: [object({ kind: { const: 'a' } })] },
      'response',
    ],
  ])('%s', (_, before, after, verdict) => {
    const holds = (direction: 'request' | 'response') =>
      compareSchemas(before, after, direction, '`x`').every(({ kind }) => kind !== 'breaking')
    const [request, response] = [holds('request'), holds('response')]
    const found = request ? (response ? 'both' : 'request') : response ? 'response' : 'neither'
    expect(found).toBe(verdict)
  })

  it('name the field that differs, however deep', () => {
    const nested = (inner: Schema) =>
      object({ items: { type: 'array', items: object({ plan: inner }) } })
    const [difference] = compareSchemas(nested(text), nested(nothing), 'response', '`response`')
    expect(difference).toEqual({ kind: 'breaking', text: '`response.items[].plan` may be null' })
  })
})

const base: ApiRecord = {
  version: '1.0.0',
  operations: {
    'GET /a': {
      operationId: 'a-get',
      scopes: ['a:read'],
      parameters: { 'query limit': { required: false, schema: text } },
      responses: { '200 application/json': object({ id: text }, ['id']) },
    },
    'POST /a': {
      operationId: 'a-create',
      parameters: {},
      body: { required: false, schema: object({ name: text }) },
      responses: { '201 application/json': object({ id: text }, ['id']) },
    },
    'GET /old': {
      operationId: 'old',
      open: true,
      sunset: '2027-01-01',
      parameters: {},
      responses: {},
    },
  },
}
type Changed = Record<string, Partial<ApiRecord['operations'][string]> | null>

/** The sentences of what a change of the base brings, each after its kind. */
function changesOf(changed: Changed, today = '2026-12-01'): string[] {
  const operations: Record<string, ApiRecord['operations'][string]> = { ...base.operations }
  for (const [name, change] of Object.entries(changed)) {
    if (change === null) delete operations[name]
    else
      operations[name] = {
        ...(operations[name] ?? { operationId: 'new', parameters: {}, responses: {} }),
        ...change,
      }
  }
  return compareApis(base, { version: '1.1.0', operations }, today).map(
    ({ kind, sentence }) => `${kind} ${sentence}`,
  )
}

describe('two APIs', () => {
  it.each<[Changed, string[]]>([
    [{}, []],
    [{ 'GET /a': null }, ['breaking `GET /a`: is gone']],
    [{ 'GET /b': {} }, ['added `GET /b`: is new']],
    [{ 'GET /a': { operationId: 'b' } }, ['breaking `GET /a`: has the operationId `b`']],
    [{ 'GET /a': { scopes: ['a:read', 'b:read'] } }, ['breaking `GET /a`: needs the scope b:read']],
    [{ 'GET /a': { scopes: [] } }, []],
    [{ 'POST /a': { scopes: ['a:write'] } }, ['added `POST /a`: accepts service tokens']],
    [
      { 'GET /a': { sunset: '2028-01-01' } },
      ['deprecated `GET /a`: may be gone from 2028-01-01 on'],
    ],
    [
      { 'GET /old': { sunset: '2026-12-24' } },
      ['breaking `GET /old`: may be gone from 2026-12-24 on, not from 2027-01-01 on'],
    ],
    [{ 'GET /a': { parameters: {} } }, ['breaking `GET /a`: `query limit` is no longer accepted']],
    [
      {
        'POST /a': {
          parameters: {
            'header a': { required: true, schema: text },
            'header b': { required: false, schema: text },
          },
        },
      },
      ['breaking `POST /a`: `header a` is required', 'added `POST /a`: `header b` is new'],
    ],
    [
      { 'POST /a': { body: { required: true, schema: object({ name: text, note: text }) } } },
      ['breaking `POST /a`: requires a body', 'added `POST /a`: `body.note` is new'],
    ],
    [
      { 'POST /a': { responses: { '200 application/json': object({ id: text }, ['id']) } } },
      [
        'breaking `POST /a`: no longer returns 201 application/json',
        'added `POST /a`: may return 200 application/json',
      ],
    ],
    [
      { 'GET /a': { responses: { '200 application/json': object({}) } } },
      ['breaking `GET /a`: `response.id` is gone'],
    ],
  ])('%j', (changed, sentences) => {
    expect(changesOf(changed)).toEqual(sentences)
  })

  it('lose an operation only from its sunset on', () => {
    expect(changesOf({ 'GET /old': null }, '2026-12-31')).toEqual(['breaking `GET /old`: is gone'])
    expect(changesOf({ 'GET /old': null }, '2027-01-01')).toEqual([
      'removed `GET /old`: was deprecated until 2027-01-01',
    ])
  })

  it('need a token where none was needed', () => {
    const { open: _, ...closed } = base.operations['GET /old'] ?? expect.fail()
    const operations = { ...base.operations, 'GET /old': closed }
    expect(compareApis(base, { version: '', operations }, '2026-12-01')).toEqual([
      { kind: 'breaking', sentence: '`GET /old`: needs a token' },
    ])
  })
})

describe('the record of the API', () => {
  it('is read as it was written, and equals the document that it is of', () => {
    const record = recordOf(openApiDocument('1.2.3', '/'))
    const read = readRecord(writeRecord(record))
    expect(read).toEqual(JSON.parse(JSON.stringify(record)))
    expect(compareApis(read, record, '2026-12-01')).toEqual([])
    expect(Object.keys(read.operations).length).toBeGreaterThan(300)
  })

  it('finds what changes in the document', () => {
    const document = structuredClone(openApiDocument('1.2.3', '/'))
    const before = recordOf(document)
    const body = document.paths['/tenants']?.post?.requestBody?.content['application/json'].schema
    const { properties } = body as { properties: Record<string, Schema> }
    delete properties.seats
    const found = compareApis(before, recordOf(document), '2026-12-01')
    expect(found).toEqual([
      { kind: 'breaking', sentence: '`POST /tenants`: `body.seats` is no longer accepted' },
    ])
  })

  it('finds what changes in events', () => {
    const document = structuredClone(openApiDocument('1.2.3', '/'))
    const before = recordOf(document)
    const event = document.components.schemas.ListCreatedEvent as unknown as {
      properties: { data: { properties: { details: { properties: Record<string, Schema> } } } }
    }
    const { properties } = event.properties.data.properties.details
    delete properties.recipients
    properties.members = { type: 'integer' }
    const { 'list.removed': _, ...kept } = document.webhooks
    const found = compareApis(before, recordOf({ ...document, webhooks: kept }), '2026-12-01')
    expect(found.filter(({ sentence }) => sentence.startsWith('`EVENT'))).toEqual([
      {
        kind: 'breaking',
        sentence: '`EVENT list.created`: `event.data.details.recipients` is gone',
      },
      { kind: 'added', sentence: '`EVENT list.created`: `event.data.details.members` is new' },
      { kind: 'breaking', sentence: '`EVENT list.removed`: is gone' },
    ])
  })
})

describe('the changelog', () => {
  const changes = [
    { kind: 'breaking', sentence: '`GET /a`: `response.id` is gone' },
    { kind: 'added', sentence: '`GET /b`: is new' },
  ] as const
  const before = '# Changes\n\n## Unreleased\n'
  const later = '\n## 0.9.0 – 2026-01-01\n\n### Breaking\n\n- `GET /z`: is gone\n'

  it('has to name each breaking change, in lines of any width and with more words', () => {
    const listed = `${before}\n### Breaking\n\n- \`GET /a\`: \`response.id\`\n  is gone. Use \`name\`.\n`
    expect(faultsOfChangelog(before + later, changes)).toEqual([
      'breaking change that is not in the changelog: `GET /a`: `response.id` is gone',
    ])
    expect(faultsOfChangelog(listed + later, changes)).toEqual([])
    expect(faultsOfChangelog(listed + later, [])).toEqual([
      'in the changelog, but no breaking change: `GET /a`: `response.id` is gone. Use `name`.',
    ])
  })

  it('gets a section for a release, with what was written and what was not', () => {
    const written = `${before}\n### Added\n\n- \`GET /b\`: is new. It lists the b.\n`
    expect(
      releaseChangelog(written + later, changes, { version: '1.0.0', day: '2026-12-01' }),
    ).toBe(
      `${before}
## 1.0.0 – 2026-12-01

### Breaking

- \`GET /a\`: \`response.id\` is gone

### Added

- \`GET /b\`: is new. It lists the b.
${later}`,
    )
  })

  it('keeps its lines within 100 columns', () => {
    const long = { kind: 'added', sentence: `\`GET /a\`: ${'word '.repeat(40)}end` } as const
    const lines = writeEntries([long]).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(lines.join(' ')).toMatch(/word {3}word|word end/)
  })

  it('rejects a section that it does not know', () => {
    expect(() => faultsOfChangelog(`${before}\n### Other\n`, [])).toThrow('Other')
    expect(() => faultsOfChangelog('# Changes\n', [])).toThrow('Unreleased')
  })
})
