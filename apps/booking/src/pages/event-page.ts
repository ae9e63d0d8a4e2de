import type { PublicEventTypePage } from '@atrium/core/scheduling/booking-pages'
import { html } from 'hono/html'
import type { Formats } from '../formats.ts'
import { excerpt, type Html, type Page } from './layout.ts'
import { durationsText, placeText, portrait } from './listing-pages.ts'

/** What is booked on the left, the choice of a time, a form or a rejection on the right. */
export function eventPage(
  formats: Formats,
  page: PublicEventTypePage,
  right: Html,
  options: { title?: string; announce?: string; canonical: boolean },
): Page {
  const { text } = formats
  const { tenant, host, eventType } = page
  return {
    title:
      options.title ??
      text('offers.event.title', { event: eventType.title, hosts: withWhom(formats, page) }),
    description:
      excerpt(eventType.description) ??
      text('offers.event.description', { event: eventType.title, host: host.name }),
    frame: tenant,
    canonicalPath: options.canonical ? `/${tenant.slug}/${host.slug}/${eventType.slug}` : undefined,
    announce: options.announce,
    images: [host.avatarUrl],
    embedOrigins: tenant.embedOrigins,
    body: html`<div class="panel split"><section class="about">${about(formats, page)}</section>${right}</div>`,
  }
}

function withWhom(formats: Formats, { host, eventType }: PublicEventTypePage): string {
  const { assignment, hostNames } = eventType
  if (assignment === 'host' || hostNames.length === 0) return host.name
  // All of them together, or one of them.
  return formats.list(assignment === 'collective' ? 'conjunction' : 'disjunction', hostNames)
}

function about(formats: Formats, page: PublicEventTypePage): Html {
  const { text } = formats
  const { tenant, host, eventType } = page
  const { location } = eventType
  return html`<p class="person">${portrait(host)}<a href="/${tenant.slug}/${host.slug}">${withWhom(formats, page)}</a></p>
<h1>${eventType.title}</h1>
<ul class="facts">
<li>${durationsText(formats, eventType.durations)}</li>
<li>${placeText(formats, location.kind === 'in_person' ? location : { ...location, text: null })}</li>
${eventType.requiresConfirmation ? html`<li>${text('offers.event.confirms', { host: host.name })}</li>` : ''}
${eventType.seats > 1 ? html`<li>${text('offers.event.seats', { seats: eventType.seats })}</li>` : ''}
</ul>
${eventType.description ? html`<p class="text">${eventType.description}</p>` : ''}`
}
