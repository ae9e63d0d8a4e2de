import { AcceptedInvitation, MailedLink } from '@atrium/core/invitations/invitations'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { html } from 'hono/html'
import { z } from 'zod'
import { createLinkCalls, type LinkCallParts, post } from './mailed-links.ts'
import { pageOf } from './message-page.ts'
import type { AppContext } from './request.ts'

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

/** The pages of mailed links, for people without a session. */
export function createInvitations(parts: LinkCallParts): Invitations {
  const ask = createLinkCalls(parts)

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
