import { inspect } from 'node:util'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { describe, expect, it } from 'vitest'
import type { CallReport } from '../src/call-policy.ts'
import { PaymentDeclined } from '../src/payments/declined.ts'
import { type StripeOptions, stripe } from '../src/payments/stripe.ts'
import { UpstreamError } from '../src/upstream-error.ts'
import { bodyCanary, faults } from './faults.ts'
import { methods, write } from './payment-calls.ts'
import { business, declinedLater, none, openPayments } from './payments-sandbox.ts'
import { scriptedForms } from './scripted-forms.ts'

const keyCanary = 'sk_test_KEYCANARY93ad'
const quick: Partial<StripeOptions> = {
  backoffMs: { initial: 1, max: 2 },
  maxResponseBytes: 200_000,
  circuit: { failures: 1_000, openMs: 60_000 },
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe.concurrent.each(Object.entries(methods))('%s', (name, call) => {
  it.each(faults)('is never taken for done after $name, and tells no secret', async (fault) => {
    const reports: CallReport[] = []
    await using server = await scriptedForms((_, response) => fault.answer(response))
    const deadlineMs = fault.deadlineMs ?? 10_000
    const options = {
      ...quick,
      secretKey: keyCanary,
      apiUrl: server.url,
      deadlineMs,
      onCall: (one: CallReport) => reports.push(one),
    }
    const error = await failureOf(call(stripe(options)))
    expect(error).toBeInstanceOf(UpstreamError)
    expect(error).toMatchObject({ system: 'payments', call: name })
    const shown = inspect([error, Object.entries(error as object), reports], {
      depth: 10,
      showHidden: true,
    })
    for (const canary of [keyCanary, bodyCanary, 'Bearer', '127.0.0.1', 'person@acme.test'])
      expect(shown).not.toContain(canary)
  })
})

describe('the client', () => {
  it('is made without a key and without a connection, and fails only when it is used', async () => {
    const payments = stripe({ secretKey: '', ...quick })
    await expect(payments.check({})).rejects.toMatchObject({ kind: 'invalid_answer' })
    for (const apiUrl of ['ftp://x', 'http://user:pw@x', 'http://x/path', 'nonsense']) {
      expect(() => stripe({ secretKey: 'k', apiUrl })).toThrow(
        /^The payments address must be http or https/,
      )
    }
  })

  it('sends the pinned version, no telemetry, and the same key with every try of a write', async () => {
    const customer = {
      id: 'cus_1',
      object: 'customer',
      invoice_settings: { default_payment_method: null },
    }
    await using server = await scriptedForms((received, response) => {
      const failing = server.received.filter(({ method }) => method === 'POST').length < 2
      response.writeHead(failing && received.method === 'POST' ? 503 : 200, {
        'content-type': 'application/json',
      })
      response.end(
        JSON.stringify(failing ? { error: { message: 'busy', type: 'api_error' } } : customer),
      )
    })
    await methods.createCustomer(stripe({ ...quick, secretKey: keyCanary, apiUrl: server.url }))
    expect(server.received).toHaveLength(2)
    for (const { headers } of server.received) {
      expect(headers['idempotency-key']).toBe('key:1')
      expect(headers['stripe-version']).toBe('2026-10-28.endive')
      expect(headers['x-stripe-client-telemetry']).toBeUndefined()
      expect(headers.authorization).toBe(`Bearer ${keyCanary}`)
    }
    expect(server.received[0]?.body).toBe(
      'name=Acme&metadata[tenantId]=t&metadata[tenantSlug]=acme&email=person%40acme.test&address[country]=DE',
    )
  })

  it('retries no more than it was told, and holds calls back once the circuit is open', async () => {
    await using server = await scriptedForms((_, response) => response.destroy())
    const payments = stripe({
      ...quick,
      secretKey: 'k',
      apiUrl: server.url,
      retries: 1,
      circuit: { failures: 2, openMs: 60_000 },
    })
    await expect(payments.check({})).rejects.toMatchObject({ kind: 'connection' })
    await expect(payments.check({})).rejects.toMatchObject({ kind: 'circuit_open' })
    expect(server.received).toHaveLength(2)
  })

  it('takes a rejected key as unauthorized and a used key with other values as a conflict', async () => {
    await using world = await openPayments()
    const wrong = stripe({
      secretKey: 'sk_test_wrong',
      apiUrl: world.sandbox.paymentsUrl,
      ...quick,
    })
    await expect(wrong.check({})).rejects.toMatchObject({ kind: 'unauthorized', status: 401 })
    const input = { tenantId: 't', tenantSlug: 'acme', name: 'Acme', email: null, address: null }
    const first = await world.payments.createCustomer(input, write)
    expect(await world.payments.createCustomer(input, write)).toEqual(first)
    await expect(
      world.payments.createCustomer({ ...input, name: 'Other' }, write),
    ).rejects.toMatchObject({ kind: 'conflict', status: 400 })
  })
})

describe('on the sandbox', () => {
  it('a second try after a dropped answer has no second effect', async () => {
    await using world = await openPayments()
    const customerId = await world.customer('pm_card_visa')
    world.sandbox.fault({
      system: 'payments',
      match: 'POST /v1/subscriptions',
      mode: 'reset',
      after: true,
      times: 1,
    })
    const input = {
      customerId,
      tenantId: 't',
      plan: 'business',
      priceId: business,
      seats: 3,
      trialDays: 0,
      tax: none,
    }
    const { subscription } = await world.payments.createSubscription(input, world.write())
    expect(await world.payments.listSubscriptions(customerId)).toMatchObject([
      { id: subscription.id, seats: 3 },
    ])
    expect(await world.payments.listInvoices(customerId)).toHaveLength(1)
  })

  it('the same write after a timeout of all its tries finds what the first one made', async () => {
    await using world = await openPayments()
    const hasty = stripe({
      secretKey: demoServiceCredentials.stripeSecretKey,
      apiUrl: world.sandbox.paymentsUrl,
      deadlineMs: 60,
      retries: 0,
    })
    const customerId = await world.customer('pm_card_visa')
    const input = {
      customerId,
      tenantId: 't',
      plan: 'business',
      priceId: business,
      seats: 3,
      trialDays: 0,
      tax: none,
    }
    world.sandbox.fault({
      system: 'payments',
      match: 'POST /v1/subscriptions',
      mode: 'timeout',
      after: true,
      times: 1,
    })
    await expect(hasty.createSubscription(input, write)).rejects.toMatchObject({
      kind: 'timeout',
    })
    const { subscription } = await world.payments.createSubscription(input, write)
    expect((await world.payments.listSubscriptions(customerId)).map(({ id }) => id)).toEqual([
      subscription.id,
    ])
  })

  it('the wrong shape and a rate limit are reported as such', async () => {
    await using world = await openPayments({ retries: 0 })
    world.sandbox.fault({ system: 'payments', mode: 'shape', times: 1 })
    await expect(world.payments.findCustomer('cus_1')).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
    world.sandbox.fault({ system: 'payments', mode: 'garbage', times: 1 })
    await expect(world.payments.findCustomer('cus_1')).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
    world.sandbox.fault({ system: 'payments', mode: 'error', status: 429, times: 1 })
    await expect(world.payments.findCustomer('cus_1')).rejects.toMatchObject({
      kind: 'rate_limited',
      status: 429,
    })
  })

  it('a declined card gets our own message, and does not open the circuit', async () => {
    await using world = await openPayments({ circuit: { failures: 2, openMs: 60_000 } })
    const { subscription } = await world.subscribed(1, declinedLater)
    expect(subscription.status).toBe('incomplete')
    for (let tries = 0; tries < 4; tries += 1) {
      const error = await failureOf(
        world.payments.payInvoice(subscription.latestInvoiceId ?? '', world.write()),
      )
      expect(error).toBeInstanceOf(PaymentDeclined)
      expect(error).toMatchObject({
        code: 'generic_decline',
        needsConfirmation: false,
        message: expect.stringMatching(/^The card was declined/),
      })
    }
    expect(world.reports.filter(({ call }) => call === 'payInvoice')).toMatchObject(
      Array(4).fill({ outcome: 'ok', status: 402 }),
    )
  })

  it('a caller that goes away ends the call with its own reason', async () => {
    await using world = await openPayments()
    const controller = new AbortController()
    const reason = new Error('the person went away')
    world.sandbox.fault({ system: 'payments', mode: 'timeout' })
    setTimeout(() => controller.abort(reason), 20)
    await expect(world.payments.findCustomer('cus_1', { signal: controller.signal })).rejects.toBe(
      reason,
    )
  })
})

describe('a decline', () => {
  it.each([
    ['insufficient_funds', /not enough money/],
    ['expired_card', /expired/],
    ['stolen_card', /^The card was declined\. Use another card/],
    ['fraudulent', /^The card was declined\. Use another card/],
    ['a word that came later', /^The card was declined/],
  ])('by %s is told without what only the bank may say', (code, sentence) => {
    expect(new PaymentDeclined(code).message).toMatch(sentence)
  })

  it('keeps codes of the processor and nothing else', () => {
    expect(new PaymentDeclined('new_decline_code').code).toBe('new_decline_code')
    expect(new PaymentDeclined('4242 4242').code).toBe('generic_decline')
    expect(new PaymentDeclined(undefined).code).toBe('generic_decline')
    expect(new PaymentDeclined('authentication_required').needsConfirmation).toBe(true)
  })
})
