import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentsServer, type PaymentsServer } from './payments-server.ts'

let server: PaymentsServer
beforeAll(async () => {
  server = await openPaymentsServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const back = 'http://portal.test/billing?tab=card'

async function post(path: string, form: Record<string, string>) {
  const body = new URLSearchParams(form)
  const response = await fetch(`${server.sandbox.paymentsUrl}${path}`, {
    method: 'POST',
    body,
    redirect: 'manual',
  })
  return {
    status: response.status,
    location: response.headers.get('location'),
    text: await response.text(),
  }
}

async function get(path: string) {
  const response = await fetch(`${server.sandbox.paymentsUrl}${path}`, { redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function setup() {
  const customer = await server.customer('')
  const intent = await server.stripe.setupIntents.create({ customer: customer.id })
  return {
    customer,
    intent,
    hidden: { client_secret: intent.client_secret ?? '', return_url: back },
  }
}

const entered = { number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' }

describe('the card form', () => {
  it('takes a card and goes back with what Stripe.js adds', async () => {
    const { intent, hidden } = await setup()
    const form = await get(`/elements?${new URLSearchParams(hidden)}`)
    expect(form.text).toContain('4000 0000 0000 0341')
    expect(form.headers.get('content-security-policy')).toContain(
      "form-action 'self' http://portal.test",
    )
    const { status, location } = await post('/elements', { ...hidden, ...entered })
    expect(status).toBe(303)
    const url = new URL(location ?? '')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tab: 'card',
      setup_intent: intent.id,
      setup_intent_client_secret: intent.client_secret,
      redirect_status: 'succeeded',
    })
    const done = await server.stripe.setupIntents.retrieve(intent.id)
    expect(await server.stripe.paymentMethods.retrieve(String(done.payment_method))).toMatchObject({
      card: { exp_month: 12, exp_year: 2034 },
    })
    expect(await post('/elements', { ...hidden, ...entered })).toMatchObject({ status: 303 })
  })

  it.each([
    [{ ...entered, number: '4242424242424241' }, 402, 'The card number is wrong'],
    [{ ...entered, number: '4111111111111111' }, 402, 'This is no test card'],
    [{ ...entered, expiry: '13/34' }, 400, 'must be from 1 to 12'],
    [{ ...entered, expiry: '12/25' }, 400, 'has expired'],
    [{ number: '4000000000009995' }, 402, 'not enough money'],
    [{ number: '4000000000000069' }, 402, 'it has expired'],
  ])('says what is wrong with %o', async (card, status, sentence) => {
    const { intent, hidden } = await setup()
    const answer = await post('/elements', { ...hidden, ...card })
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(sentence)
    expect(await server.stripe.setupIntents.retrieve(intent.id)).toMatchObject({
      payment_method: null,
    })
  })

  it('asks the holder to confirm, who may reject', async () => {
    const { intent, hidden } = await setup()
    const card = { ...hidden, number: '4000002500003155' }
    expect((await post('/elements', card)).text).toContain('Confirm with your bank')
    const rejected = await post('/elements', { ...card, confirmation: 'refused' })
    expect(new URL(rejected.location ?? '').searchParams.get('redirect_status')).toBe('failed')
    expect(await server.stripe.setupIntents.retrieve(intent.id)).toMatchObject({
      status: 'requires_action',
    })
    await post('/elements', { ...card, confirmation: 'given' })
    expect(await server.stripe.setupIntents.retrieve(intent.id)).toMatchObject({
      status: 'succeeded',
    })
  })

  it('pays the invoice that waits for its first payment', async () => {
    const made = await server.subscription(
      1,
      { payment_behavior: 'default_incomplete', expand: ['latest_invoice.confirmation_secret'] },
      '',
    )
    const invoice = typeof made.latest_invoice === 'object' ? made.latest_invoice : null
    const hidden = {
      client_secret: invoice?.confirmation_secret?.client_secret ?? '',
      return_url: back,
    }
    expect((await get(`/elements?${new URLSearchParams(hidden)}`)).text).toContain('€8.00')
    expect((await post('/elements', { ...hidden, number: '4000000000000341' })).text).toContain(
      'The card was declined',
    )
    const paid = await post('/elements', { ...hidden, ...entered })
    expect(new URL(paid.location ?? '').searchParams.get('payment_intent')).toMatch(/^pi_/)
    expect(await server.stripe.subscriptions.retrieve(made.id)).toMatchObject({ status: 'active' })
  })

  it('goes nowhere without a secret that it knows, or to an address that is none', async () => {
    const { hidden } = await setup()
    expect(
      (await get('/elements?client_secret=seti_x&return_url=http://portal.test/')).status,
    ).toBe(404)
    expect(
      (
        await get(
          `/elements?${new URLSearchParams({ ...hidden, return_url: 'javascript:alert(1)' })}`,
        )
      ).status,
    ).toBe(404)
    expect((await post('/elements', { ...hidden, return_url: 'nowhere', ...entered })).status).toBe(
      404,
    )
  })
})

describe('the pages', () => {
  it('show an invoice, its document, and pay it', async () => {
    const made = await server.subscription(2, { payment_behavior: 'default_incomplete' }, '')
    const invoice = await server.stripe.invoices.retrieve(String(made.latest_invoice))
    const path = new URL(invoice.hosted_invoice_url ?? '').pathname
    expect((await get(path)).text).toContain('€16.00')
    expect((await post(path, { number: '' })).text).toContain('The card was declined')
    expect(await post(path, entered)).toMatchObject({ status: 303 })
    const document = await get(new URL(invoice.invoice_pdf ?? '').pathname)
    expect(document.headers.get('content-type')).toBe('application/pdf')
    expect(document.text).toMatch(/^%PDF-1\.4[\s\S]*EUR 16\.00[\s\S]*%%EOF\n$/)
    expect((await get('/invoices/in_unknown')).status).toBe(404)
  })

  it('let time pass, refund, dispute and send events again', async () => {
    const { paymentsUrl } = server.sandbox
    const made = await server.subscription(1)
    const id = String(made.latest_invoice)
    expect(await post('/buttons', { do: 'dispute', id })).toMatchObject({
      status: 303,
      location: '/',
    })
    const shown = (await get('/')).text
    expect(shown).toContain('customer.subscription.created')
    const dispute = /name="id" value="(du_\w+)"/.exec(shown)?.[1] ?? ''
    await post('/buttons', { do: 'won', id: dispute })
    expect(await server.stripe.disputes.retrieve(dispute)).toMatchObject({ status: 'won' })
    expect(await post('/buttons', { do: 'refund', id })).toMatchObject({ status: 303 })
    expect(await post('/buttons', { do: 'refund', id })).toMatchObject({
      status: 400,
      text: expect.stringContaining('greater than unrefunded'),
    })
    const before = server.sandbox.payments.now()
    await post('/buttons', { advance: '3' })
    expect(server.sandbox.payments.now().getTime() - before.getTime()).toBe(3 * 86_400_000)
    server.sandbox.payments.webhooks.hold()
    server.sandbox.payments.webhooks.sendBy(() => Promise.resolve(200))
    const event = server.sandbox.payments.events()[0]?.id ?? ''
    expect(await post('/buttons', { resend: event })).toMatchObject({ status: 303 })
    expect(server.sandbox.payments.events()[0]?.deliveries).toMatchObject([{ status: 200 }])
    expect(paymentsUrl).toMatch(/^http:\/\/localhost:/)
  })

  it('cancel and keep a subscription in the billing portal of its customer only', async () => {
    const made = await server.subscription(1)
    const other = await server.subscription(1)
    const session = await server.stripe.billingPortal.sessions.create({
      customer: String(made.customer),
      return_url: back,
    })
    const path = new URL(session.url).pathname
    expect((await get(path)).text).toContain('Cancel at the end of the period')
    await post(path, { subscription: made.id, cancel: 'yes' })
    expect(await server.stripe.subscriptions.retrieve(made.id)).toMatchObject({
      cancel_at_period_end: true,
    })
    await post(path, { subscription: made.id, cancel: 'no' })
    expect(await server.stripe.subscriptions.retrieve(made.id)).toMatchObject({
      cancel_at_period_end: false,
      cancel_at: null,
    })
    expect((await post(path, { subscription: other.id, cancel: 'yes' })).status).toBe(404)
    expect((await get('/portal/bps_unknown')).status).toBe(404)
  })
})
