import { describe, expect, it } from 'vitest'
import { fetchWithRetries, type RetryOptions } from '../src/retries.ts'

type Outcome = number | Error | Response

/** Sends one request through the retries; each attempt has the next of these outcomes. */
async function send(
  outcomes: readonly Outcome[],
  init: RequestInit = {},
  options: RetryOptions = { maxDelayMs: 1 },
) {
  const bodies: string[] = []
  const remaining = [...outcomes]
  const fetchOnce = async (request: Request) => {
    bodies.push(await request.text())
    const outcome = remaining.shift() ?? 200
    if (outcome instanceof Error) throw outcome
    return outcome instanceof Response ? outcome : new Response(null, { status: outcome })
  }
  const retrying = fetchWithRetries(fetchOnce, options)
  const result = await retrying(new Request('http://api.test/', init)).then(
    ({ status }) => status,
    (error: Error) => error.message,
  )
  return { result, bodies, attempts: bodies.length }
}

const lost = new TypeError('fetch failed')
const limited = (retryAfter: string) =>
  new Response(null, { status: 429, headers: { 'retry-after': retryAfter } })
const running = () => Response.json({ code: 'idempotency_in_progress' }, { status: 409 })

describe('retries', () => {
  it('repeat a read after a lost connection and a temporary failure', async () => {
    expect(await send([lost, 503, 502])).toMatchObject({ result: 200, attempts: 4 })
  })

  it('end after as many as were chosen, with the last outcome', async () => {
    expect(await send([503, 503, 503, 503, 200])).toMatchObject({ result: 503, attempts: 4 })
    expect(await send([lost], {}, { retries: 0 })).toMatchObject({
      result: 'fetch failed',
      attempts: 1,
    })
  })

  it('send the whole body each time', async () => {
    const put = { method: 'PUT', body: 'content' }
    expect((await send([lost, 503], put)).bodies).toEqual(['content', 'content', 'content'])
  })

  it.each(['POST', 'PATCH'])(
    'do not repeat a %s that may have been carried out',
    async (method) => {
      expect(await send([lost], { method })).toMatchObject({ result: 'fetch failed', attempts: 1 })
      expect(await send([503], { method })).toMatchObject({ result: 503, attempts: 1 })
    },
  )

  it('repeat a POST with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one' }
    const init = { method: 'POST', headers, body: '{}' }
    expect(await send([lost, 503], init)).toMatchObject({ result: 200, attempts: 3 })
    expect(await send([running(), running()], init)).toMatchObject({ result: 200, attempts: 3 })
  })

  it('repeat every method that a limit rejected', async () => {
    expect(await send([limited('0')], { method: 'PATCH' })).toMatchObject({ attempts: 2 })
  })

  it.each([
    ['seconds', '60'],
    ['a date', new Date(Date.now() + 3_600_000).toUTCString()],
  ])('return the response when the server asks for too long a pause, in %s', async (_, value) => {
    expect(await send([limited(value)])).toMatchObject({ result: 429, attempts: 1 })
  })

  it.each([400, 401, 403, 404, 409, 422, 500])(
    'do not repeat a response with %i',
    async (status) => {
      expect(await send([status])).toMatchObject({ result: status, attempts: 1 })
    },
  )

  it('end at once when the caller aborts', async () => {
    const abort = new AbortController()
    const reason = new Error('no longer needed')
    const retrying = fetchWithRetries(
      async () => {
        setImmediate(() => abort.abort(reason))
        return limited('3600')
      },
      { maxDelayMs: 7_200_000 },
    )
    const request = new Request('http://api.test/', { signal: abort.signal })
    await expect(retrying(request)).rejects.toBe(reason)
  })
})
