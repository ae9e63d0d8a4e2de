import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { deliveryDeadlineMs, loggedLength } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { Webhook } from 'standardwebhooks'

export interface WebhookMessage {
  url: string
  /** Of the endpoint, and the one before a rotation during the overlap: one signature each. */
  secrets: readonly string[]
  /** The same for each delivery of an event. */
  id: string
  body: string
}

/** How a request ended: with a status, or with the reason why there is none. */
export type WebhookResponse = { milliseconds: number } & (
  | { status: number; response: string; error: null }
  | { status: null; response: null; error: string }
)

export interface WebhookSender {
  /** Sends a signed message by POST (Standard Webhooks). Never throws. */
  send(message: WebhookMessage): Promise<WebhookResponse>
  close(): void
}

/** What is read of a response, in bytes. */
const mostRead = 4 * loggedLength

/**
 * Sends to public addresses and to those that an operator named. The address is checked for each
 * connection, after the name was resolved, so that no name leads inside. Redirects are not
 * followed.
 */
export function createWebhookSender(allowedAddresses: readonly string[]): WebhookSender {
  const options = { keepAlive: true, maxSockets: 4, allowIPAddressList: [...allowedAddresses] }
  const agents = {
    http: new RequestFilteringHttpAgent(options),
    https: new RequestFilteringHttpsAgent(options),
  }
  async function post({ url, secrets, id, body }: WebhookMessage) {
    const at = new Date()
    const secure = url.startsWith('https:')
    const signal = AbortSignal.timeout(deliveryDeadlineMs)
    const request = (secure ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: secure ? agents.https : agents.http,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'atrium-webhooks',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': secrets
          .map((secret) => new Webhook(secret).sign(id, at, body))
          .join(' '),
      },
    })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= mostRead) break
    }
    // PostgreSQL takes no NUL in a text.
    const text = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\ufffd')
    return {
      status: response.statusCode ?? 0,
      response: text.slice(0, loggedLength).toWellFormed(),
    }
  }
  return {
    async send(message) {
      const startedAt = performance.now()
      const milliseconds = () => Math.round(performance.now() - startedAt)
      try {
        const result = await post(message)
        return { milliseconds: milliseconds(), error: null, ...result }
      } catch (error) {
        const failure = { status: null, response: null, error: reasonOf(error) }
        return { milliseconds: milliseconds(), ...failure }
      }
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/**
 * `timeout`, `address_not_allowed`, or the code of the connection's error such as `ECONNREFUSED`.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'timeout'
  if (/ is not allowed\. Because/.test(error.message)) return 'address_not_allowed'
  return 'code' in error && typeof error.code === 'string' ? error.code : 'failed'
}
