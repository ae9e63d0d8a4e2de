import { html } from 'hono/html'
import type { Formats } from '../formats.ts'
import { textField } from './form-fields.ts'
import type { Page } from './layout.ts'
import { messagePage, notice } from './message-page.ts'

/**
 * Where a calendar entry leads: asks for the visitor's address, which the manage link is then sent
 * to.
 */
export function linkPage(
  { text }: Formats,
  {
    email,
    error,
    rejection,
  }: {
    email: string
    error?: string | undefined
    rejection?: { title: string; text?: string } | undefined
  },
): Page {
  const title = text('manage.link.title')
  const label = text('manage.link.email')
  const field = { text, name: 'email', label, value: email, error, required: true }
  return {
    title,
    announce: title,
    body: html`<div class="panel narrow">${rejection ? notice('alert', rejection.title, rejection.text) : ''}
<h1>${title}</h1><p>${text('manage.link.hint')}</p>
<form method="post" class="fields" data-once>${textField(field, { type: 'email', autocomplete: 'email', most: 254 })}
<p class="buttons"><button class="button" data-busy="${text('manage.link.busy')}">${text('manage.link.submit')}</button></p></form></div>`,
  }
}

export function linkSentPage({ text }: Formats, email: string): Page {
  return messagePage(text('manage.link.sentTitle'), text('manage.link.sent', { email }))
}
