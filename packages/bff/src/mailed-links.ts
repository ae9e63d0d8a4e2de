import { json } from 'node:stream/consumers'
import { AppError } from '@atrium/core/platform/errors'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import { requestHeaders } from './forwarding.ts'
import { pageOf } from './message-page.ts'
import type { AppContext } from './request.ts'
import type { Upstream } from './upstream.ts'

export interface LinkCallParts {
  upstream: Upstream
  trustedProxyHops: number
  countryHeader: string | undefined
  appSecret: string | undefined
}

type Reply<Schema extends z.ZodType> = { data: z.output<Schema> } | { page: Promise<Response> }

export const post = (target: string) => ({ method: 'POST' as const, target })

/**
 * Calls the API with the token of a mailed link as bearer token. A rejection is a page with the
 * API's own words.
 */
export function createLinkCalls({ upstream, ...forwarding }: LinkCallParts) {
  return async function ask<Schema extends z.ZodType>(
    c: AppContext,
    token: string,
    call: { method: 'GET' | 'POST'; target: string },
    schema: Schema,
  ): Promise<Reply<Schema>> {
    // Nothing else fits into a header, and nothing else is a token.
    if (!/^[\w-]{1,100}$/.test(token))
      return { page: rejected(c, 404, serverPageTexts(c.get('language'))('invitation.incomplete')) }
    const response = await upstream.send({
      ...call,
      headers: {
        ...requestHeaders(c, { app: 'portal', ...forwarding }),
        accept: 'application/json',
        'accept-language': c.get('language'),
        authorization: `Bearer ${token}`,
        ...(call.method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(call.method === 'POST' ? { body: Buffer.from('{}') } : {}),
      signal: c.req.raw.signal,
    })
    const status = response.statusCode ?? 502
    c.get('line').upstreamStatus = status
    const body: unknown = status === 204 ? undefined : await json(response)
    if (status >= 300) return { page: rejected(c, status as ContentfulStatusCode, detailOf(body)) }
    const parsed = schema.safeParse(body)
    if (parsed.success) return { data: parsed.data }
    throw new AppError('upstream_failed', 'The platform answered in an unexpected way.', {
      cause: parsed.error,
    })
  }
}

async function rejected(
  c: AppContext,
  status: ContentfulStatusCode,
  detail: string | undefined,
): Promise<Response> {
  const text = serverPageTexts(c.get('language'))
  return pageOf(
    c,
    status,
    text('invitation.rejected'),
    html`<p>${detail ?? text('invitation.later')}</p><p><a href="/">${text('backToStart')}</a></p>`,
  )
}

/** Why the API rejected the call, in its own words. */
function detailOf(body: unknown): string | undefined {
  const detail = typeof body === 'object' && body !== null ? Reflect.get(body, 'detail') : undefined
  return typeof detail === 'string' ? detail : undefined
}
