import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseDocument,
  type Node as YamlNode,
} from 'yaml'
import { newRow, pkOf, rowsOf } from './blueprint-models.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { Store } from './records.ts'

/** Why a blueprint cannot be applied, as authentik's importer logs it. */
export class BlueprintFault extends Error {}

interface Reading {
  readonly store: Store
  readonly document: Document.Parsed<ParsedNode>
  readonly context: Readonly<Record<string, Json>>
  /** Keys of the entries that have an id. */
  readonly ids: Map<string, Json>
}

/**
 * Applies the part of authentik's blueprints that ours uses: entries in the state `present`, with
 * `!KeyOf`, `!Find`, `!Context` and `!Format`. All or nothing: the caller gives a copy of the
 * records. Throws BlueprintFault.
 */
export function applyEntries(
  store: Store,
  content: string,
  context: Readonly<Record<string, Json>>,
): void {
  const document = parseDocument(content)
  const [fault] = document.errors
  if (fault) throw new BlueprintFault(`The blueprint is not YAML: ${fault.message}`)
  const root = document.contents
  if (!isMap(root) || document.get('version') !== 1) throw new BlueprintFault('Invalid version')
  const entries = root.get('entries')
  if (!isSeq(entries)) throw new BlueprintFault('The blueprint has no entries')
  const reading = { store, document, context, ids: new Map<string, Json>() }
  for (const entry of entries.items) applyEntry(reading, read(reading, entry as YamlNode))
}

function applyEntry(reading: Reading, entry: Json): void {
  if (!isObject(entry) || typeof entry.model !== 'string')
    throw new BlueprintFault('Invalid entry: it has no model')
  const { model } = entry
  const identifiers = objectOf(entry.identifiers)
  const attrs = objectOf(entry.attrs)
  for (const [name, value] of Object.entries({ ...identifiers, ...attrs }))
    if (value === null || (Array.isArray(value) && value.includes(null)))
      throw new BlueprintFault(`Entry invalid: ${model}: ${name}: This field may not be null.`)
  // Its serializer asks for them in every change.
  if (model === 'authentik_stages_identification.identificationstage' && !attrs.user_fields)
    throw new BlueprintFault(`Entry invalid: ${model}: no user fields are selected`)
  const rows = rowsOf(reading.store, model)
  const found = rows.find((row) =>
    Object.entries(identifiers).every(([name, value]) => row[name] === value),
  )
  if (found) Object.assign(found, attrs)
  const row = found ?? newRow(reading.store, model, { ...identifiers, ...attrs })
  if (typeof entry.id === 'string') reading.ids.set(entry.id, pkOf(row))
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {})

/** The value of a node with its tags resolved. */
function read(reading: Reading, node: YamlNode | null): Json {
  if (node === null) return null
  if (isAlias(node)) return read(reading, node.resolve(reading.document) ?? null)
  if (isScalar(node)) {
    if (node.tag !== '!KeyOf') return node.value as Json
    const key = reading.ids.get(String(node.value))
    if (key === undefined) throw new BlueprintFault(`KeyOf: failed to find entry ${node.value}`)
    return key
  }
  if (isSeq(node)) {
    const items = node.items.map((item) => read(reading, item as YamlNode))
    return node.tag?.startsWith('!') ? tagged(reading, node.tag, items) : items
  }
  if (!isMap(node)) return null
  return Object.fromEntries(
    node.items.map(({ key, value }) => [
      isScalar(key) ? String(key.value) : '',
      read(reading, value as YamlNode),
    ]),
  )
}

function tagged({ store, context }: Reading, tag: string, [first, ...rest]: Json[]): Json {
  switch (tag) {
    case '!Context':
      return context[String(first)] ?? rest[0] ?? null
    case '!Format': {
      const values = [...rest]
      return String(first).replaceAll('%s', () => String(values.shift() ?? ''))
    }
    case '!Find': {
      const conditions = rest.filter(Array.isArray)
      const found = rowsOf(store, String(first)).find((row) =>
        conditions.every(([name, value]) => row[String(name)] === value),
      )
      return found ? pkOf(found) : null
    }
    default:
      throw new BlueprintFault(`The tag ${tag} is not known here`)
  }
}
