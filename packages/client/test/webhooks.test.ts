import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type EventOf, verifyWebhook, WebhookVerificationError } from '../src/webhooks.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const body = '{"type":"member.created","data":{"name":"Zoë"}}'

function signedHeaders(by: string, at = new Date(), content = body) {
  return {
    'Webhook-Id': 'msg_1',
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
    'Webhook-Signature': new Webhook(by).sign('msg_1', at, content),
  }
}

describe('a webhook', () => {
  it('is returned when its signature is right, whatever form its headers have', () => {
    const headers = signedHeaders(secret)
    expect(verifyWebhook({ body, headers }, secret)).toEqual(JSON.parse(body))
    expect(verifyWebhook({ body, headers: new Headers(headers) }, secret)).toEqual(JSON.parse(body))
  })

  it('is accepted under either secret during a rotation', () => {
    const next = newSecret()
    for (const one of [secret, next])
      expect(verifyWebhook({ body, headers: signedHeaders(one) }, [next, secret])).toEqual(
        JSON.parse(body),
      )
  })

  it.each([
    ['another secret', { body, headers: signedHeaders(newSecret()) }],
    ['another body', { body: `${body} `, headers: signedHeaders(secret) }],
    ['an old time', { body, headers: signedHeaders(secret, new Date(Date.now() - 600_000)) }],
    ['a time to come', { body, headers: signedHeaders(secret, new Date(Date.now() + 600_000)) }],
    ['no headers', { body, headers: {} }],
    ['another id', { body, headers: { ...signedHeaders(secret), 'Webhook-Id': 'msg_2' } }],
  ])('is rejected with %s', (_, received) => {
    expect(() => verifyWebhook(received, secret)).toThrow(WebhookVerificationError)
  })

  it('has the fields of its type', () => {
    const event = {
      id: '0197f7a4-2c1e-7000-8000-000000000001',
      type: 'list.updated',
      timestamp: '2026-01-31T09:30:00Z',
      cursor: '81250-4711-1769851800',
      data: {
        tenant: 'acme',
        partner: null,
        actor: { type: 'user', id: null, email: null },
        resource: { type: 'list', id: null, name: 'sales@example.com' },
        changes: { name: ['Sales', 'Support'] },
        details: { recipientsLeft: 2 },
      },
    } satisfies EventOf<'list.updated'>
    const text = JSON.stringify(event)
    const message = verifyWebhook(
      { body: text, headers: signedHeaders(secret, new Date(), text) },
      secret,
    )
    if (message.type !== 'list.updated') throw new Error(`received ${message.type}`)
    // Neither compiles for another type.
    const left: number | undefined = message.data.details.recipientsLeft
    const kind: 'list' = message.data.resource.type
    expect({ left, kind }).toEqual({ left: 2, kind: 'list' })
  })

  it('is rejected without a secret', () => {
    expect(() => verifyWebhook({ body, headers: signedHeaders(secret) }, [])).toThrow(
      WebhookVerificationError,
    )
  })
})
