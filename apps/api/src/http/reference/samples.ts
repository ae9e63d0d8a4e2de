import type { Answered, ApiDocument, Operation } from '../openapi-document.ts'
import { commandLine } from './command-line-sample.ts'
import { type Listed, readRequest, type SampleRequest } from './sample-request.ts'

/** The variable that holds the token of a program, also for the command line. */
const tokenVariable = 'ATRIUM_TOKEN'

/** A request in one of the languages that developers use. */
export interface Sample {
  language: string
  text: string
}

/** The same request with curl, the TypeScript client and the command line. */
export function requestSamples(document: ApiDocument, listed: Listed): Sample[] {
  const request = readRequest(document, listed)
  const first = { language: 'curl', text: curl(listed, request) }
  // Directories bring their own client.
  if (listed.operation.tags.includes('scim')) return [first]
  return [
    first,
    { language: 'TypeScript', text: typescript(listed, request) },
    { language: 'Command line', text: commandLine(listed, request) },
  ]
}

function curl(
  { method, path, operation }: Listed,
  { path: inPath, query, header, body }: SampleRequest,
): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(inPath[name])),
  )
  const search = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  )
  const question = search.length > 0 ? `?${search.join('&')}` : ''
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$ATRIUM_URL${address}${question}"`,
  ]
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $ATRIUM_TOKEN"')
  for (const [name, value] of Object.entries(header)) lines.push(`-H "${name}: ${value}"`)
  if (body)
    lines.push(
      '-H "Content-Type: application/json"',
      `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
    )
  return lines.join(' \\\n  ')
}

function typescript(listed: Listed, { path, query, header, body }: SampleRequest): string {
  const { method, operation } = listed
  const params = Object.fromEntries(
    Object.entries({ path, query, header }).filter(([, values]) => Object.keys(values).length > 0),
  )
  const parseAs = readAs(operation)
  const options = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(body && { body }),
    ...(parseAs && { parseAs }),
  }
  const argument = Object.keys(options).length > 0 ? `, ${literal(options, '  ')}` : ''
  const secured = operation.security.length > 0
  const result = Object.keys(operation.responses).includes('204') ? '' : 'const result = '
  return `import { createAtriumClient, dataOf } from '@atrium/client'

const atrium = createAtriumClient({
  url: 'https://api.example.com',${secured ? `\n  token: process.env.${tokenVariable},` : ''}
})
${result}await dataOf(
  atrium.${method}('${listed.path}'${argument}),
)`
}

/** How the client reads a response that is not JSON. */
function readAs({ responses }: Operation): 'text' | 'stream' | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const types = Object.keys((success as Answered | undefined)?.content ?? {})
  if (types.length === 0 || types.includes('application/json')) return undefined
  return types.some((type) => /event-stream|ndjson/.test(type)) ? 'stream' : 'text'
}

/** A value as TypeScript writes it. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((one) => `${inner}${literal(one, inner)},\n`).join('')}${indent}]`
  }
  const fields = Object.entries(value)
  if (fields.length === 0) return '{}'
  const lines = fields.map(([name, one]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    return `${inner}${key}: ${literal(one, inner)},\n`
  })
  return `{\n${lines.join('')}${indent}}`
}
