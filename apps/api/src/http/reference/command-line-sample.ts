import type { Listed, SampleRequest } from './sample-request.ts'

const kebab = (name: string) => name.replaceAll(/([A-Z])/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * The request as a command of `atrium`: that of its procedure, or `atrium api` where only a
 * person's token is accepted.
 */
export function commandLine(listed: Listed, request: SampleRequest): string {
  const { path, operation } = listed
  const { query, body } = request
  if (operation.operationId === 'events-stream') return 'atrium events tail'
  if (!operation.security.some((one) => 'serviceToken' in one)) return apiCommand(listed, request)
  const owner = /^\/(?:api\/v1\/)?(tenant|partner)s\/\{slug\}/.exec(path)?.[1]
  const own = Object.entries(request.path).filter(([name]) => !owner || name !== 'slug')
  const command = operation.operationId.split('-').map(kebab).join(' ')
  const fields = Object.entries({ ...query, ...body })
  const plain = fields.every(([, value]) => [value].flat().every(isPlain))
  return [
    ['atrium', command, ...own.map(([, value]) => quoted(value))].join(' '),
    ...(owner ? [`--${owner} ${quoted(request.path.slug)}`] : []),
    ...(plain ? fields.map(option) : [`--input ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

function apiCommand({ method, path }: Listed, request: SampleRequest): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(request.path[name])),
  )
  const query = new URLSearchParams(
    Object.entries(request.query).map(([name, value]) => [name, String(value)]),
  ).toString()
  const target = quoted(query === '' ? address : `${address}?${query}`)
  const data = request.body ? ` \\\n  --data ${quoted(JSON.stringify(request.body))}` : ''
  return `atrium api ${method} ${target}${data}`
}

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

function option([name, value]: [string, unknown]): string {
  if (typeof value === 'boolean') return `--${value ? '' : 'no-'}${kebab(name)}`
  return `--${kebab(name)} ${[value].flat().map(quoted).join(' ')}`
}

/** A value as a shell takes it. */
function quoted(value: unknown): string {
  const text = String(value)
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
