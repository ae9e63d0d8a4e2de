import { expect, it } from 'vitest'
import { checkIntegrations, connectIntegrations } from '../src/connect.ts'
import { json, scriptedServer } from './scripted-server.ts'
import { smtpDialogue } from './smtp-dialogue.ts'

const now = () => new Date('2026-11-02T10:00:00Z')
const checkedAt = '2026-11-02T10:00:00.000Z'
const latencyMs: unknown = expect.any(Number)

it('says off for what is not configured', async () => {
  const integrations = await connectIntegrations({
    identity: null,
    mail: null,
    files: null,
    smtp: null,
    payments: null,
  })
  expect(integrations).toEqual({
    identity: null,
    mail: null,
    calendars: null,
    files: null,
    mailer: null,
    payments: null,
    vatRegistry: null,
    mailFrom: null,
    dns: integrations.dns,
  })
  const off = { state: 'off', checkedAt }
  expect(await checkIntegrations(integrations, { deadlineMs: 1_000, now })).toEqual({
    identity: off,
    mail: off,
    files: off,
    mailer: off,
    payments: off,
  })
})

it('tells for each system whether it works, in a sentence, within the deadline', async () => {
  await using identity = await scriptedServer((_, response) =>
    json(response, 403, { detail: 'Token invalid/expired' }),
  )
  await using mail = await scriptedServer(() => undefined)
  await using files = await scriptedServer(({ method }, response) =>
    method === 'GET'
      ? json(response, 200, { id: 'u1' })
      : json(response, 400, { error: { message: 'invalid email address' } }),
  )
  await using processor = await scriptedServer((_, response) =>
    json(response, 200, { object: 'balance', available: [], pending: [] }),
  )
  await using outgoing = await smtpDialogue()
  const calls: string[] = []
  const integrations = await connectIntegrations({
    identity: { baseUrl: identity.url, token: 'secret-token' },
    mail: { baseUrl: mail.url, apiKey: 'API_secret' },
    files: { baseUrl: files.url, user: 'atrium', appToken: 'secret' },
    payments: { secretKey: 'sk_test_secret', apiUrl: processor.url },
    smtp: { url: `smtp://127.0.0.1:${outgoing.port}`, from: 'Atrium <no-reply@atrium.test>' },
    onCall: ({ system, call, outcome }) => calls.push(`${system} ${call} ${outcome}`),
  })
  expect(integrations.mailFrom).toBe('Atrium <no-reply@atrium.test>')
  expect(await checkIntegrations(integrations, { deadlineMs: 1_000, now })).toEqual({
    identity: {
      state: 'error',
      message:
        'The identity provider did not accept the credentials of this service, or their rights. [identity.check: 403, unauthorized]',
      checkedAt,
      latencyMs,
    },
    mail: {
      state: 'error',
      message: 'The mail server did not respond within 1 s. [mail.check: timeout, 1 s]',
      checkedAt,
      latencyMs,
    },
    files: { state: 'ok', checkedAt, latencyMs },
    mailer: { state: 'ok', checkedAt, latencyMs },
    payments: { state: 'ok', checkedAt, latencyMs },
  })
  expect(calls.sort()).toEqual([
    'files check ok',
    'files check ok',
    'identity check unauthorized',
    'mail check timeout',
    'payments check ok',
    'smtp check ok',
  ])
})

it('rejects a sender that is no address', async () => {
  const smtp = { url: 'smtp://127.0.0.1:25', from: 'Atrium' }
  const connecting = connectIntegrations({
    identity: null,
    mail: null,
    files: null,
    smtp,
    payments: null,
  })
  await expect(connecting).rejects.toThrow('must be one address')
})

it('gives every client the call policy that it was told', async () => {
  await using server = await scriptedServer((_, response) => json(response, 503, {}))
  const baseUrl = server.url
  const { identity, mail, files, payments } = await connectIntegrations({
    identity: { baseUrl, token: 't' },
    mail: { baseUrl, apiKey: 'k' },
    files: { baseUrl, user: 'u', appToken: 't' },
    smtp: null,
    payments: { secretKey: 'k', apiUrl: baseUrl },
    policy: { retries: 1, backoffMs: { initial: 1, max: 1 } },
  })
  for (const system of [identity, mail, files, payments])
    await expect(system?.check({})).rejects.toMatchObject({ kind: 'server' })
  expect(server.received).toHaveLength(8)
})
