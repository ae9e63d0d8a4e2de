import { html } from 'hono/html'
import type { ApiDocument, Schema } from '../openapi-document.ts'
import { resolved } from './examples.ts'
import { prose } from './prose.ts'

type Html = ReturnType<typeof html>

/** More values than this are folded up. */
const mostShown = 12

interface Field {
  name: string
  schema: Schema
  required: boolean
  description?: string | undefined
}

/** The fields of an object, one below the other; those of objects inside are folded up. */
export function fieldsOf(document: ApiDocument, schema: Schema): Html {
  const { properties = {}, required = [] } = objectIn(document, schema) as {
    properties?: Record<string, Schema>
    required?: readonly string[]
  }
  return fieldList(
    document,
    Object.entries(properties).map(([name, one]) => ({
      name,
      schema: one,
      required: required.includes(name),
    })),
  )
}

export function fieldList(document: ApiDocument, fields: readonly Field[]): Html {
  return html`<dl class="fields">
    ${fields.map(({ name, schema, required, description }) => {
      const said = description ?? resolved(document, schema).description
      return html`<div>
        <dt><code>${name}</code> <span class="type">${typeOf(document, schema)}</span>${required ? html` <span class="required">required</span>` : ''}${resolved(document, schema).deprecated ? html` <strong class="deprecated">Deprecated</strong>` : ''}</dt>
        <dd>
          ${typeof said === 'string' ? html`<p>${prose(said)}</p>` : ''}
          ${limitsOf(document, schema)}
          ${innerOf(document, schema)}
        </dd>
      </div>`
    })}
  </dl>`
}

/** The object that a schema is, or that one of its alternatives is. */
function objectIn(document: ApiDocument, provided: Schema): Schema {
  const schema = resolved(document, provided)
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  const [object] = (options ?? [])
    .map((one) => resolved(document, one))
    .filter((one) => one.properties)
  if (object && !schema.properties) return object
  return schema
}

function innerOf(document: ApiDocument, provided: Schema): Html | '' {
  const schema = resolved(document, provided)
  const options = ((schema.anyOf ?? schema.oneOf) as Schema[] | undefined)?.map((one) =>
    resolved(document, one),
  )
  for (const one of options ?? [schema]) {
    const inner = one.type === 'array' && one.items ? resolved(document, one.items as Schema) : one
    const object = objectIn(document, inner)
    if (!object.properties) continue
    const count = Object.keys(object.properties).length
    return html`<details>
      <summary>${count} ${count === 1 ? 'field' : 'fields'}</summary>
      ${fieldsOf(document, object)}
    </details>`
  }
  return ''
}

function typeOf(document: ApiDocument, provided: Schema): string {
  const schema = resolved(document, provided)
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (options) return [...new Set(options.map((one) => typeOf(document, one)))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = (
    Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.enum ? 'string' : 'any')]
  ) as string[]
  return types.map((type) => oneType(document, type, schema)).join(' or ')
}

function oneType(document: ApiDocument, type: string, schema: Schema): string {
  if (type === 'array')
    return schema.items ? `array of ${typeOf(document, schema.items as Schema)}` : 'array'
  if (type !== 'string') return type
  const names: Readonly<Record<string, string>> = {
    uuid: 'UUID',
    'date-time': 'time',
    date: 'date',
    uri: 'URL',
    email: 'e-mail address',
  }
  return names[String(schema.format)] ?? (schema.enum ? 'enum' : 'string')
}

/** What values a field takes, in a line: lengths, bounds, choices. */
function limitsOf(document: ApiDocument, provided: Schema): Html | '' {
  const schema = resolved(document, provided)
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  const inner = options?.map((one) => resolved(document, one)).find((one) => one.type !== 'null')
  if (options) return inner ? limitsOf(document, inner) : ''
  const said = [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'items'),
    range(schema.minimum, schema.maximum, ''),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter((part) => part !== '')
  const values = (schema.enum ?? []) as unknown[]
  const list = html`${values.map((value, at) => html`${at === 0 ? '' : ' '}<code>${String(value)}</code>`)}`
  const choices =
    values.length <= mostShown
      ? list
      : html`<details><summary>${values.length} values</summary>${list}</details>`
  return html`${said.length > 0 ? html`<p class="limits">${said.join(', ')}</p>` : ''}${values.length > 0 ? html`<div class="limits">${choices}</div>` : ''}`
}

/** Bounds that every number has say nothing. */
function range(least: unknown, most: unknown, unit: string): string {
  const [min, max] = [least, most].map((bound) =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined,
  )
  const behind = unit === '' ? '' : ` ${unit}`
  if (min !== undefined && max !== undefined)
    return min === max ? `exactly ${min}${behind}` : `${min} to ${max}${behind}`
  if (max !== undefined) return `at most ${max}${behind}`
  return min === undefined || (min === 0 && unit !== '') ? '' : `at least ${min}${behind}`
}
