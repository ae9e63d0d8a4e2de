import { startSandbox } from '@atrium/sandbox/start'
import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookRejected, type WebhookRejection } from '../src/payments/webhooks.ts'

const secret = 'whsec_current'
const now = new Date('2026-11-21T12:00:00Z')
const nowSeconds = now.getTime() / 1000

const event = {
  id: 'evt_1',
  object: 'event',
  api_version: '2026-10-28.endive',
  created: nowSeconds - 10,
  data: { object: { id: 'sub_1', object: 'subscription' } },
  livemode: false,
  type: 'customer.subscription.updated',
}
const payload = JSON.stringify(event)

function header(options: { payload?: string; secret?: string; timestamp?: number } = {}): string {
  return Stripe.webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp: nowSeconds,
    ...options,
  })
}

function reasonOf(work: () => unknown): WebhookRejection | 'taken' {
  try {
    work()
    return 'taken'
  } catch (error) {
    if (error instanceof WebhookRejected) return error.reason
    throw error
  }
}

const verify = (
  body: string | Buffer,
  given: string | undefined,
  secrets: readonly string[] = [secret],
) => reasonOf(() => verifyWebhook(body, given, secrets, now))

describe('a webhook', () => {
  it('is taken with its signature, as text and as bytes, and told in our words', () => {
    const expected = {
      id: 'evt_1',
      type: 'customer.subscription.updated',
      apiVersion: '2026-10-28.endive',
      created: new Date('2026-11-21T11:59:50Z'),
      livemode: false,
      objectType: 'subscription',
      objectId: 'sub_1',
      payload: event,
    }
    expect(verifyWebhook(payload, header(), [secret], now)).toEqual(expected)
    expect(verifyWebhook(Buffer.from(payload), header(), [secret], now)).toEqual(expected)
  })

  it('is taken with either secret while one is being changed', () => {
    expect(verify(payload, header(), ['whsec_next', secret])).toBe('taken')
    expect(verify(payload, header({ secret: 'whsec_next' }), ['whsec_next', secret])).toBe('taken')
    const both = `t=${nowSeconds},v1=${'0'.repeat(64)},${header().split(',')[1]}`
    expect(verify(payload, both)).toBe('taken')
  })

  it.each([
    [-299, 'taken'],
    [-300, 'taken'],
    [-301, 'too_old'],
    [0, 'taken'],
    [300, 'taken'],
    [301, 'in_the_future'],
    [86_400, 'in_the_future'],
  ] as const)('signed %d seconds from now is %s', (offset, outcome) => {
    expect(verify(payload, header({ timestamp: nowSeconds + offset }))).toBe(outcome)
  })

  it('is rejected when it is forged', () => {
    expect(verify(payload, header({ secret: 'whsec_other' }))).toBe('bad_signature')
    expect(verify(payload.replace('sub_1', 'sub_2'), header())).toBe('bad_signature')
    expect(verify(`${payload} `, header())).toBe('bad_signature')
    expect(verify(payload, `t=${nowSeconds},v0=${header().split('v1=')[1]}`)).toBe('bad_signature')
    expect(verify(payload, 'nonsense')).toBe('bad_signature')
    expect(verify('', header())).toBe('bad_signature')
  })

  it('of the past cannot wear a second, newer timestamp', () => {
    const old = header({ timestamp: nowSeconds - 3_600 })
    expect(verify(payload, old)).toBe('too_old')
    expect(verify(payload, `t=${nowSeconds},${old}`)).toBe('bad_signature')
    expect(verify(payload, `${old},t=${nowSeconds}`)).toBe('bad_signature')
    expect(verify(payload, ` t=${nowSeconds},${old}`)).toBe('bad_signature')
  })

  it('is rejected without a signature or a secret to check it with', () => {
    expect(verify(payload, undefined)).toBe('no_signature')
    expect(verify(payload, ' ')).toBe('no_signature')
    expect(verify(payload, header(), [])).toBe('no_secret')
    expect(verify(payload, header(), ['', '  '])).toBe('no_secret')
  })

  it.each([
    [
      '{"object":"v2.core.event","id":"evt_2","type":"v1.billing.meter.no_meter_found"}',
      'thin_event',
    ],
    ['{"object":"event"', 'not_json'],
    ['[]', 'no_event'],
    ['"event"', 'no_event'],
    ['{"object":"customer","id":"cus_1"}', 'no_event'],
    ['{"object":"event","id":"evt_1","type":"x","created":"now","data":{}}', 'no_event'],
    ['{"object":"event","id":"evt_1","type":"x","created":1e15,"data":{}}', 'no_event'],
    ['{"object":"event","id":"evt_1","type":"x","created":-1,"data":{}}', 'no_event'],
    ['{"object":"event","id":"evt_1","type":"x","created":1.5,"data":{}}', 'no_event'],
    [`{"object":"event","id":"${'e'.repeat(3_000)}","type":"x","created":1,"data":{}}`, 'no_event'],
    [
      '{"object":"event","id":"evt_1","type":"x","created":1,"data":{"object":{"name":"a\\u0000b"}}}',
      'not_storable',
    ],
    [
      '{"object":"event","id":"evt_1","type":"x","created":1,"data":{"a\\u0000":1}}',
      'not_storable',
    ],
    [
      '{"object":"event","id":"evt_1","type":"x","created":1,"data":{"object":["\\ud800"]}}',
      'not_storable',
    ],
    [
      `{"object":"event","id":"evt_1","type":"x","created":1,"data":{"object":${'['.repeat(90_000)}${']'.repeat(90_000)}}}`,
      'not_storable',
    ],
  ] as const)('whose body is %s is refused as %s although it is signed', (body, reason) => {
    expect(verify(body, header({ payload: body }))).toBe(reason)
  })

  it.each([
    ['a byte order mark before the text that was signed', Buffer.from(`\ufeff${payload}`)],
    [
      'a broken byte in the place of a replacement character',
      Buffer.from(`${payload.slice(0, -1)},"x":"\u00ff"}`, 'latin1'),
    ],
  ])('is refused with %s', (_, body) => {
    const signedText = body[0] === 0xef ? payload : body.toString('utf8')
    expect(verify(body, header({ payload: signedText }))).toBe('bad_signature')
  })

  it('whose object has no id, or is none, is taken', () => {
    const upcoming = JSON.stringify({
      ...event,
      type: 'invoice.upcoming',
      data: { object: { object: 'invoice' } },
    })
    expect(verifyWebhook(upcoming, header({ payload: upcoming }), [secret], now)).toMatchObject({
      objectType: 'invoice',
      objectId: null,
    })
  })

  it('tells why it is rejected without a word of the request', () => {
    for (const given of [undefined, header({ secret: 'whsec_other' }), header({ timestamp: 0 })]) {
      try {
        verifyWebhook(payload, given, [secret], now)
        expect.unreachable()
      } catch (error) {
        expect(String(error)).not.toMatch(/whsec|sub_1|evt_1|v1=/)
      }
    }
  })
})

it('of the sandbox carries a signature that the SDK and we take', async () => {
  const sandbox = await startSandbox({ payments: { now: () => now.getTime() } })
  try {
    sandbox.payments.act({
      action: 'emit',
      type: 'customer.updated',
      object: { id: 'cus_1', object: 'customer' },
    })
    const id = sandbox.payments.events()[0]?.id ?? ''
    const { body, headers } = sandbox.payments.webhooks.signed(id)
    const signature = headers['stripe-signature']
    expect(verifyWebhook(body, signature, ['whsec_sandboxlocaluse'], now)).toMatchObject({
      id,
      type: 'customer.updated',
      objectId: 'cus_1',
    })
    const old = sandbox.payments.webhooks.signed(id, { signedAt: now.getTime() - 301_000 })
    expect(
      reasonOf(() =>
        verifyWebhook(old.body, old.headers['stripe-signature'], ['whsec_sandboxlocaluse'], now),
      ),
    ).toBe('too_old')
  } finally {
    await sandbox.close()
  }
})
