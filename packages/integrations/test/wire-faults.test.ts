import { inspect } from 'node:util'
import { delay, HttpResponse } from 'msw'
import { http } from 'msw/http'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { CallReport } from '../src/call-policy.ts'
import type { HttpClientOptions } from '../src/http-client.ts'
import { stripe } from '../src/payments/stripe.ts'
import { isTransient, UpstreamError, type UpstreamErrorKind } from '../src/upstream-error.ts'
import { clients, credentialCanary } from './clients.ts'
import { bodyCanary } from './faults.ts'

const origin = 'http://upstream.test'
const otherOrigin = 'http://elsewhere.test'
const maxResponseBytes = 10_000
const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const json = { 'content-type': 'application/json' }
const text = JSON.stringify({ results: [bodyCanary] })

interface WireFault {
  name: string
  answer: () => Response | Promise<Response>
  kind: UpstreamErrorKind
  status?: number
  /** Set where the fault is that nothing comes. */
  deadlineMs?: number
}

const redirect = (name: string, location: string, status = 302): WireFault => ({
  name: `a redirect ${name} (${status})`,
  answer: () => new HttpResponse(text, { status, headers: { ...json, location } }),
  kind: 'invalid_answer',
  status,
})
const unreadable = (
  name: string,
  content: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = json,
  status = 200,
): WireFault => ({
  name,
  answer: () => new HttpResponse(content, { status, headers }),
  kind: 'invalid_answer',
  status,
})

/**
 * Every fault is transient: the next answer of the same server may be right. Bodies that stall,
 * break off or have no end need a socket of their own, which `msw` does not give; the scripted
 * servers of `fault-matrix.test.ts` and `payments-faults.test.ts` send those.
 */
const faults: WireFault[] = [
  unreadable('malformed JSON', `{"results":["${bodyCanary}",]}`),
  unreadable('two JSON documents', `${text}${text}`),
  unreadable('JSON in UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')),
  unreadable('JSON cut short, with a right end', `{"results":["${bodyCanary}`),
  unreadable('a page', `<h1>${bodyCanary}</h1>`, { 'content-type': 'text/html' }),
  unreadable('plain text', bodyCanary, { 'content-type': 'text/plain' }),
  unreadable('an empty 200', '', json),
  unreadable('an empty 200 of no type', null, {}),
  unreadable('a 204 where a body is due', null, {}, 204),
  unreadable('null', 'null'),
  unreadable('a body of more than is read', JSON.stringify([bodyCanary.repeat(maxResponseBytes)])),
  {
    name: 'a connection that breaks before the headers',
    answer: () => HttpResponse.error(),
    kind: 'connection',
  },
  {
    name: 'headers that do not come',
    answer: async () => {
      await delay('infinite')
      return HttpResponse.json({})
    },
    kind: 'timeout',
    deadlineMs: 60,
  },
  redirect('to the same host', `/elsewhere?key=${bodyCanary}`),
  redirect('to another host', `${otherOrigin}/${bodyCanary}`),
  redirect('to another host that keeps the method', `${otherOrigin}/${bodyCanary}`, 307),
  redirect('to another host for ever', `${otherOrigin}/${bodyCanary}`, 308),
  redirect('to nowhere', ''),
]

const targets = [
  ...clients,
  {
    system: 'payments',
    read: ({ baseUrl, ...options }: HttpClientOptions) =>
      stripe({
        ...options,
        apiUrl: baseUrl,
        secretKey: `sk_test_${credentialCanary.replaceAll('-', '')}`,
      }).findCustomer('cus_1'),
  },
]
const secrets = [
  credentialCanary,
  credentialCanary.replaceAll('-', ''),
  Buffer.from(`atrium:${credentialCanary}`).toString('base64'),
  bodyCanary,
  'elsewhere',
]

describe.each(targets)('$system client', ({ system, read }) => {
  const asked: string[] = []
  const reports: CallReport[] = []
  function call(answer: WireFault['answer'], deadlineMs = 10_000): Promise<unknown> {
    asked.length = 0
    reports.length = 0
    server.use(
      http.all('*', ({ request }) => {
        asked.push(request.url)
        return answer()
      }),
    )
    return read({
      baseUrl: origin,
      deadlineMs,
      maxResponseBytes,
      backoffMs: { initial: 1, max: 2 },
      circuit: { failures: 100, openMs: 60_000 },
      onCall: (report) => reports.push(report),
    }).then(
      (value) => {
        throw new Error(`The call succeeded with ${inspect(value)}.`)
      },
      (error: unknown) => error,
    )
  }

  it.each(faults)('reports $name as $kind', async ({ answer, kind, status, deadlineMs }) => {
    const error = await call(answer, deadlineMs)
    expect(error).toBeInstanceOf(UpstreamError)
    expect(error).toMatchObject({ system, kind, ...(status !== undefined && { status }) })
    expect(isTransient(error)).toBe(true)
    expect(reports.map(({ outcome }) => outcome)).toEqual([kind, kind, kind])
    const shown = inspect([error, (error as UpstreamError).message, reports], {
      depth: 10,
      showHidden: true,
    })
    for (const secret of secrets) expect(shown).not.toContain(secret)
    // No redirect is followed: each try asks the configured origin, and the same address.
    expect(asked).toHaveLength(3)
    expect(new Set(asked).size).toBe(1)
    expect(new URL(asked[0] ?? '').origin).toBe(origin)
  })

  it('does not follow a redirect to itself', async () => {
    const error = await call(() => HttpResponse.redirect(asked.at(-1) ?? origin, 302))
    expect(error).toMatchObject({ system, kind: 'invalid_answer', status: 302 })
    expect(asked).toHaveLength(3)
  })
})
