import { json } from 'node:stream/consumers'
import { AcceptedInvitation, MailedLink } from '@atrium/core/invitations/invitations'
import { AppError } from '@atrium/core/platform/errors'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { requestHeaders } from './forwarding.ts'
import { pageOf } from './message-page.ts'
import type { AppContext } from './request.ts'
import type { Upstream } from './upstream.ts'

/** Paths below this one hold the token of a mailed link. */
export const invitationPath = '/invitation/'
/** The same for links that move a person to the workplace of the address. */
export const claimPath = '/claim/'

export interface Invitations {
  /**
   * The page behind the link of a mail: who invites to what. It changes nothing: programs that
   * check the links of mails follow it too.
   */
  show(c: AppContext, token: string): Promise<Response>
  /**
   * A form of that page, by `action` of the query: `open` (the person continues, and may then
   * accept or decline), `decline`, or else accept, which shows how the person signs in.
   */
  act(c: AppContext, token: string): Promise<Response>
  /** The page behind the link of a claim to the person's address; it changes nothing. */
  showMove(c: AppContext): Response | Promise<Response>
  /** Follows that link, and shows how the person signs in. */
  move(c: AppContext, token: string): Promise<Response>
}

interface Parts {
  upstream: Upstream
  trustedProxyHops: number
  countryHeader: string | undefined
  appSecret: string | undefined
}

type Reply<Schema extends z.ZodType> = { data: z.output<Schema> } | { page: Promise<Response> }

/** The pages of mailed links, for people without a session. */
export function createInvitations({ upstream, ...forwarding }: Parts): Invitations {
  async function ask<Schema extends z.ZodType>(
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

  return {
    async show(c, token) {
      const reply = await ask(c, token, { method: 'GET', target: '/invitations/link' }, MailedLink)
      return 'page' in reply ? reply.page : landing(c, reply.data)
    },

    async act(c, token) {
      const action = c.req.query('action')
      if (action === 'open') {
        const reply = await ask(c, token, post('/invitations/open'), MailedLink)
        return 'page' in reply ? reply.page : decision(c, reply.data)
      }
      if (action === 'decline') {
        const reply = await ask(c, token, post('/invitations/decline'), z.undefined())
        return 'page' in reply ? reply.page : declined(c)
      }
      const reply = await ask(c, token, post('/invitations/accept'), AcceptedInvitation)
      return 'page' in reply ? reply.page : welcome(c, reply.data)
    },

    showMove(c) {
      const text = serverPageTexts(c.get('language'))
      return pageOf(
        c,
        200,
        text('invitation.title'),
        html`<p>${text('invitation.moves')}</p>
          ${button('accept', text('invitation.continue'))}
          <p>${text('invitation.unexpected')}</p>`,
      )
    },

    async move(c, token) {
      const reply = await ask(c, token, post('/address-claims/move'), AcceptedInvitation)
      return 'page' in reply ? reply.page : welcome(c, reply.data)
    },
  }
}

const post = (target: string) => ({ method: 'POST' as const, target })

const button = (action: string, label: string, look = '') =>
  html`<form method="post" action="?action=${action}"><button type="submit" class="${look}">${label}</button></form>`

/** Before the person continues. A link to a new password asks nothing else. */
async function landing(c: AppContext, link: MailedLink): Promise<Response> {
  const text = serverPageTexts(c.get('language'))
  if (link.kind === 'password')
    return pageOf(
      c,
      200,
      text('invitation.title'),
      html`<p>${text('invitation.hint')}</p>
        ${button('accept', text('invitation.continue'))}
        <p>${text('invitation.unexpected')}</p>`,
    )
  return pageOf(
    c,
    200,
    titleOf(c, link),
    html`<p>${sentenceOf(c, link)}</p>
      ${button('open', text('invitation.continue'))}
      <p>${text('invitation.unexpected')}</p>`,
  )
}

/** All there is to know, and the choice. */
async function decision(c: AppContext, link: MailedLink): Promise<Response> {
  const language = c.get('language')
  const text = serverPageTexts(language)
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  const expires = text('invitation.expires', { date: until.format(new Date(link.expiresAt)) })
  return pageOf(
    c,
    200,
    titleOf(c, link),
    html`<p>${sentenceOf(c, link)}</p>
      ${link.message === null ? '' : html`<blockquote>${link.message}</blockquote>`}
      <p>${text('invitation.address', { email: link.email })} ${expires}</p>
      ${button('accept', text('invitation.accept'))}
      ${button('decline', text('invitation.decline'), 'plain')}`,
  )
}

function titleOf(c: AppContext, { kind, place }: MailedLink): string {
  const text = serverPageTexts(c.get('language'))
  return kind === 'operator' || place === null
    ? text('invitation.operators')
    : text('invitation.to', { name: place })
}

/** Who invites, and to what. */
function sentenceOf(c: AppContext, { kind, inviter, role, access, place }: MailedLink): string {
  const text = serverPageTexts(c.get('language'))
  const names = { inviter: inviter ?? '', name: place ?? '' }
  if (kind === 'operator') return text('invitation.asOperator', names)
  if (access !== null)
    return text('invitation.asStaff', { ...names, access: text(`invitation.access.${access}`) })
  return text('invitation.asMember', {
    ...names,
    role: text(`invitation.roles.${role ?? 'member'}`),
  })
}

async function declined(c: AppContext): Promise<Response> {
  const text = serverPageTexts(c.get('language'))
  return pageOf(
    c,
    200,
    text('invitation.declined'),
    html`<p>${text('invitation.declinedHint')}</p>`,
  )
}

async function welcome(
  c: AppContext,
  { email, joined, path, link, tempPassword }: AcceptedInvitation,
): Promise<Response> {
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
