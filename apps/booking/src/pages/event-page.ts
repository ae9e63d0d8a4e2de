import type { PublicEventTypePage } from '@atrium/core/scheduling/booking-pages'
import { html } from 'hono/html'
import { excerpt, type Html, type Page } from './layout.ts'
import { durationsText, placeKind, portrait } from './listing-pages.ts'

/** What is booked on the left, the choice of a time, a form or a rejection on the right. */
export function eventPage(
  page: PublicEventTypePage,
  right: Html,
  options: { title?: string; announce?: string; canonical: boolean },
): Page {
  const { tenant, host, eventType } = page
  return {
    title: options.title ?? `${eventType.title} with ${withWhom(page)}`,
    description:
      excerpt(eventType.description) ?? `Choose a time for ${eventType.title} with ${host.name}.`,
    frame: tenant,
    canonicalPath: options.canonical ? `/${tenant.slug}/${host.slug}/${eventType.slug}` : undefined,
    announce: options.announce,
    images: [host.avatarUrl],
    embedOrigins: tenant.embedOrigins,
    body: html`<div class="panel split"><section class="about">${about(page)}</section>${right}</div>`,
  }
}

export function withWhom({ host, eventType }: PublicEventTypePage): string {
  const { assignment, hostNames } = eventType
  return assignment === 'host' || hostNames.length === 0
    ? host.name
    : new Intl.ListFormat('en', listing(assignment)).format(hostNames)
}

/** One of them, or all of them together. */
function listing(
  assignment: PublicEventTypePage['eventType']['assignment'],
): Intl.ListFormatOptions {
  return { type: assignment === 'collective' ? 'conjunction' : 'disjunction' }
}

function about(page: PublicEventTypePage): Html {
  const { tenant, host, eventType } = page
  const { location } = eventType
  return html`<p class="person">${portrait(host)}<a href="/${tenant.slug}/${host.slug}">${withWhom(page)}</a></p>
<h1>${eventType.title}</h1>
<ul class="facts">
<li>${durationsText(eventType.durations)}</li>
<li>${placeKind(location.kind)}${location.kind === 'in_person' && location.text !== null ? html`: ${location.text}` : ''}</li>
${eventType.requiresConfirmation ? html`<li>${host.name} confirms each booking</li>` : ''}
${eventType.seats > 1 ? html`<li>Up to ${eventType.seats} people share a time</li>` : ''}
</ul>
${eventType.description ? html`<p class="text">${eventType.description}</p>` : ''}`
}
