import { text } from 'node:stream/consumers'
import { AcceptedInvitation } from '@atrium/core/members/invitations'
import { AppError } from '@atrium/core/platform/errors'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { requestHeaders } from './forwarding.ts'
import { pageOf } from './message-page.ts'
import type { AppContext } from './request.ts'
import type { Upstream } from './upstream.ts'

/** Paths below this one hold the token of a mailed link. */
export const invitationPath = '/invitation/'

export interface Invitations {
  /**
   * The page behind the link of a mail. It changes nothing: programs that check the links of mails
   * follow it too.
   */
  show(c: AppContext): Response | Promise<Response>
  /** Follows the link, and shows how the person signs in. */
  accept(c: AppContext, token: string): Promise<Response>
}

interface Parts {
  upstream: Upstream
  trustedProxyHops: number
  countryHeader: string | undefined
  appSecret: string | undefined
}

/** The pages of mailed links, for people without a session. */
export function createInvitations({ upstream, ...forwarding }: Parts): Invitations {
  return {
    show: (c) =>
      pageOf(
        c,
        200,
        'Go on with the link from your mail',
        html`<p>With this you confirm that the mail came to you. The link works once.</p>
          <form method="post"><button type="submit">Go on</button></form>
          <p>If you did not expect the mail, close this page. Nothing happens then.</p>`,
      ),

    async accept(c, token) {
      // Nothing else fits into a header, and nothing else is a token.
      if (!/^[\w-]{1,100}$/.test(token))
        return rejected(c, 404, 'This link is not complete. Copy all of it from the mail.')
      const headers = {
        ...requestHeaders(c, { app: 'portal', ...forwarding }),
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      }
      const response = await upstream.send({
        method: 'POST',
        target: '/invitations/accept',
        headers,
        body: Buffer.from('{}'),
        signal: c.req.raw.signal,
      })
      const status = response.statusCode ?? 502
      c.get('line').upstreamStatus = status
      const body: unknown = JSON.parse(await text(response))
      if (status !== 200) return rejected(c, status as ContentfulStatusCode, detailOf(body))
      const accepted = AcceptedInvitation.safeParse(body)
      if (accepted.success) return welcome(c, accepted.data)
      throw new AppError('upstream_failed', 'The platform answered in an unexpected way.', {
        cause: accepted.error,
      })
    },
  }
}

function welcome(
  c: AppContext,
  { email, joined, path, link, tempPassword }: AcceptedInvitation,
): Response | Promise<Response> {
  const title = joined === null ? 'Your new password' : `You belong to ${joined} now`
  if (link !== undefined) {
    return pageOf(
      c,
      200,
      title,
      html`<p>Set a password for ${email}, then sign in with it.</p>
        <p><a class="button" href="${link}" rel="noreferrer">Set a password</a></p>`,
    )
  }
  const signIn = html`<p><a class="button" href="${path}">Sign in</a></p>`
  if (tempPassword === undefined)
    return pageOf(
      c,
      200,
      title,
      html`<p>Sign in as ${email}, with the password you have.</p>${signIn}`,
    )
  return pageOf(
    c,
    200,
    title,
    html`<p>Sign in as ${email} with this password. It is shown once: write it down or change it right after.</p>
      <p><code>${tempPassword}</code></p>
      ${signIn}`,
  )
}

const rejected = (c: AppContext, status: ContentfulStatusCode, reason: string) =>
  pageOf(
    c,
    status,
    'This link does not work',
    html`<p>${reason}</p><p><a href="/">To the start page</a></p>`,
  )

function detailOf(body: unknown): string {
  const detail = typeof body === 'object' && body !== null ? Reflect.get(body, 'detail') : undefined
  return typeof detail === 'string' ? detail : 'Try again in a moment.'
}
