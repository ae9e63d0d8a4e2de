/** Anything a property list of ours may hold. */
export type PropertyValue =
  | string
  | number
  | boolean
  | PropertyValue[]
  | { [key: string]: PropertyValue }

const token =
  /<(\/?)(plist version="1\.0"|plist|dict|array|key|string|integer)>|<(true|false)\/>|([^<]+)/y
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' }

/**
 * Reads a property list strictly (Apple's PropertyList-1.0 DTD, as far as profiles use it). Throws
 * at anything that is no such thing.
 */
export function readPropertyList(xml: string): PropertyValue {
  const start = xml.indexOf('<plist')
  if (
    !/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!DOCTYPE plist [^>[\]]*>\n$/.test(
      xml.slice(0, start),
    )
  )
    throw new Error('another prologue')
  token.lastIndex = start
  const tokens: { kind: string; text: string }[] = []
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex
    const match = token.exec(xml)
    if (!match) throw new Error(`unreadable at ${JSON.stringify(xml.slice(at, at + 40))}`)
    const [, close = '', name, flag, text] = match
    if (name !== undefined) tokens.push({ kind: `${close}${name.split(' ')[0]}`, text: '' })
    else if (flag !== undefined) tokens.push({ kind: flag, text: '' })
    else tokens.push({ kind: 'text', text: text ?? '' })
  }
  const reader = { tokens, at: 0 }
  expectKind(reader, 'plist')
  const value = readValue(reader)
  expectKind(reader, '/plist')
  skipBlank(reader)
  if (reader.at !== tokens.length) throw new Error('more behind the end')
  return value
}

interface Reader {
  tokens: readonly { kind: string; text: string }[]
  at: number
}

function skipBlank(reader: Reader): void {
  const next = reader.tokens[reader.at]
  if (next?.kind === 'text' && next.text.trim() === '') reader.at += 1
}

function expectKind(reader: Reader, kind: string): void {
  skipBlank(reader)
  const next = reader.tokens[reader.at++]
  if (next?.kind !== kind) throw new Error(`${next?.kind ?? 'the end'} in the place of ${kind}`)
}

function readText(reader: Reader, name: string): string {
  const next = reader.tokens[reader.at]
  const text = next?.kind === 'text' ? next.text : ''
  if (next?.kind === 'text') reader.at += 1
  if (reader.tokens[reader.at++]?.kind !== `/${name}`) throw new Error(`${name} does not end`)
  return text.replace(/&(\w*);?/g, (all, entity: string) => {
    const character = all.endsWith(';') ? entities[entity] : undefined
    if (character === undefined) throw new Error(`${all} is no entity`)
    return character
  })
}

function readValue(reader: Reader): PropertyValue {
  skipBlank(reader)
  const { kind } = reader.tokens[reader.at++] ?? { kind: 'the end' }
  if (kind === 'true' || kind === 'false') return kind === 'true'
  if (kind === 'string') return readText(reader, 'string')
  if (kind === 'integer') return Number(readText(reader, 'integer'))
  if (kind === 'array') {
    const list: PropertyValue[] = []
    for (skipBlank(reader); reader.tokens[reader.at]?.kind !== '/array'; skipBlank(reader))
      list.push(readValue(reader))
    reader.at += 1
    return list
  }
  if (kind !== 'dict') throw new Error(`${kind} is no value`)
  const fields: [string, PropertyValue][] = []
  for (skipBlank(reader); reader.tokens[reader.at]?.kind !== '/dict'; skipBlank(reader)) {
    expectKind(reader, 'key')
    fields.push([readText(reader, 'key'), readValue(reader)])
  }
  reader.at += 1
  if (new Set(fields.map(([key]) => key)).size !== fields.length) throw new Error('a key twice')
  return Object.fromEntries(fields)
}
