import { html } from 'hono/html'
import type { ApiDocument, Schema, Webhook } from '../openapi-document.ts'
import { resolved } from './examples.ts'
import { fieldsOf } from './fields.ts'
import { type Html, page, type Section } from './page.ts'
import { prose } from './prose.ts'

/** Every type of event, by the kind of record that it is about. */
export function eventTypesPage(document: ApiDocument, sections: readonly Section[]): Html {
  const byRecord = Map.groupBy(
    Object.entries(document.webhooks),
    ([type]) => type.split('.')[0] ?? '',
  )
  return page(
    'Webhook events',
    sections,
    'webhook-events',
    html`<h1>Webhook events</h1>
      <p class="lead">Each change is an event. Programs read them with <a href="/docs/events"><code>GET /events</code></a>, and webhook endpoints receive them as the body of a POST, signed by the <a href="https://www.standardwebhooks.com">Standard Webhooks</a> specification. An event names its record and says what changed; the record itself is read with a GET. Any release may add types and fields.</p>
      ${[...byRecord].map(
        ([record, types]) => html`<h2 id="${record}">${titleOf(record)}</h2>
        <ul class="list events">${types.map(([type, { post }]) => eventTypeLink(type, post))}</ul>`,
      )}`,
  )
}

const titleOf = (record: string) =>
  `${record.charAt(0).toUpperCase()}${record.slice(1).replaceAll('_', ' ')}`

export const eventTypeLink = (type: string, { summary }: Webhook): Html =>
  html`<li><a href="/docs/webhook-events/${type}"><code>${type}</code> <span class="about">${summary}</span></a></li>`

/** One type of event: its fields and an example. */
export function eventTypePage(
  document: ApiDocument,
  sections: readonly Section[],
  type: string,
  { summary, description, requestBody }: Webhook,
): Html {
  const { schema, example } = requestBody.content['application/json']
  const { data, ...others } = resolved(document, schema).properties as Record<string, Schema>
  return page(
    type,
    sections,
    'webhook-events',
    html`<p><a href="/docs/webhook-events">Webhook events</a></p>
      <section class="operation" aria-labelledby="event-title">
        <div class="head">
          <h1 id="event-title"><code>${type}</code></h1>
          <p class="lead">${summary}. ${prose(description)}</p>
        </div>
        <div>
          <h2>Fields</h2>
          ${fieldsOf(document, { properties: others, required: Object.keys(others) })}
          <h2>Fields of <code>data</code></h2>
          ${fieldsOf(document, data ?? {})}
        </div>
        <div class="samples">
          <div class="sample"><h3>Example</h3><pre>${JSON.stringify(example, null, 2)}</pre></div>
        </div>
      </section>`,
  )
}
