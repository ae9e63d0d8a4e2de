import { type MailGroup, mailGroups, Unsubscribed } from '@atrium/core/account/notifications'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { html } from 'hono/html'
import { createLinkCalls, type LinkCallParts, post } from './mailed-links.ts'
import { pageOf } from './message-page.ts'
import type { AppContext } from './request.ts'

/** Paths below this one hold the token of a link that switches off a group of mails. */
export const unsubscribePath = '/unsubscribe/'

export interface Unsubscribing {
  /** Asks whether to switch the mails off; changes nothing. */
  show(c: AppContext, token: string): Response | Promise<Response>
  /** Switches them off: the form of that page, or a mail program's one click (RFC 8058). */
  act(c: AppContext, token: string): Promise<Response>
}

/** The pages behind the `List-Unsubscribe` of mails, for people without a session. */
export function createUnsubscribing(parts: LinkCallParts): Unsubscribing {
  const ask = createLinkCalls(parts)
  return {
    show(c, token) {
      const text = serverPageTexts(c.get('language'))
      const mails = nameOf(c, token.split('_', 1)[0])
      return pageOf(
        c,
        200,
        text('unsubscribe.title'),
        html`<p>${mails === undefined ? text('unsubscribe.question') : text('unsubscribe.questionOf', { mails })}</p>
          <form method="post"><button type="submit">${text('unsubscribe.confirm')}</button></form>`,
      )
    },

    async act(c, token) {
      const reply = await ask(c, token, post('/unsubscribe'), Unsubscribed)
      if ('page' in reply) return reply.page
      const text = serverPageTexts(c.get('language'))
      return pageOf(
        c,
        200,
        text('unsubscribe.done'),
        html`<p>${text('unsubscribe.doneOf', { mails: nameOf(c, reply.data.group) ?? '' })}</p>
          <p><a class="button" href="/profile/security">${text('unsubscribe.settings')}</a></p>`,
      )
    },
  }
}

function nameOf(c: AppContext, group: string | undefined): string | undefined {
  const known: MailGroup | undefined = mailGroups.find((one) => one === group)
  return known && serverPageTexts(c.get('language'))(`unsubscribe.groups.${known}`)
}
