import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallReport } from '../src/call-policy.ts'
import { stalwart } from '../src/mail/stalwart.ts'
import { UpstreamError } from '../src/upstream-error.ts'
import { credentialCanary } from './clients.ts'
import { bodyCanary, faults } from './faults.ts'
import { type MailIds, mailMethods, passwordCanary } from './mail-methods.ts'
import { type MailSandbox, openMailSandbox } from './mail-sandbox.ts'
import { scriptedServer } from './scripted-server.ts'

const quick = {
  backoffMs: { initial: 1, max: 2 },
  maxResponseBytes: 200_000,
  circuit: { failures: 1_000, openMs: 60_000 },
}
const someIds: MailIds = { accountId: 'd', domainId: 'c', listId: 'b' }

async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  const error = await promise.then(
    (value) => new Error(`it answered ${inspect(value)}`),
    (thrown: unknown) => thrown,
  )
  if (error instanceof UpstreamError) return error
  throw error
}

function expectNoSecrets(error: UpstreamError, reports: CallReport[]) {
  const shown =
    inspect([error, Object.entries(error), reports], { depth: 10, showHidden: true }) +
    JSON.stringify([error, reports])
  for (const secret of [credentialCanary, bodyCanary, passwordCanary, 'Bearer', '127.0.0.1'])
    expect(shown).not.toContain(secret)
}

describe.each(mailMethods)('$name, when its first request fails', ({ name, run, repeatable }) => {
  it.each(faults)('reports $name as $kind', async (fault) => {
    const reports: CallReport[] = []
    await using server = await scriptedServer((_, response) => fault.answer(response))
    const deadlineMs = fault.deadlineMs ?? 10_000
    const mail = stalwart({
      ...quick,
      baseUrl: server.url,
      apiKey: credentialCanary,
      deadlineMs,
      onCall: (report) => reports.push(report),
    })
    const error = await failureOf(run(mail, someIds))
    expect(error).toMatchObject({ system: 'mail', call: name, kind: fault.kind })
    // A key that is rejected makes the check look whether the server is still being set up.
    const looks = name === 'check' && fault.name === 'status 401' ? 1 : 0
    const tries = (repeatable ? fault.tries : 1) + looks
    expect(reports).toHaveLength(tries)
    // On a busy machine a try may be over before it reaches the server that would not have answered
    // it.
    if (fault.deadlineMs === undefined) expect(server.received).toHaveLength(tries)
    expectNoSecrets(error, reports)
  })
})

it('has every method of the port in the matrix', () => {
  const methods = Object.keys(stalwart({ baseUrl: 'http://127.0.0.1', apiKey: credentialCanary }))
  expect(mailMethods.map(({ name }) => name).sort()).toEqual(methods.sort())
})

describe('against the local stand-in', () => {
  let testServer: MailSandbox
  let ids: MailIds

  beforeAll(async () => {
    testServer = await openMailSandbox()
  })
  afterAll(() => testServer.sandbox.close())
  beforeEach(async () => {
    testServer.sandbox.reset()
    const mail = testServer.client()
    const domainId = (await mail.ensureDomain({ name: 'acme.test', description: 'tenant acme' })).id
    const accountId = (
      await mail.createAccount({
        localPart: 'anna',
        domainId,
        displayName: '',
        password: 'Qm7-vTz4-Lk9s-Xp',
      })
    ).id
    await mail.addAlias({ accountId, localPart: 'office', domainId })
    const listId = (
      await mail.createList({ localPart: 'team', domainId, name: 'Team', recipients: [] })
    ).id
    ids = { accountId, domainId, listId }
  })

  const modes = [
    ['error', 'server'],
    ['reset', 'connection'],
    ['garbage', 'invalid_answer'],
    ['shape', 'invalid_answer'],
    ['timeout', 'timeout'],
  ] as const
  // A fault after the call makes a difference only where the call changes something.
  const moments = (ask: string) => (ask.endsWith('/set') ? [false, true] : [false])
  const requests = mailMethods.flatMap((method) =>
    method.asks.flatMap((ask) =>
      modes.flatMap(([mode, kind]) =>
        moments(ask).map((after) => ({ method, ask, mode, kind, after })),
      ),
    ),
  )

  it.each(requests)(
    '$method.name fails when $ask answers $mode (after: $after)',
    async ({ method, ask, mode, kind, after }) => {
      const reports: CallReport[] = []
      // Short only where waiting is the point: the requests before the failing one must not run out
      // of time on a busy machine.
      const deadlineMs = mode === 'timeout' ? 40 : 10_000
      const mail = testServer.client(undefined, {
        ...quick,
        retries: 0,
        deadlineMs,
        onCall: (report) => reports.push(report),
      })
      testServer.sandbox.fault({ system: 'mail', match: ask, mode, after })
      const error = await failureOf(method.run(mail, ids))
      expect(error).toMatchObject({ system: 'mail', call: method.name, kind })
      expectNoSecrets(error, reports)
    },
  )

  it.each(mailMethods)(
    '$name fails whatever the server says to it without rights',
    async ({ name, run }) => {
      const mail = testServer.client('API_wrong')
      await expect(run(mail, ids)).rejects.toMatchObject({ call: name, kind: 'unauthorized' })
    },
  )

  const healing = mailMethods.filter(({ repeatable }) => repeatable)
  it.each(healing)(
    '$name heals when the answer of each of its requests is lost once',
    async ({ name, run, asks }) => {
      const expected = name === 'removeDomain' ? 'conflict' : undefined
      for (const ask of asks)
        testServer.sandbox.fault({
          system: 'mail',
          match: ask,
          mode: 'reset',
          after: true,
          times: 1,
        })
      const mail = testServer.client(undefined, { retries: asks.length })
      const outcome = await run(mail, ids).then(
        () => undefined,
        (error: UpstreamError) => error.kind,
      )
      expect(outcome).toBe(expected)
    },
  )
})
