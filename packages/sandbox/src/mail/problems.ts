import { STATUS_CODES } from 'node:http'
import type { FaultResponse } from '../system.ts'

interface Problem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const contentType = { 'content-type': 'application/problem+json' }

function blank(
  status: number,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Problem {
  return {
    status,
    headers: { ...contentType, ...headers },
    body: JSON.stringify({ type: 'about:blank', status, title, detail }),
  }
}

function jmap(
  type: string,
  detail: string,
  limit?: string,
  headers: Readonly<Record<string, string>> = {},
): Problem {
  const body = {
    type: `urn:ietf:params:jmap:error:${type}`,
    status: 400,
    detail,
    ...(limit !== undefined && { limit }),
  }
  return { status: 400, headers: { ...contentType, ...headers }, body: JSON.stringify(body) }
}

const limitDetails: Readonly<Record<string, string>> = {
  maxSizeRequest: 'The request is larger than the server is willing to process.',
  maxCallsInRequest: 'The request exceeds the maximum number of calls in a single request.',
  maxConcurrentRequests: 'The request exceeds the maximum number of concurrent requests.',
}

/** Responses to requests that fail as a whole, worded as Stalwart 0.16.18 words them. */
export const problems = {
  notFound: () => blank(404, 'Not Found', 'The requested resource does not exist on this server.'),
  unauthorized: () => blank(401, 'Unauthorized', 'You have to authenticate first.'),
  forbidden: () =>
    blank(403, 'Forbidden', 'You do not have enough permissions to access this resource.'),
  codeRequired: () =>
    blank(
      402,
      'TOTP code required',
      "A TOTP code is required to authenticate this account. Try authenticating again using 'secret$totp_code'.",
    ),
  notJson: () =>
    jmap('notJSON', 'Failed to parse JSON: The Content-Type header must be application/json.'),
  /** The detail is the body that came in, secrets and all. */
  notRequest: (body: string) => jmap('notRequest', body),
  limit: (limit: 'maxSizeRequest' | 'maxCallsInRequest' | 'maxConcurrentRequests') => {
    const headers =
      limit === 'maxConcurrentRequests'
        ? {
            'ratelimit-policy': '"concurrent-requests";q=4;qu="concurrent-requests"',
            ratelimit: '"concurrent-requests";r=0',
          }
        : {}
    return jmap('limit', limitDetails[limit] ?? '', limit, headers)
  },
  tooManyRequests: (requests: number, windowSeconds: number, resetSeconds: number) =>
    blank(
      429,
      'Too Many Requests',
      'Your request has been rate limited. Please try again in a few seconds.',
      {
        'retry-after': String(resetSeconds),
        'ratelimit-policy': `"requests";q=${requests};w=${windowSeconds}`,
        ratelimit: `"requests";r=0;t=${resetSeconds}`,
      },
    ),
  internalError: () =>
    blank(
      500,
      'Internal Server Error',
      'There was a problem while processing your request. Please contact the system administrator if this problem persists.',
    ),
  /** Health probes return their status in this shape, 200 included. */
  status: (status: number) => {
    const reason = STATUS_CODES[status] ?? 'Unknown'
    return blank(status, reason, reason)
  },
}

/** The `WWW-Authenticate` values of a 401. */
export const challenges = [
  'Bearer realm="Stalwart Server", resource_metadata="/.well-known/oauth-protected-resource"',
  'Basic realm="Stalwart Server"',
]

/** The body that the server sends with a status that a fault asks for. */
export function faultResponse(status: number): FaultResponse {
  const { headers, body } = faultProblem(status)
  return { headers, body }
}

function faultProblem(status: number): Problem {
  switch (status) {
    case 401: {
      const problem = problems.unauthorized()
      return {
        ...problem,
        headers: { ...problem.headers, 'www-authenticate': challenges.join(', ') },
      }
    }
    case 403:
      return problems.forbidden()
    case 404:
      return problems.notFound()
    case 429:
      return problems.tooManyRequests(1_000, 60, 2)
    case 500:
      return problems.internalError()
    case 503:
      return blank(
        503,
        'Temporarily Unavailable',
        'There was a temporary problem while processing your request. Please try again in a few moments.',
      )
    default:
      return problems.status(status)
  }
}
