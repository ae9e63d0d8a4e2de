import { html, type Markup, page } from '../page.ts'
import type { ReceiverMode, ShownDelivery, SignatureState, WebhookReceiver } from './receiver.ts'

const modes: readonly (readonly [ReceiverMode, string])[] = [
  ['accept', 'Accept (204)'],
  ['fail', 'Fail (500)'],
  ['hang', 'Do not respond'],
  ['gone', 'Gone (410)'],
]

const signatures: Readonly<Record<SignatureState, string>> = {
  right: 'Signature is right',
  wrong: 'Signature is wrong',
  unchecked: 'Signature not checked: enter the secret',
}

/** The page of the receiver. `address` is what a webhook endpoint is entered as. */
export function receiverPage(
  receiver: WebhookReceiver,
  address: string,
  problem: string | undefined,
): ReturnType<typeof page> {
  const deliveries = receiver.list()
  return page({
    title: 'Received webhooks',
    wide: true,
    body: html`<h1>Received webhooks</h1><p class="soft">An endpoint for webhooks on this machine. <a href="/">All stand-ins</a> · <a href="/webhooks">Refresh</a> · <a href="/webhooks/deliveries">JSON</a></p>
${problem !== undefined && html`<p class="alert" role="alert">${problem}</p>`}
<section class="card" aria-labelledby="setup"><h2 id="setup">Set up</h2><p>Add this address under Webhooks in a portal, and enter the secret that it shows:</p><p><code>${address}</code></p>
<form method="post" action="/webhooks/form"><label for="secret">Signing secret</label><input id="secret" name="secret" type="password" autocomplete="off" required placeholder="whsec_…"><div class="actions"><button>Use secret</button></div></form>
<p class="soft">${secretsText(receiver.secretCount())}</p></section>
<section class="card" aria-labelledby="response"><h2 id="response">Response</h2><form class="row" method="post" action="/webhooks/form">${modes.map(([mode, label]) => modeButton(mode, label, receiver.mode()))}</form></section>
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>${deliveries.length === 0 ? html`<p>None yet. Send a test event in the portal.</p>` : html`<p class="soft">The newest ${deliveries.length} of at most 100.</p>${deliveries.map(deliveryOf)}<form class="actions" method="post" action="/webhooks/form"><button class="plain" name="clear" value="all">Delete all deliveries</button></form>`}</section>`,
  })
}

function secretsText(count: number): string {
  if (count === 0) return 'No secret yet.'
  return count === 1 ? 'One secret is known.' : `${count} secrets are known.`
}

function modeButton(mode: ReceiverMode, label: string, current: ReceiverMode): Markup {
  return mode === current
    ? html`<button name="mode" value="${mode}" aria-pressed="true">${label}: on</button>`
    : html`<button class="plain" name="mode" value="${mode}" aria-pressed="false">${label}</button>`
}

function deliveryOf({ at, headers, body, status, signature }: ShownDelivery): Markup {
  const title = `${at.slice(11, 19)} UTC · ${typeIn(body)} · ${status ?? 'no response'}`
  return html`<details><summary>${title} · ${signatures[signature]}</summary>
<h3>Headers</h3><div class="scroll" role="region" aria-label="Headers of ${title}" tabindex="0"><table><tbody>${Object.entries(
    headers,
  ).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td><code>${value}</code></td></tr>`,
  )}</tbody></table></div>
<h3>Body</h3><pre class="scroll" tabindex="0" role="region" aria-label="Body of ${title}"><code>${pretty(body)}</code></pre></details>`
}

function typeIn(body: string): string {
  const content = parsed(body)
  return typeof content === 'object' && content !== null && 'type' in content
    ? String(content.type)
    : 'no event'
}

function pretty(body: string): string {
  const content = parsed(body)
  return content === undefined ? body : JSON.stringify(content, null, 2)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
