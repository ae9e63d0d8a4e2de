import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'

// Each test app checks at its end for what it must not have shown; these show something.

const testApp = () => startTestApp({ provisioned: false, ownEvents: true })

describe('a test app ends with a failure where a secret was shown', () => {
  const wrongs: Record<string, [by: (testApp: TestApp) => unknown, told: string]> = {
    'in the log': [
      ({ app, env }) => app.services.log.warn({ sent: `key ${env.MAIL_API_KEY}` }),
      'log: MAIL_API_KEY of the environment',
    ],
    'in the log, as credentials': [
      ({ app, env }) =>
        app.services.log.warn({
          header: `Basic ${Buffer.from(env.FILES_API_TOKEN ?? '').toString('base64')}`,
        }),
      'log: FILES_API_TOKEN of the environment',
    ],
    'as a token in the log': [
      async ({ app, token }) => app.services.log.warn({ said: await token('owner@acme.test') }),
      'log: {"level":"warn"',
    ],
    'in an audit entry': [
      ({ database, env }) =>
        sql`insert into audit_events (at, actor_type, action, outcome, resource_type, source, metadata)
          values (now(), 'system', 'tenant.updated', 'success', 'tenant', 'api', ${JSON.stringify({ changed: env.STRIPE_SECRET_KEY })})`.execute(
          database.db,
        ),
      'audit entry tenant.updated: STRIPE_SECRET_KEY of the environment',
    ],
    'in the address of a call': [
      ({ sandbox, env }) =>
        fetch(`${sandbox.identityUrl}/api/v3/core/groups/?name=${env.BOOKING_APP_SECRET}`),
      'call of an upstream system: BOOKING_APP_SECRET of the environment',
    ],
    'in a refusal': [
      async ({ request, token, env }) => {
        // The path of an issue quotes the first 64 characters of an unknown field.
        await request('POST', '/tenants', {
          token: await token('owner@acme.test'),
          body: { [env.BOOKING_APP_SECRET ?? '']: 1 },
        })
      },
      'answer 400 to POST /tenants: BOOKING_APP_SECRET of the environment',
    ],
  }
  it.each(Object.entries(wrongs))('%s', async (_where, [show, told]) => {
    const opened = await testApp()
    await show(opened)
    await expect(opened[Symbol.asyncDispose]()).rejects.toThrow(told)
  })
})

it('a test app that showed none ends well', async () => {
  const opened = await testApp()
  await opened.request('GET', '/users/me', { token: await opened.token('owner@acme.test') })
  await opened.request('GET', '/users/me')
  await expect(opened[Symbol.asyncDispose]()).resolves.toBeUndefined()
})
