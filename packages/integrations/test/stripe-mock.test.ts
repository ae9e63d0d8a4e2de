import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Payments } from '../src/payments/port.ts'
import { stripe } from '../src/payments/stripe.ts'
import { methods, write } from './payment-calls.ts'
import { start } from './payments-sandbox.ts'

/**
 * `stripe-mock` (github.com/stripe/stripe-mock) checks requests against Stripe's own OpenAPI
 * description. It is used where `STRIPE_MOCK_URL` names one that runs, or where the program is on
 * the path: `go install github.com/stripe/stripe-mock@latest`.
 */
const { STRIPE_MOCK_URL: given, PATH = '' } = process.env
const program = PATH.split(delimiter)
  .map((folder) => join(folder, 'stripe-mock'))
  .find(isExecutable)

/**
 * What the mock's description (API 2026-08-26.dahlia) does not know yet of our version
 * (2026-10-28.endive): the billing cycle anchor was a word, and is an object.
 */
const newerThanMock = /'billing_cycle_anchor' validation failed/

const item = {
  subscriptionId: 'sub_1',
  itemId: 'si_1',
  priceId: 'price_1',
  plan: 'business',
  seats: 2,
}
const sale = {
  customerId: 'cus_1',
  tenantId: 't',
  plan: 'business',
  priceId: 'price_1',
  seats: 1,
}
const address = {
  line1: null,
  line2: null,
  postalCode: null,
  city: null,
  state: null,
  country: 'FR',
}

/** Calls beside those of every method: the other branches of what is sent. */
const furtherCalls: Readonly<Record<string, (payments: Payments) => Promise<unknown>>> = {
  'previewChange without another cycle, with rates': (payments) =>
    payments.previewChange({
      customerId: 'cus_1',
      ...item,
      prorationDate: start,
      cycleChanges: false,
      tax: { mode: 'rates', rateIds: ['txr_1'] },
    }),
  'previewChange with computed tax': (payments) =>
    payments.previewChange({
      customerId: 'cus_1',
      ...item,
      prorationDate: start,
      cycleChanges: false,
      tax: { mode: 'automatic' },
    }),
  'changeSubscription without another cycle': (payments) =>
    payments.changeSubscription({ ...item, prorationDate: start, cycleChanges: false }, write),
  'createSubscription with computed tax and a trial': (payments) =>
    payments.createSubscription({ ...sale, trialDays: 14, tax: { mode: 'automatic' } }, write),
  'createSubscription with rates': (payments) =>
    payments.createSubscription(
      { ...sale, trialDays: 0, tax: { mode: 'rates', rateIds: ['txr_1'] } },
      write,
    ),
  'previewSubscription for details of a customer': (payments) =>
    payments.previewSubscription({
      customer: {
        address: { ...address, postalCode: '75001' },
        taxExempt: 'none',
        taxIds: [{ type: 'eu_vat', value: 'FR40303265045' }],
      },
      priceId: 'price_1',
      currency: 'eur',
      seats: 1,
      trialEnd: start,
      tax: { mode: 'automatic' },
    }),
  'previewNextInvoice of a schedule': (payments) =>
    payments.previewNextInvoice({ subscriptionId: 'sub_1', scheduleId: 'sub_sched_1' }),
  'scheduleChange with another cycle and rates': (payments) =>
    payments.scheduleChange(
      {
        ...item,
        cycle: 'year',
        cycleChanges: true,
        tax: { mode: 'rates', rateIds: ['txr_1'] },
        nextTax: { mode: 'rates', rateIds: ['txr_2'] },
      },
      write,
    ),
  'updateCustomer with an address and reverse charge': (payments) =>
    payments.updateCustomer(
      'cus_1',
      { email: null, address: { ...address, line1: '1 Rue A' }, taxExempt: 'reverse' },
      write,
    ),
  'updateCustomer without an address': (payments) =>
    payments.updateCustomer('cus_1', { address: null }, write),
  'cancelNow with a credit': (payments) => payments.cancelNow('sub_1', true, write),
}

interface Mock {
  url: string
  stop(): void
}

const isHere = given !== undefined || program !== undefined

if (isHere) describe('stripe-mock', checkEveryCall)
else
  describe('without stripe-mock', () => {
    it('no request was validated: STRIPE_MOCK_URL is not set, and it is not on the path', () => {
      expect([given, program]).toEqual([undefined, undefined])
    })
  })

function checkEveryCall(): void {
  let mock: Mock
  beforeAll(async () => {
    mock = given !== undefined ? { url: given, stop: () => {} } : await startMock(program ?? '')
  })
  afterAll(() => mock.stop())

  it.each(Object.entries({ ...methods, ...furtherCalls }))('accepts %s', async (_, call) => {
    const rejections: string[] = []
    let requests = 0
    const payments = stripe({
      secretKey: 'sk_test_123',
      apiUrl: mock.url,
      retries: 0,
      fetch: async (input, init) => {
        requests += 1
        const response = await fetch(input, init)
        const text = await response.text()
        if (!response.ok)
          rejections.push(`${init?.method} ${new URL(String(input)).pathname} ${text}`)
        return new Response(withCurrentPhase(text), {
          status: response.status,
          headers: response.headers,
        })
      },
    })
    const error: unknown = await call(payments).catch((rejection: unknown) => rejection)
    expect(requests).toBeGreaterThan(0)
    expect(rejections.filter((rejection) => !newerThanMock.test(rejection))).toEqual([])
    if (rejections.length === 0 && error instanceof Error) throw error
  })
}

/** The mock's schedules have no phase that runs, without which nothing can be scheduled. */
function withCurrentPhase(text: string): string {
  const body = JSON.parse(text)
  const schedule = body.object === 'subscription_schedule' ? body : body.schedule
  const [phase] = schedule?.phases ?? []
  if (phase) schedule.current_phase = { start_date: phase.start_date, end_date: phase.end_date }
  return JSON.stringify(body)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function startMock(file: string): Promise<Mock> {
  const port = await freePort()
  const child = spawn(file, ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 200; tries += 1) {
    const up = await fetch(`${url}/v1/balance`, {
      headers: { authorization: 'Bearer sk_test_123' },
    }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (up) return { url, stop: () => void child.kill() }
    await new Promise((done) => setTimeout(done, 50))
  }
  child.kill()
  throw new Error('stripe-mock did not start within ten seconds')
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}
