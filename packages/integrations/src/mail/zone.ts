import type { DnsRecord } from './port.ts'

interface Token {
  text: string
  quoted: boolean
}

/** Types whose last field is a host name. */
const pointing = new Set(['MX', 'SRV', 'CNAME', 'NS', 'PTR'])
const classes = new Set(['IN', 'CH', 'HS'])

/**
 * The records of a zone text (RFC 1035 section 5.1) with absolute names: quoted and escaped text,
 * comments, and records that brackets spread over several lines, as a server writes a TXT of more
 * than 255 bytes. Undefined when the text is no such zone.
 */
export function parseZone(text: string): DnsRecord[] | undefined {
  const entries = entriesOf(text)
  if (!entries) return undefined
  const records: DnsRecord[] = []
  for (const entry of entries) {
    const record = recordOf(entry)
    if (!record) return undefined
    records.push(record)
  }
  return records
}

function recordOf(tokens: readonly Token[]): DnsRecord | undefined {
  const [owner, ...rest] = tokens
  const start = rest.findIndex(
    ({ text, quoted }) => quoted || !(/^\d+$/.test(text) || classes.has(text.toUpperCase())),
  )
  const type = rest[start]
  const fields = rest.slice(start + 1)
  if (
    !owner ||
    owner.quoted ||
    !type ||
    type.quoted ||
    !/^[A-Za-z][A-Za-z0-9]*$/.test(type.text) ||
    fields.length === 0
  )
    return undefined
  const name = owner.text.toLowerCase()
  if (!/^[^.].*\.$/.test(name)) return undefined
  return {
    name: name.slice(0, -1),
    type: type.text.toUpperCase(),
    value: rdata(type.text.toUpperCase(), fields),
  }
}

function rdata(type: string, fields: readonly Token[]): string {
  if (type === 'TXT') return fields.map(({ text }) => text).join('')
  const shown = fields.map(({ text, quoted }) =>
    quoted ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text,
  )
  if (!pointing.has(type)) return shown.join(' ')
  // The root is the name of a null MX (RFC 7505).
  const host = shown.at(-1)?.toLowerCase() ?? ''
  return [...shown.slice(0, -1), host === '.' ? host : host.replace(/\.$/, '')].join(' ')
}

/** The fields of each entry. Undefined when a quote or a bracket stays open. */
function entriesOf(text: string): Token[][] | undefined {
  const entries: Token[][] = []
  let entry: Token[] = []
  let depth = 0
  const lexeme =
    /(?<space>[ \t\r]+)|(?<end>\n)|(?<comment>;[^\n]*)|(?<bracket>[()])|"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>(?:[^\s;()"\\]|\\.)+)/suy
  for (let at = 0; at < text.length; at = lexeme.lastIndex) {
    lexeme.lastIndex = at
    const found = lexeme.exec(text)?.groups
    if (!found) return undefined
    if (found.bracket) depth += found.bracket === '(' ? 1 : -1
    if (depth < 0) return undefined
    if (found.end && depth === 0) {
      if (entry.length > 0) entries.push(entry)
      entry = []
    }
    if (found.quoted !== undefined) entry.push({ text: unescaped(found.quoted), quoted: true })
    if (found.bare) entry.push({ text: unescaped(found.bare), quoted: false })
  }
  if (depth > 0) return undefined
  return entry.length > 0 ? [...entries, entry] : entries
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3}|.)/gsu, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number(escaped)) : escaped,
  )
}
