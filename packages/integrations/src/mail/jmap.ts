import { ownValue } from '@atrium/core/platform/own-value'
import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import type { UpstreamError, UpstreamErrorKind } from '../upstream-error.ts'

/** One method call: name, arguments, call id. */
export type Invocation = readonly [name: string, args: Record<string, unknown>, callId: string]

const Response = z.object({
  methodResponses: z.array(z.tuple([z.string(), z.unknown(), z.string()])),
})
const MethodError = z.object({ type: z.string() })
const Problem = z.object({ type: z.string() })

/**
 * An object that a `/set` rejected. Its description may quote what was sent: `stalwart-rights.ts`
 * alone reads it, for names of permissions.
 */
export const SetError = z.object({
  type: z.string(),
  properties: z.array(z.string()).nullish(),
  /** Never shown as it is. */
  description: z.string().nullish(),
  /** What keeps an object from being destroyed: complete, each once. */
  linkedObjects: z.array(z.object({ object: z.string(), id: z.string().min(1) })).nullish(),
})
export type SetError = z.infer<typeof SetError>

/**
 * A list as the server writes it, `{"0": …, "1": …}`, as pairs of index and entry. Indices are
 * validated as values, because the error path of an invalid shape contains the keys.
 */
export function numberedList<Entry>(entry: z.ZodType<Entry>) {
  return z
    .record(z.string(), z.unknown())
    .transform((list) => Object.entries(list))
    .pipe(z.array(z.tuple([z.string().regex(/^\d{1,10}$/), entry])))
}

const using = ['urn:ietf:params:jmap:core', 'urn:stalwart:jmap']
export const principals = 'urn:ietf:params:jmap:principals'

const methodErrors: Record<string, UpstreamErrorKind> = {
  forbidden: 'unauthorized',
  accountNotFound: 'not_found',
  // Stalwart's word for every internal error, a lost write race included.
  serverUnavailable: 'server',
  serverPartialFail: 'server',
  serverFail: 'server',
}

const setErrors: Record<string, UpstreamErrorKind> = {
  primaryKeyViolation: 'conflict',
  objectIsLinked: 'conflict',
  forbidden: 'unauthorized',
  notFound: 'not_found',
}

export interface JmapRequest<T> {
  calls: readonly Invocation[]
  repeatable: boolean
  /** Capabilities beside those of management. */
  using?: readonly string[] | undefined
  /**
   * The server's names of the permissions that the calls need, reported when it returns
   * `forbidden`.
   */
  rights?: readonly string[] | undefined
  /** Takes the results in the order of the calls. */
  read: (results: unknown[]) => T
}

/**
 * Runs management calls in one JMAP request. Any method error fails the whole request. The path is
 * fixed on the configured origin: `apiUrl` of the session names the server's own idea of its
 * address.
 */
export function jmap<T>(
  operation: Operation,
  client: HttpClient,
  request: JmapRequest<T>,
): Promise<T> {
  return client.send(operation, {
    label: request.calls.map(([name]) => name).join(' + '),
    method: 'POST',
    path: 'jmap',
    body: { using: [...using, ...(request.using ?? [])], methodCalls: request.calls },
    repeatable: request.repeatable,
    accept: [200, 400],
    read: ({ status, json }) => {
      if (status === 400) throw requestError(operation, json)
      const { methodResponses } = Response.parse(json)
      const results = request.calls.map(([name, , callId]) => {
        const found = methodResponses.find((response) => response[2] === callId)
        if (found?.[0] === 'error') throw methodError(operation, found[1], request.rights)
        if (found?.[0] !== name)
          throw operation.fail('invalid_answer', { status, note: 'a method result is missing' })
        return found[1]
      })
      return request.read(results)
    },
  })
}

/** The failure behind an object that a `/set` rejected. */
export function setFailure(operation: Operation, error: SetError): UpstreamError {
  return operation.fail(ownValue(setErrors, error.type) ?? 'refused', {
    status: 200,
    note: reason(error),
  })
}

function reason({ type, properties }: SetError): string | undefined {
  if (type === 'invalidProperties' && properties?.includes('secret'))
    return 'the password does not meet its rules'
  if (type === 'invalidForeignKey') return 'the domain is not there'
  return safeType(type)
}

/**
 * `limit` is how Stalwart says that too many requests are in flight. The detail of `notRequest`
 * quotes the request: never read.
 */
function requestError(operation: Operation, json: unknown): UpstreamError {
  const type = Problem.safeParse(json).data?.type
  return type === 'urn:ietf:params:jmap:error:limit'
    ? operation.fail('rate_limited', { status: 400 })
    : operation.fail('refused', { status: 400 })
}

function methodError(
  operation: Operation,
  args: unknown,
  rights: readonly string[] = [],
): UpstreamError {
  const { type } = MethodError.parse(args)
  const note =
    type === 'forbidden' && rights.length > 0
      ? `the key needs ${rights.join(' and ')}`
      : safeType(type)
  return operation.fail(ownValue(methodErrors, type) ?? 'refused', { status: 200, note })
}

const knownTypes = new Set([
  ...Object.keys(methodErrors),
  ...Object.keys(setErrors),
  'invalidArguments',
  'unknownMethod',
  'requestTooLarge',
  'unsupportedFilter',
  'validationFailed',
  'invalidPatch',
  'invalidProperties',
  'overQuota',
])

/** The error type as a note, when it is one that the protocol has. */
function safeType(type: string): string | undefined {
  return knownTypes.has(type) ? type : undefined
}
