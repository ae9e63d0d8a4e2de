import { openApiDocument } from '@atrium/api/http/openapi'
import type { ApiDocument } from '@atrium/api/http/openapi-document'
import { withScim } from '@atrium/api/http/openapi-scim'

interface Described {
  matches: RegExp
  statuses: ReadonlyMap<string, ReadonlySet<string>>
}
let document: ApiDocument | undefined
let operations: Described[] | undefined

/** The API description. Created with the first call, once per process. */
export function apiDescription(): ApiDocument {
  document ??= openApiDocument('0.0.0', '/')
  return document
}

/** The statuses in the API description. */
function described(): Described[] {
  operations ??= Object.entries(withScim(apiDescription()).paths)
    // The me of /users/me is not taken for an id.
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
    .map(([path, item]) => ({
      matches: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      statuses: new Map(
        Object.entries(item).map(([method, { responses }]) => [
          method.toUpperCase(),
          new Set(Object.keys(responses)),
        ]),
      ),
    }))
  return operations
}

/**
 * Describes a response whose status the API description does not name for its operation; undefined
 * when it is no operation.
 */
export function undocumented(method: string, url: string, status: number): string | undefined {
  const path = new URL(url).pathname
  const named = described()
    .find(({ matches }) => matches.test(path))
    ?.statuses.get(method)
  return named && !named.has(String(status)) ? `${status} to ${method} ${path}` : undefined
}
