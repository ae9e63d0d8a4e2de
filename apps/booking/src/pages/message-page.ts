import { html } from 'hono/html'
import type { Frame, Html, Page } from './layout.ts'

/** A page that says one thing, and what can be done about it. */
export function messagePage(
  title: string,
  text: string,
  {
    frame,
    link,
    embedOrigins,
  }: {
    frame?: Frame
    link?: { href: string; text: string }
    embedOrigins?: readonly string[]
  } = {},
): Page {
  return {
    title,
    frame,
    ...(embedOrigins && { embedOrigins }),
    body: html`<div class="panel message"><h1>${title}</h1><p>${text}</p>${link ? html`<p><a class="button" href="${link.href}">${link.text}</a></p>` : ''}</div>`,
  }
}

/** A warning or confirmation above the content. `alert` is read out at once. */
export function notice(kind: 'alert' | 'done' | 'note', title: string, text?: Html | string): Html {
  const role = kind === 'alert' ? 'alert' : 'status'
  return html`<div class="notice ${kind}" role="${role}" id="notice" tabindex="-1"><p><strong>${title}</strong></p>${text ? html`<p>${text}</p>` : ''}</div>`
}
