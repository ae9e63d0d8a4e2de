import type { ErrorCode } from '@atrium/core/platform/errors'
import type { ApiDocument, Operation, Schema, Webhook } from '../openapi-document.ts'
import type { Listed } from './sample-request.ts'

interface Searchable {
  /** Method, path, names and scopes, in lower case. */
  words: string
  /** Error codes, which a search has to write in full: parts of them are in most operations. */
  codes: ReadonlySet<string>
}

const known = new WeakMap<Operation, Searchable>()

/** Whether each of the words, in lower case, is found in the operation. */
export function matches(
  document: ApiDocument,
  listed: Listed,
  requested: readonly string[],
): boolean {
  const { words, codes } = searchable(document, listed)
  return requested.every((word) => words.includes(word) || codes.has(word))
}

function searchable(document: ApiDocument, { method, path, operation }: Listed): Searchable {
  const there = known.get(operation)
  if (there) return there
  const { operationId, summary, tags, responses } = operation
  const parts = [method, path, operationId, summary, ...tags, ...scopesOf(operation)]
  const made = {
    words: parts.join(' ').toLowerCase(),
    codes: new Set<string>(
      Object.values(responses).flatMap((response) => codesOf(document, response)),
    ),
  }
  known.set(operation, made)
  return made
}

/** The types of events in whose name or title each of the words is found. */
export function matchingEvents(
  { webhooks }: ApiDocument,
  requested: readonly string[],
): [string, { post: Webhook }][] {
  return Object.entries(webhooks).filter(([type, { post }]) => {
    const words = `${type} ${post.summary}`.toLowerCase()
    return requested.every((word) => words.includes(word))
  })
}

/** The scopes that a service token needs. */
export const scopesOf = ({ security }: Operation): readonly string[] =>
  security.flatMap(({ serviceToken = [] }) => serviceToken)

/** The error codes of a response. */
export function codesOf(
  document: ApiDocument,
  response: Operation['responses'][string],
): ErrorCode[] {
  const named =
    '$ref' in response
      ? document.components.responses[response.$ref.slice('#/components/responses/'.length)]
      : response
  const { allOf = [] } = (named?.content?.['application/problem+json']?.schema ?? {}) as {
    allOf?: Schema[]
  }
  return allOf.flatMap(
    ({ properties }) =>
      ((properties as { code?: { enum: ErrorCode[] } } | undefined)?.code?.enum ??
        []) as ErrorCode[],
  )
}
