import { join } from 'node:path'
import { openApiDocument } from '@atrium/api/http/openapi'
import { appRouter } from '@atrium/api/router'
import { proceduresOf } from '@atrium/api/rpc/procedure'
import { version } from '@atrium/core/platform/version'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { writeWhole } from './publish.ts'

const folder = join(import.meta.dirname, '../src/generated')
const kinds = {
  query: 'TRPCQueryProcedure',
  mutation: 'TRPCMutationProcedure',
} as const

/**
 * Writes the types of the client: those of the REST operations from the OpenAPI document, and those
 * of the tRPC router, which name the former. They are not versioned: every change of a procedure
 * would change them.
 */
export async function generateTypes(): Promise<void> {
  const document = openApiDocument(version, '/')
  const described = JSON.stringify(withoutAlternatives(document))
  const nodes = await openapiTypescript(described, { silent: true })
  await writeWhole(join(folder, 'openapi.ts'), astToString(nodes))
  await writeWhole(join(folder, 'router.ts'), routerTypes())
}

/**
 * A copy without the alternatives that stand beside a type. They say which fields go together or
 * which formats a text has; the generator takes each for a type of its own, of which anything would
 * be one.
 */
function withoutAlternatives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAlternatives)
  if (typeof value !== 'object' || value === null) return value
  const { anyOf, oneOf, ...fields } = value as Record<string, unknown>
  const kept = 'type' in value ? fields : value
  return Object.fromEntries(
    Object.entries(kept).map(([key, inner]) => [key, withoutAlternatives(inner)]),
  )
}

type Tree = Map<string, Tree | string>

function routerTypes(): string {
  const tree: Tree = new Map()
  for (const [name, { _def }] of Object.entries(proceduresOf(appRouter))) {
    // The browser's client of subscriptions cannot send a token.
    if (_def.type === 'subscription') continue
    const path = name.split('.')
    const last = path.pop() ?? name
    let branch = tree
    for (const part of path) {
      const found = branch.get(part)
      const next: Tree = found instanceof Map ? found : new Map()
      branch.set(part, next)
      branch = next
    }
    const operation = `'${name.replaceAll('.', '-')}'`
    const output = _def.meta?.export
      ? 'AsyncIterable<string>'
      : _def.meta?.file
        ? 'FileOutput'
        : `OutputOf<${operation}>`
    branch.set(
      last,
      `${kinds[_def.type]}<{ input: InputOf<${operation}>; output: ${output}; meta: unknown }>`,
    )
  }
  return `import type {
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from '@trpc/server'
import type { ErrorShape, FileOutput, InputOf, OutputOf } from '../operation-types.ts'

/** Every procedure of the API. */
export type AtriumRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: true },
  ${written(tree)}
>
`
}

function written(tree: Tree): string {
  const fields = [...tree].map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : written(value)}`,
  )
  return `{\n${fields.join('\n')}\n}`
}
