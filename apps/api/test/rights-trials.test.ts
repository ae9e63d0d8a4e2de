import { connectIntegrations, type Integrations } from '@atrium/integrations/connect'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { expect, it } from 'vitest'
import { createIntegrationChecks } from '../src/platform/integration-checks.ts'
import { createLogger } from '../src/platform/log.ts'

const quiet = createLogger('silent')

/**
 * Checks of a mail server whose `check` and `tryRights` do what the test says, with the number of
 * trials and a clock to move.
 */
async function mailServer() {
  const off = await connectIntegrations({
    identity: null,
    mail: null,
    files: null,
    smtp: null,
    payments: null,
  })
  const server = {
    reachable: true,
    failure: undefined as UpstreamError | undefined,
    trials: 0,
    now: new Date('2026-11-02T10:00:00Z'),
  }
  const mail = {
    check: async () => {
      if (!server.reachable)
        throw new UpstreamError({ system: 'mail', call: 'check', kind: 'connection' })
      return { permissions: [] }
    },
    tryRights: async () => {
      server.trials += 1
      if (server.failure) throw server.failure
    },
  } as unknown as NonNullable<Integrations['mail']>
  const checks = createIntegrationChecks({ ...off, mail }, { now: () => server.now }, quiet)
  const pass = (seconds: number) => {
    server.now = new Date(server.now.getTime() + seconds * 1_000)
  }
  return { server, pass, state: async () => (await checks.refresh()).mail }
}

const lacking = new UpstreamError({
  system: 'mail',
  call: 'tryRights',
  kind: 'unauthorized',
  note: 'the key cannot give a mailbox imapFetch',
})

it('tries rights once per start, and not with each check', async () => {
  const { server, pass, state } = await mailServer()
  for (let count = 0; count < 5; count += 1) {
    expect(await state()).toMatchObject({ state: 'ok' })
    pass(120)
  }
  expect(server.trials).toBe(1)
})

it('says which right is missing until it is given, and looks again every minute', async () => {
  const { server, pass, state } = await mailServer()
  server.failure = lacking
  expect(await state()).toMatchObject({
    state: 'error',
    message: expect.stringContaining('cannot give a mailbox imapFetch'),
  })
  pass(15)
  expect(await state()).toMatchObject({ state: 'error' })
  expect(server.trials).toBe(1)
  server.failure = undefined
  pass(60)
  expect(await state()).toMatchObject({ state: 'ok' })
  expect(server.trials).toBe(2)
})

it('takes no failure that passes by itself for a missing right', async () => {
  const { server, pass, state } = await mailServer()
  server.failure = new UpstreamError({ system: 'mail', call: 'tryRights', kind: 'server' })
  expect(await state()).toMatchObject({ state: 'ok' })
  server.failure = lacking
  pass(60)
  expect(await state()).toMatchObject({ state: 'error' })
})

it('tries again when the system was away', async () => {
  const { server, pass, state } = await mailServer()
  await state()
  server.reachable = false
  pass(60)
  expect(await state()).toMatchObject({ state: 'error' })
  server.reachable = true
  server.failure = lacking
  expect(await state()).toMatchObject({
    state: 'error',
    message: expect.stringContaining('imapFetch'),
  })
})
