import type { components } from './generated/openapi.ts'

/** An error of the API as RFC 9457 problem details. */
export type Problem = components['schemas']['Problem']

/** A response other than success. `problem` is absent when something before the API sent it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly problem: Problem | undefined
  constructor(response: Response, body: unknown) {
    const problem = isProblem(body) ? body : undefined
    super(problem?.detail ?? `The server responded with status ${response.status}.`)
    this.status = response.status
    this.problem = problem
  }

  /** What happened, for programs: a code of `/docs/errors`. */
  get code(): Problem['code'] | undefined {
    return this.problem?.code
  }
}

/** The two forms of a result of the REST client. */
export type Result<Data> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: unknown; response: Response }

/**
 * Returns the data of a response, for callers that prefer exceptions. Throws ApiError for every
 * response other than success.
 */
export async function dataOf<Data>(result: Result<Data> | Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await result
  if (!response.ok) throw new ApiError(response, error)
  return data as Data
}

function isProblem(body: unknown): body is Problem {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    'detail' in body &&
    'requestId' in body
  )
}
