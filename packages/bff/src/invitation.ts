import { json } from 'node:stream/consumers'
import { AcceptedInvitation } from '@atrium/core/members/invitations'
import { AppError } from '@atrium/core/platform/errors'
import { serverPageTexts } from '@atrium/messages/server-pages'
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
    show(c) {
      const text = serverPageTexts(c.get('language'))
      return pageOf(
        c,
        200,
        text('invitation.title'),
        html`<p>${text('invitation.hint')}</p>
          <form method="post"><button type="submit">${text('invitation.continue')}</button></form>
          <p>${text('invitation.unexpected')}</p>`,
      )
    },

    async accept(c, token) {
      // Nothing else fits into a header, and nothing else is a token.
      if (!/^[\w-]{1,100}$/.test(token))
        return rejected(c, 404, serverPageTexts(c.get('language'))('invitation.incomplete'))
      const headers = {
        ...requestHeaders(c, { app: 'portal', ...forwarding }),
        accept: 'application/json',
        'accept-language': c.get('language'),
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
      const body: unknown = await json(response)
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
  const text = serverPageTexts(c.get('language'))
  const title =
    joined === null ? text('invitation.newPassword') : text('invitation.joined', { name: joined })
  if (link !== undefined) {
    return pageOf(
      c,
      200,
      title,
      html`<p>${text('invitation.choosePassword', { email })}</p>
        <p><a class="button" href="${link}" rel="noreferrer">${text('invitation.setPassword')}</a></p>`,
    )
  }
  const signIn = html`<p><a class="button" href="${path}">${text('invitation.signIn')}</a></p>`
  if (tempPassword === undefined)
    return pageOf(
      c,
      200,
      title,
      html`<p>${text('invitation.existingPassword', { email })}</p>${signIn}`,
    )
  return pageOf(
    c,
    200,
    title,
    html`<p>${text('invitation.tempPassword', { email })}</p>
      <p><code>${tempPassword}</code></p>
      ${signIn}`,
  )
}

function rejected(c: AppContext, status: ContentfulStatusCode, detail: string | undefined) {
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
