import { html, type Markup, page } from '../page.ts'
import type { Message } from './messages.ts'

type Page = ReturnType<typeof page>

function framed(input: Parameters<typeof page>[0]): Page {
  const made = page(input)
  const policy = `${made.headers['content-security-policy']}; frame-src 'self'`
  return { ...made, headers: { ...made.headers, 'content-security-policy': policy } }
}

function people(list: readonly { readonly name: string; readonly address: string }[]): string {
  return list.map(({ name, address }) => (name ? `${name} <${address}>` : address)).join(', ')
}

function time(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}

/** All caught messages, newest first. */
export function listPage(messages: readonly Message[]): Page {
  const rows = messages.map(
    (
      message,
    ) => html`<tr><th scope="row"><a href="/view/${message.id}">${message.subject || '(no subject)'}</a></th>
<td>${message.envelope.to.join(', ')}</td><td>${message.from ? people([message.from]) : message.envelope.from}</td><td>${time(message.receivedAt)}</td></tr>`,
  )
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="Messages"><table>
<thead><tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">From</th><th scope="col">Received</th></tr></thead>
<tbody>${rows}</tbody></table></div>
<form class="actions" method="post" action="/clear"><button class="plain">Delete all messages</button></form>`
  const empty = html`<p>No message yet. Mail that the local workplace sends shows up here and goes nowhere else.</p>`
  return page({
    title: 'Caught mail',
    wide: true,
    body: html`<h1>Caught mail</h1><p class="soft">${messages.length} ${messages.length === 1 ? 'message' : 'messages'} · <a href="/">Refresh</a> · <a href="/messages">JSON</a></p>
<div class="card">${messages.length > 0 ? table : empty}</div>`,
  })
}

/**
 * One message: its HTML in a frame that can run nothing and fetch nothing, its text, links,
 * attachments and headers.
 */
export function messagePage(message: Message): Page {
  const links = linksOf(message)
  const facts: readonly (readonly [string, string])[] = [
    ['From', message.from ? people([message.from]) : message.envelope.from],
    ['To', people(message.to)],
    ['Cc', people(message.cc)],
    ['Delivered to', message.envelope.to.join(', ')],
  ]
  return framed({
    title: `${message.subject || '(no subject)'} – Caught mail`,
    wide: true,
    body: html`<p><a href="/">All messages</a></p><h1>${message.subject || '(no subject)'}</h1>
<div class="card"><table><tbody>${facts.filter(([, value]) => value !== '').map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}
<tr><th scope="row">Received</th><td>${time(message.receivedAt)}</td></tr></tbody></table></div>
${message.html === undefined ? false : html`<section class="card"><h2>HTML</h2><iframe title="HTML of the message" src="/messages/${message.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox" width="100%" height="520"></iframe></section>`}
${message.text === undefined ? false : html`<section class="card"><h2>Text</h2>${paragraphs(message.text)}</section>`}
${links.length === 0 ? false : html`<section class="card"><h2>Links</h2><ul>${links.map((link) => html`<li><a href="${link}" rel="noreferrer"><code>${link}</code></a></li>`)}</ul></section>`}
${message.attachments.length === 0 ? false : html`<section class="card"><h2>Attachments</h2><ul>${message.attachments.map((attachment, index) => html`<li><a href="/messages/${message.id}/attachments/${index}" download>${attachment.filename}</a> <span class="soft">${attachment.mimeType}, ${attachment.size} bytes</span></li>`)}</ul></section>`}
<section class="card"><h2>Headers</h2><div class="scroll" tabindex="0" role="region" aria-label="Headers"><table><tbody>${message.headers.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td><code>${value}</code></td></tr>`)}</tbody></table></div>
<p><a href="/messages/${message.id}/raw" download>Download the message as it came</a></p></section>`,
  })
}

export function missingPage(): Page {
  return page({
    title: 'No such message',
    body: html`<h1>No such message</h1><p>It was deleted, or more than two hundred came after it.</p><p><a href="/">All messages</a></p>`,
  })
}

function paragraphs(text: string): readonly Markup[] {
  const lines = (paragraph: string) =>
    paragraph.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))
  return text
    .replaceAll('\r\n', '\n')
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => html`<p>${lines(paragraph)}</p>`)
}

/**
 * Web addresses in a message, each once: the frame cannot be walked through with links that want a
 * page of their own.
 */
export function linksOf(message: Message): readonly string[] {
  const hrefs = [...(message.html ?? '').matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(
    ([, double, single]) => decode(double ?? single ?? ''),
  )
  const plain = (message.text ?? '').match(/\bhttps?:\/\/[^\s<>"')\]]+/g) ?? []
  return [
    ...new Set(
      [...hrefs, ...plain].filter((link) => /^https?:\/\//i.test(link) && URL.canParse(link)),
    ),
  ]
}

function decode(attribute: string): string {
  return attribute
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#x2F;', '/')
    .replaceAll('&#x3D;', '=')
    .replaceAll('&amp;', '&')
    .trim()
}
