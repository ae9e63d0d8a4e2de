import type { ApiDocument, Schema } from '../openapi-document.ts'

type Value = null | boolean | number | string | readonly Value[] | { [name: string]: Value }

/** Examples deeper than this would hide what matters. */
const deepest = 8

const byName: Readonly<Record<string, string>> = {
  slug: 'acme',
  tenantSlug: 'acme',
  partnerSlug: 'north',
  tenant: 'acme',
  partner: 'north',
  hostSlug: 'anna',
  eventSlug: 'intro-call',
  email: 'anna@example.com',
  name: 'Anna Example',
  firstName: 'Anna',
  lastName: 'Example',
  domain: 'example.com',
  phone: '+49 30 1234567',
  currency: 'eur',
  country: 'DE',
  timeZone: 'Europe/Berlin',
  zone: 'Europe/Berlin',
  month: '2026-01',
  address: 'sales@example.com',
  reason: 'Agreed with the customer',
  url: 'https://hooks.example.com/atrium',
  from: '2026-01-31T00:00:00Z',
  to: '2026-02-28T00:00:00Z',
  paymentMethodId: 'pm_1QxYzExample',
  leaveOut: 'eur',
  cursor: '0197f7a4-2c1e-7000-8000-000000000001',
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: '0197f7a4-2c1e-7000-8000-000000000001',
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  uri: 'https://example.com',
  email: 'anna@example.com',
}

/** The part of a document that schemas point to. */
type WithSchemas = { components: Pick<ApiDocument['components'], 'schemas'> }

/** What a schema points to, with what it says beside, where it is a reference to a component. */
export function resolved(document: WithSchemas, schema: Schema): Schema {
  const { $ref, ...beside } = schema
  if (typeof $ref !== 'string') return schema
  const component = document.components.schemas[$ref.slice('#/components/schemas/'.length)]
  return { ...component, ...beside }
}

/**
 * A value that fits the schema as far as a reader needs. `name` is that of the field, which says
 * more than its type.
 */
export function exampleOf(document: WithSchemas, provided: Schema, name = '', depth = 0): Value {
  const schema = resolved(document, provided) as {
    [keyword: string]: unknown
    enum?: Value[]
    examples?: Value[]
    anyOf?: Schema[]
    oneOf?: Schema[]
    allOf?: Schema[]
    prefixItems?: Schema[]
    properties?: Record<string, Schema>
  }
  if (schema.examples) return schema.examples[0] ?? null
  if (schema.const !== undefined) return schema.const as Value
  if (schema.default !== undefined) return schema.default as Value
  if (schema.enum)
    return schema.enum.includes(byName[name] ?? '')
      ? (byName[name] as Value)
      : (schema.enum[0] ?? null)
  // Beside properties the alternatives only say which fields have to be there.
  const options = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf)
  if (options) {
    const best = options.find((one) => resolved(document, one).type !== 'null')
    return best ? exampleOf(document, best, name, depth) : null
  }
  if (schema.allOf) {
    const parts = schema.allOf.map((one) => exampleOf(document, one, name, depth))
    return Object.assign({}, ...parts)
  }
  if (schema.type === 'null') return null
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  const type = types.find((one) => one !== 'null')
  if (schema.properties) {
    if (depth === deepest) return {}
    const left = otherThanFirst(schema.oneOf ?? [])
    const fields = Object.entries(schema.properties).filter(([field]) => !left.has(field))
    return Object.fromEntries(
      fields.map(([field, inner]) => [field, exampleOf(document, inner, field, depth + 1)]),
    )
  }
  if (type === 'array') {
    if (schema.prefixItems)
      return schema.prefixItems.map((one) => exampleOf(document, one, name, depth + 1))
    if (depth === deepest || !schema.items) return []
    const item = exampleOf(document, schema.items as Schema, name.replace(/s$/, ''), depth + 1)
    return Array.from({ length: Math.max(Number(schema.minItems ?? 1), 1) }, () => item)
  }
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(Number(schema.minimum ?? 0), 0) || 1
  if (type === 'string') return byFormat[String(schema.format)] ?? byName[name] ?? 'text'
  return type === undefined ? (byName[name] ?? null) : {}
}

/** The fields that only later alternatives of a schema need. */
function otherThanFirst(options: readonly Schema[]): Set<string> {
  const [first = [], ...others] = options.map(({ required }) => (required ?? []) as string[])
  return new Set(others.flat().filter((field) => !first.includes(field)))
}
