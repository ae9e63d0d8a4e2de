import { afterEach, describe, expect, it, vi } from 'vitest'
import { type CallReport, callPolicy, type Operation, type Send } from '../src/call-policy.ts'
import type { UpstreamErrorKind } from '../src/upstream-error.ts'

const quick = { backoffMs: { initial: 1, max: 2 } }
const read = { label: 'GET /thing', repeatable: true }
const write = { label: 'POST /thing', repeatable: false }

/** Returns with the outcomes given, one per request, the last one for ever. */
function scripted(
  operation: Operation,
  outcomes: (UpstreamErrorKind | 'ok')[],
): { send: Send<string>; sent: () => number } {
  let sent = 0
  return {
    sent: () => sent,
    send: async () => {
      const outcome = outcomes[Math.min(sent, outcomes.length - 1)] ?? 'ok'
      sent += 1
      if (outcome !== 'ok') throw operation.fail(outcome)
      return { status: 200, value: 'done' }
    },
  }
}

describe('retries', () => {
  it('repeats a repeatable request until it succeeds, and reports each try', async () => {
    const reports: CallReport[] = []
    const policy = callPolicy('files', { ...quick, onCall: (report) => reports.push(report) })
    const value = await policy.operation('storage', undefined, (operation) =>
      operation.request(read, scripted(operation, ['server', 'connection', 'ok']).send),
    )
    expect(value).toBe('done')
    expect(
      reports.map(({ call, request, attempt, outcome, status }) => [
        call,
        request,
        attempt,
        outcome,
        status,
      ]),
    ).toEqual([
      ['storage', 'GET /thing', 1, 'server', undefined],
      ['storage', 'GET /thing', 2, 'connection', undefined],
      ['storage', 'GET /thing', 3, 'ok', 200],
    ])
  })

  it.each(['timeout', 'connection', 'rate_limited', 'server', 'invalid_answer'] as const)(
    'never repeats a request that is not repeatable (%s)',
    async (kind) => {
      const policy = callPolicy('files', quick)
      let sent = () => 0
      await expect(
        policy.operation('create', undefined, (operation) => {
          const script = scripted(operation, [kind])
          sent = script.sent
          return operation.request(write, script.send)
        }),
      ).rejects.toMatchObject({ kind })
      expect(sent()).toBe(1)
    },
  )

  it.each(['unauthorized', 'refused', 'conflict', 'not_found'] as const)(
    'never repeats what was answered with %s',
    async (kind) => {
      const policy = callPolicy('files', quick)
      let sent = () => 0
      await expect(
        policy.operation('read', undefined, (operation) => {
          const script = scripted(operation, [kind])
          sent = script.sent
          return operation.request(read, script.send)
        }),
      ).rejects.toMatchObject({ kind })
      expect(sent()).toBe(1)
    },
  )

  it('repeats several requests as one when they are repeatable only together', async () => {
    const policy = callPolicy('mail', quick)
    const steps: string[] = []
    await policy.operation('ensure', undefined, (operation) =>
      operation.repeat(async () => {
        steps.push('look')
        await operation.request({ ...read, repeatable: false }, async () => ({
          status: 200,
          value: undefined,
        }))
        steps.push('create')
        if (steps.length < 4) throw operation.fail('server')
      }),
    )
    expect(steps).toEqual(['look', 'create', 'look', 'create'])
  })

  it('stops waiting for the next try when the caller goes away', async () => {
    const controller = new AbortController()
    const policy = callPolicy('files', {
      backoffMs: { initial: 60_000, max: 60_000 },
      operationDeadlineMs: 120_000,
    })
    let sent = 0
    const running = policy.operation('read', { signal: controller.signal }, (operation) =>
      operation.request(read, async () => {
        sent += 1
        setImmediate(() => controller.abort(new Error('gone')))
        throw operation.fail('server')
      }),
    )
    await expect(running).rejects.toThrow('gone')
    expect(sent).toBe(1)
  })

  it('neither sends nor counts anything once the deadline of the operation has passed', async () => {
    const reports: CallReport[] = []
    const policy = callPolicy('files', {
      ...quick,
      operationDeadlineMs: 20,
      circuit: { failures: 2, openMs: 60_000 },
      onCall: (report) => reports.push(report),
    })
    await expect(
      policy.operation('read', undefined, (operation) =>
        operation.request(read, () =>
          Promise.reject(operation.fail('server', { retryAfterMs: 150 })),
        ),
      ),
    ).rejects.toMatchObject({ kind: 'timeout' })
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(reports.map(({ outcome }) => outcome)).toEqual(['server'])
    await policy.operation('read', undefined, (operation) =>
      operation.request(read, async () => ({ status: 200, value: undefined })),
    )
  })

  it('passes on faults of our own code as they are', async () => {
    const policy = callPolicy('files', quick)
    const bug = new RangeError('a bug')
    await expect(
      policy.operation('read', undefined, (operation) =>
        operation.request(read, () => Promise.reject(bug)),
      ),
    ).rejects.toBe(bug)
  })
})

describe('requests in flight', () => {
  it('keeps to the limit and lets the others wait their turn', async () => {
    const policy = callPolicy('mail', { ...quick, concurrency: 4 })
    let inFlight = 0
    let most = 0
    const call = () =>
      policy.operation('read', undefined, (operation) =>
        operation.request(read, async () => {
          inFlight += 1
          most = Math.max(most, inFlight)
          await new Promise((resolve) => setImmediate(resolve))
          inFlight -= 1
          return { status: 200, value: undefined }
        }),
      )
    await Promise.all(Array.from({ length: 20 }, call))
    expect(most).toBe(4)
  })

  it('does not send a request whose caller left while it waited', async () => {
    const policy = callPolicy('mail', { ...quick, concurrency: 1 })
    const first = Promise.withResolvers<{ status: number; value: undefined }>()
    const controller = new AbortController()
    let sent = 0
    const holding = policy.operation('one', undefined, (operation) =>
      operation.request(read, () => first.promise),
    )
    const waiting = policy.operation('two', { signal: controller.signal }, (operation) =>
      operation.request(read, async () => {
        sent += 1
        return { status: 200, value: undefined }
      }),
    )
    controller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    first.resolve({ status: 200, value: undefined })
    await holding
    await policy.operation('three', undefined, (operation) =>
      operation.request(read, async () => ({ status: 200, value: undefined })),
    )
    expect(sent).toBe(0)
  })
})

describe('circuit', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  function testServer(options: { failures?: number } = {}) {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    const reports: CallReport[] = []
    let next: UpstreamErrorKind | 'ok' = 'ok'
    let sent = 0
    const policy = callPolicy('identity', {
      retries: 0,
      circuit: { failures: options.failures ?? 3, openMs: 10_000 },
      onCall: (report) => reports.push(report),
    })
    return {
      reports,
      sent: () => sent,
      policy,
      call: (outcome: UpstreamErrorKind | 'ok') => {
        next = outcome
        return policy
          .operation('read', undefined, (operation) =>
            operation.request(read, async () => {
              sent += 1
              if (next !== 'ok') throw operation.fail(next)
              return { status: 200, value: undefined }
            }),
          )
          .then(
            () => 'ok',
            (error: { kind: string }) => error.kind,
          )
      },
    }
  }

  it('opens after so many transient failures in a row, and closes after one success once the time has passed', async () => {
    const { call, sent, reports } = testServer()
    expect([await call('server'), await call('timeout'), await call('connection')]).toEqual([
      'server',
      'timeout',
      'connection',
    ])
    expect(await call('ok')).toBe('circuit_open')
    vi.setSystemTime(9_999)
    expect(await call('ok')).toBe('circuit_open')
    expect(sent()).toBe(3)
    expect(reports.at(-1)).toMatchObject({ outcome: 'circuit_open', request: 'GET /thing' })
    vi.setSystemTime(10_001)
    expect([await call('ok'), await call('server'), await call('ok')]).toEqual([
      'ok',
      'server',
      'ok',
    ])
    expect(sent()).toBe(6)
  })

  it('opens again when the request that tries it fails', async () => {
    const { call, sent } = testServer()
    for (const outcome of ['server', 'server', 'server'] as const) await call(outcome)
    vi.setSystemTime(10_001)
    expect(await call('server')).toBe('server')
    expect(await call('ok')).toBe('circuit_open')
    vi.setSystemTime(20_003)
    expect(await call('ok')).toBe('ok')
    expect(sent()).toBe(5)
  })

  it.each(['unauthorized', 'refused', 'conflict', 'not_found'] as const)(
    'counts %s as a sign of life',
    async (kind) => {
      const { call } = testServer()
      for (let round = 0; round < 4; round += 1) {
        expect([await call('server'), await call('server'), await call(kind)]).toEqual([
          'server',
          'server',
          kind,
        ])
      }
    },
  )

  it('stays open when the caller of the trying request goes away', async () => {
    const { call, policy } = testServer()
    for (const outcome of ['server', 'server', 'server'] as const) await call(outcome)
    vi.setSystemTime(10_001)
    const controller = new AbortController()
    const trying = policy.operation('read', { signal: controller.signal }, (operation) =>
      operation.request(read, () => new Promise(() => undefined)),
    )
    controller.abort(new Error('gone'))
    await expect(trying).rejects.toThrow('gone')
    expect(await call('ok')).toBe('circuit_open')
  })

  it('stops the retries of the call that opens it', async () => {
    const reports: CallReport[] = []
    const policy = callPolicy('files', {
      ...quick,
      retries: 9,
      circuit: { failures: 3, openMs: 60_000 },
      onCall: (report) => reports.push(report),
    })
    await expect(
      policy.operation('read', undefined, (operation) =>
        operation.request(read, scripted(operation, ['server']).send),
      ),
    ).rejects.toMatchObject({ kind: 'server' })
    expect(reports.map((report) => report.outcome)).toEqual(['server', 'server', 'server'])
  })
})
