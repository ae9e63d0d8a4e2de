import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../src/webhooks.ts'

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

  it('is rejected without a secret', () => {
    expect(() => verifyWebhook({ body, headers: signedHeaders(secret) }, [])).toThrow(
      WebhookVerificationError,
    )
  })
})
