import { describe, expect, it } from 'vitest'
import { maskedPayload, webhookRetrySeconds } from '../../src/billing/webhooks.ts'

describe('retries of a payment event', () => {
  it('come after 1, 5 and 30 minutes, 2 and 12 hours, then never', () => {
    expect([1, 2, 3, 4, 5, 6].map(webhookRetrySeconds)).toEqual([
      60,
      300,
      1_800,
      7_200,
      43_200,
      undefined,
    ])
  })
})

describe('the payload of an event as operators see it', () => {
  it('keeps ids, words and amounts and hides people, secrets and links', () => {
    const masked = maskedPayload({
      id: 'evt_1',
      type: 'invoice.paid',
      data: {
        object: {
          id: 'in_1',
          amount_paid: 1200,
          status: 'paid',
          customer: 'cus_1',
          customer_email: 'anna@acme.test',
          customer_name: 'Anna Owner',
          customer_address: { city: 'Berlin', line1: 'Weg 1' },
          hosted_invoice_url: 'https://pay.test/secret',
          invoice_pdf: 'https://pay.test/secret.pdf',
          client_secret: 'seti_secret',
          payment_method: { card: { brand: 'visa', last4: '4242', fingerprint: 'abc' } },
          metadata: { tenantId: 't-1', note: 'write to anna@acme.test today' },
          lines: [{ amount: 1, description: '4 seats for Anna' }],
        },
      },
    })
    expect(masked).toEqual({
      id: 'evt_1',
      type: 'invoice.paid',
      data: {
        object: {
          id: 'in_1',
          amount_paid: 1200,
          status: 'paid',
          customer: 'cus_1',
          customer_email: '***',
          customer_name: '***',
          customer_address: '***',
          hosted_invoice_url: '***',
          invoice_pdf: '***',
          client_secret: '***',
          payment_method: { card: { brand: 'visa', last4: '***', fingerprint: '***' } },
          metadata: { tenantId: 't-1', note: 'write to *** today' },
          lines: [{ amount: 1, description: '***' }],
        },
      },
    })
  })
  it('ends where an object is nested without end', () => {
    const deep: Record<string, unknown> = {}
    deep.self = deep
    expect(JSON.stringify(maskedPayload(deep))).toContain('…')
  })
})
