import { demoClients } from '@atrium/core/demo/demo'
import { personClaims, startIssuer } from '@atrium/testing/issuer'
import { startTestApp } from '@atrium/testing/test-app'
import { expect, it } from 'vitest'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'

it('says what a change of a paused subscription costs, weeks after its trial ended', async () => {
  let now = new Date('2027-03-01T10:00:00Z')
  await using issuer = await startIssuer(() => now)
  await using testApp = await startTestApp({
    provisioned: false,
    clock: { now: () => now },
    env: { IDP_ISSUER: issuer.url },
  })
  const post = async (email: string, path: string, body: object) => {
    const app = email.startsWith('operator@') ? 'operator' : 'portal'
    const aud = demoClients[app].clientId
    const token = await issuer.sign({ ...personClaims(email), aud })
    return testApp.request('POST', path, { token, body })
  }
  const started = await post('operator@atrium.test', '/subscriptions', {
    tenantSlug: 'acme',
    source: 'stripe',
    plan: 'business',
    cycle: 'month',
    currency: 'eur',
    seats: 5,
    trialDays: 1,
  })
  expect(started.status, JSON.stringify(started.body)).toBe(201)
  now = new Date('2027-03-20T10:00:00Z')
  await testApp.webhooks.deliver()
  await drainWebhooks(testApp.app.services)
  const preview = await post('owner@acme.test', '/tenants/acme/subscription/preview', { seats: 7 })
  expect(preview).toMatchObject({
    status: 200,
    body: { effect: 'now', totalMinor: 0, lines: [], nextAmountMinor: 5_600 },
  })
})
