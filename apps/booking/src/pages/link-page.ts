import { html } from 'hono/html'
import { textField } from './form-fields.ts'
import type { Page } from './layout.ts'
import { messagePage, notice } from './message-page.ts'

/**
 * Where a calendar entry leads: asks for the visitor's address, which the manage link is then sent
 * to.
 */
export function linkPage({
  email,
  error,
  rejection,
}: {
  email: string
  error?: string | undefined
  rejection?: { title: string; text?: string } | undefined
}): Page {
  const title = 'Move or cancel your booking'
  const field = { name: 'email', label: 'Your e-mail address', value: email, error, required: true }
  return {
    title,
    announce: title,
    body: html`<div class="panel narrow">${rejection ? notice('alert', rejection.title, rejection.text) : ''}
<h1>${title}</h1><p>Enter the address that you booked with. You get an e-mail with the link to your booking.</p>
<form method="post" class="fields" data-once>${textField(field, { type: 'email', autocomplete: 'email', most: 254 })}
<p class="buttons"><button class="button" data-busy="Sending…">Send the link</button></p></form></div>`,
  }
}

export function linkSentPage(email: string): Page {
  return messagePage(
    'Look into your mail',
    `If a booking was made with ${email}, an e-mail with its link is on the way. It is sent at most once an hour.`,
  )
}
