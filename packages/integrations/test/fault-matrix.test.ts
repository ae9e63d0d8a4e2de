import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { CallReport } from '../src/call-policy.ts'
import { UpstreamError } from '../src/upstream-error.ts'
import { clients, credentialCanary } from './clients.ts'
import { bodyCanary, faults } from './faults.ts'
import { scriptedServer } from './scripted-server.ts'

const quick = {
  backoffMs: { initial: 1, max: 2 },
  maxResponseBytes: 200_000,
  circuit: { failures: 100, openMs: 60_000 },
}

async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && outcome.error instanceof UpstreamError) return outcome.error
  throw new Error(`expected an UpstreamError, got ${inspect(outcome)}`)
}

/** Everything of an error that a log or an answer could show. */
function expectNoSecrets(error: UpstreamError, reports: CallReport[] = []) {
  const shown = inspect([error, Object.entries(error), reports], { depth: 10, showHidden: true })
  const basic = Buffer.from(`atrium:${credentialCanary}`).toString('base64')
  for (const canary of [credentialCanary, bodyCanary, basic, 'Bearer', '127.0.0.1'])
    expect(shown).not.toContain(canary)
}

/** A port on which nothing listens: one that was just given back. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address === 'string' || !address) throw new Error('no port')
  return address.port
}

describe.each(clients)('$system client', ({ system, read }) => {
  it.each(faults)('reports $name as $kind and sends $tries request(s)', async (fault) => {
    const reports: CallReport[] = []
    await using server = await scriptedServer((_, response) => fault.answer(response))
    const error = await failureOf(
      read({
        ...quick,
        baseUrl: server.url,
        deadlineMs: fault.deadlineMs ?? 10_000,
        onCall: (report) => reports.push(report),
      }),
    )
    expect(error).toMatchObject({
      system,
      kind: fault.kind,
      ...(fault.status && { status: fault.status }),
    })
    expect(server.received).toHaveLength(fault.tries)
    expect(reports.map((report) => [report.attempt, report.outcome])).toEqual(
      Array.from({ length: fault.tries }, (_, index) => [index + 1, fault.kind]),
    )
    expect(new Set(server.asked()).size).toBe(1)
    expectNoSecrets(error, reports)
  })

  it('reports a port on which nothing listens as connection', async () => {
    const error = await failureOf(
      read({ ...quick, baseUrl: `http://127.0.0.1:${await closedPort()}` }),
    )
    expect(error).toMatchObject({ kind: 'connection', status: undefined })
    expect(error.message).toContain('nothing listens at its address')
    expectNoSecrets(error)
  })

  it('reports a host name that does not resolve as connection', async () => {
    const cause = Object.assign(new Error(`getaddrinfo ENOTFOUND ${bodyCanary}`), {
      code: 'ENOTFOUND',
    })
    const error = await failureOf(
      read({
        ...quick,
        baseUrl: 'http://mail.invalid',
        fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
      }),
    )
    expect(error).toMatchObject({ kind: 'connection' })
    expect(error.message).toContain('its host name does not resolve')
    expectNoSecrets(error)
  })

  it('reports a server that speaks no TLS as connection', async () => {
    await using server = await scriptedServer((_, response) => response.end())
    const error = await failureOf(
      read({ ...quick, baseUrl: server.url.replace('http:', 'https:') }),
    )
    expect(error).toMatchObject({ kind: 'connection' })
    expectNoSecrets(error)
  })

  it('tells how long a Retry-After asks to wait, in seconds or as a date', async () => {
    await using server = await scriptedServer((_, response) =>
      response.writeHead(429, { 'retry-after': '120' }).end(),
    )
    expect((await failureOf(read({ ...quick, baseUrl: server.url }))).retryAfterMs).toBe(120_000)
    const at = new Date(Date.now() + 3_600_000).toUTCString()
    server.script = (_, response) => response.writeHead(503, { 'retry-after': at }).end()
    const { retryAfterMs } = await failureOf(read({ ...quick, baseUrl: server.url }))
    expect(retryAfterMs).toBeGreaterThan(3_500_000)
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })

  it('ends with the reason of the caller, whatever it waits for', async () => {
    await using server = await scriptedServer(() => controller.abort(reason))
    const reason = new Error('the person went away')
    const controller = new AbortController()
    const reports: CallReport[] = []
    const options = {
      ...quick,
      baseUrl: server.url,
      onCall: (report: CallReport) => reports.push(report),
    }
    await expect(read(options, { signal: controller.signal })).rejects.toBe(reason)
    expect(reports).toMatchObject([{ outcome: 'aborted', attempt: 1 }])
    await expect(read(options, { signal: controller.signal })).rejects.toBe(reason)
    expect(server.received).toHaveLength(1)
  })

  it('turns a timeout signal of the caller into a timeout of the call', async () => {
    await using server = await scriptedServer(() => undefined)
    const error = await failureOf(
      read({ ...quick, baseUrl: server.url }, { signal: AbortSignal.timeout(40) }),
    )
    expect(error).toMatchObject({ system, kind: 'timeout' })
  })

  it('gives the whole operation one deadline over all tries', async () => {
    await using server = await scriptedServer(() => undefined)
    const error = await failureOf(
      read({ ...quick, baseUrl: server.url, deadlineMs: 60_000, operationDeadlineMs: 80 }),
    )
    expect(error).toMatchObject({ kind: 'timeout' })
    expect(error.message).toContain('within 0.08 s.')
    expect(server.received).toHaveLength(1)
  })

  it('rejects to be made with an address or a credential that cannot be used, without quoting it', async () => {
    for (const baseUrl of [
      'ftp://x',
      'not an address',
      `http://user:${bodyCanary}@x`,
      `http://x?key=${bodyCanary}`,
    ]) {
      await expect(async () => read({ baseUrl })).rejects.toThrow(
        /^The (identity|mail|files) address must be http or https/,
      )
    }
  })
})
