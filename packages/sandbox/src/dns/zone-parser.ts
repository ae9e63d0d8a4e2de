/**
 * A record as the zones hold it: name lower-case without the dot at the end; a TXT joined from its
 * pieces.
 */
export interface ZoneRecord {
  readonly name: string
  readonly type: string
  readonly value: string
}

/** A line that cannot be read; the message is for people. */
export class ZoneFault extends Error {}

interface Token {
  text: string
  quoted: boolean
}

/**
 * Reads zone text (RFC 1035 section 5.1): `name [ttl] [IN] TYPE data`, brackets over several lines,
 * quoted pieces, comments, `@`, `$ORIGIN`, `$TTL`, a blank instead of the name of the line before.
 * Names without a dot at the end are below `origin`. Throws ZoneFault.
 */
export function parseZone(text: string, origin: string): ZoneRecord[] {
  const records: ZoneRecord[] = []
  let base = origin.toLowerCase().replace(/\.$/, '')
  let last = base
  for (const { tokens, indented } of logicalLines(text)) {
    const [first, second] = tokens
    if (!first) continue
    if (first.text === '$ORIGIN') {
      base = absolute(second?.text ?? '', base)
      continue
    }
    if (first.text.startsWith('$')) continue
    const rest = indented ? tokens : tokens.slice(1)
    if (!indented) last = absolute(first.text, base)
    const data = rest.slice(
      rest.findIndex(({ text: one }, index) => index === 2 || !/^(\d+[smhdw]?|in)$/i.test(one)),
    )
    const type = data[0]?.text.toUpperCase()
    if (type === undefined || rest.length === 0) throw new ZoneFault(`“${first.text}” has no type.`)
    records.push({ name: last, type, value: dataOf(type, data.slice(1), base) })
  }
  return records
}

function absolute(name: string, origin: string): string {
  const lower = name.toLowerCase()
  if (lower === '@') return origin
  return lower.endsWith('.') ? lower.slice(0, -1) : `${lower}.${origin}`
}

/** Where the last part of the value is a name. */
const endsInName = new Set(['CNAME', 'MX', 'NS', 'SRV'])

function dataOf(type: string, data: readonly Token[], origin: string): string {
  if (data.length === 0) throw new ZoneFault(`A ${type} record has no value.`)
  if (type === 'TXT') return data.map(({ text }) => text).join('')
  const parts = data.map(({ text, quoted }) => (quoted ? `"${text}"` : text))
  const name = parts.at(-1)
  if (endsInName.has(type) && name !== undefined && name !== '.')
    parts[parts.length - 1] = absolute(name, origin)
  return parts.join(' ')
}

/** The lines of the text, brackets joined and comments dropped. */
function logicalLines(text: string): { tokens: Token[]; indented: boolean }[] {
  const lines: { tokens: Token[]; indented: boolean }[] = []
  let tokens: Token[] = []
  let indented = false
  let depth = 0
  for (const line of text.split(/\r?\n/)) {
    if (depth === 0) indented = /^\s/.test(line)
    for (const match of line.matchAll(/"((?:[^"\\]|\\.)*)"|;.*|([()])|([^\s();"]+)|"/g)) {
      const [whole, quoted, bracket, plain] = match
      if (quoted !== undefined) tokens.push({ text: unescaped(quoted), quoted: true })
      else if (bracket === '(') depth += 1
      else if (bracket === ')') depth -= 1
      else if (plain !== undefined) tokens.push({ text: plain, quoted: false })
      else if (!whole.startsWith(';')) throw new ZoneFault(`“${line}” cannot be read.`)
    }
    if (depth < 0) throw new ZoneFault(`“${line}” closes a bracket that is not open.`)
    if (depth > 0) continue
    lines.push({ tokens, indented })
    tokens = []
  }
  if (depth > 0) throw new ZoneFault('A bracket is not closed.')
  return lines
}

/** `\"`, `\\`, and `\DDD` for a byte. */
function unescaped(text: string): string {
  return text.replace(/\\(\d{3}|.)/g, (_, escaped: string) =>
    /^\d{3}$/.test(escaped) ? String.fromCharCode(Number(escaped)) : escaped,
  )
}
