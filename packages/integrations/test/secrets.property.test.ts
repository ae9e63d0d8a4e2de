import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CallReport } from '../src/call-policy.ts'
import { UpstreamError } from '../src/upstream-error.ts'
import { clients, credentialCanary } from './clients.ts'

const canary = 'ANSWER-CANARY-7e21'
const hidden = [
  canary,
  credentialCanary,
  Buffer.from(`atrium:${credentialCanary}`).toString('base64'),
]

/**
 * JSON in which the canary stands as value and as key, loose and inside the shapes that the three
 * APIs answer with.
 */
const poisoned = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constant(canary),
    fc.json().map((text) => JSON.parse(text)),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom(
        canary,
        'results',
        'pk',
        'name',
        'value',
        'id',
        'type',
        'detail',
        'methodResponses',
        'list',
        'pagination',
        'permissions',
      ),
      tie('node'),
      { maxKeys: 5 },
    ),
    tie('node').map((node) => ({ results: [node], pagination: { next: node } })),
    tie('node').map((node) => ({ methodResponses: [['error', node, 'query']] })),
    tie('node').map((node) => ({
      methodResponses: [
        ['x:Domain/query', node, 'query'],
        ['x:Domain/get', { list: [{ id: node, name: canary }] }, 'get'],
      ],
    })),
    fc
      .constantFrom('urn:ietf:params:jmap:error:notRequest', canary)
      .map((type) => ({ type, detail: canary })),
    fc.constant({ methodResponses: [['error', { type: canary, description: canary }, 'query']] }),
  ),
})).node

const response = fc.record({
  status: fc.oneof(
    fc.constantFrom(200, 400, 401, 403, 404, 409, 429, 500, 503),
    fc.integer({ min: 200, max: 599 }),
  ),
  type: fc.constantFrom(
    'application/json',
    'application/problem+json',
    'text/html',
    `application/json; x=${canary}`,
  ),
  body: fc.oneof(
    poisoned.map((value) => JSON.stringify(value)),
    poisoned.map((value) => JSON.stringify(value).slice(0, -1)),
    fc.string().map((text) => `${text}${canary}`),
  ),
  retryAfter: fc.constantFrom(canary, '0', '100', undefined),
})

it.each(clients)(
  'no answer makes the $system client tell a credential or a word of the answer',
  async ({ read }) => {
    let failures = 0
    await fc.assert(
      fc.asyncProperty(response, async ({ status, type, body, retryAfter }) => {
        const reports: CallReport[] = []
        const fetch = async () =>
          new Response([204, 205, 304].includes(status) ? null : body, {
            status,
            statusText: canary,
            headers: {
              'content-type': type,
              'x-canary': canary,
              location: `http://${canary}/`,
              ...(retryAfter && { 'retry-after': retryAfter }),
            },
          })
        const error = await read({
          baseUrl: 'http://127.0.0.1',
          fetch,
          retries: 0,
          circuit: { failures: Number.MAX_SAFE_INTEGER, openMs: 1 },
          onCall: (report) => reports.push(report),
        }).catch((thrown: unknown) => thrown)
        const shown =
          inspect([error instanceof Error ? error : undefined, reports], {
            depth: 10,
            showHidden: true,
          }) + JSON.stringify([error, reports])
        if (error instanceof Error) {
          failures += 1
          expect(error).toBeInstanceOf(UpstreamError)
          for (const secret of hidden) expect(shown).not.toContain(secret)
        }
      }),
      { numRuns: 400 },
    )
    expect(failures).toBeGreaterThan(200)
  },
)
