import type {
  PageEventType,
  PageHost,
  PublicHostPage,
  PublicTenantPage,
} from '@atrium/core/scheduling/booking-pages'
import { html } from 'hono/html'
import type { Formats } from '../formats.ts'
import { excerpt, type Html, type Page } from './layout.ts'

/** The hosts of a tenant. */
export function tenantPage({ text }: Formats, { tenant, hosts }: PublicTenantPage): Page {
  const title = tenant.headline ?? text('offers.tenant.title', { tenant: tenant.name })
  return {
    title,
    description:
      excerpt(tenant.intro) ?? text('offers.tenant.description', { tenant: tenant.name }),
    frame: tenant,
    canonicalPath: `/${tenant.slug}`,
    images: hosts.map(({ avatarUrl }) => avatarUrl),
    embedOrigins: tenant.embedOrigins,
    body: html`<div class="panel"><h1>${title}</h1>
${tenant.intro ? html`<p class="text">${tenant.intro}</p>` : ''}
${
  hosts.length === 0
    ? html`<p>${text('offers.tenant.nobody')}</p>`
    : html`<h2>${text('offers.tenant.whom')}</h2><ul class="cards">${hosts.map((host) => hostCard(tenant.slug, host))}</ul>`
}</div>`,
  }
}

function hostCard(tenantSlug: string, host: PageHost): Html {
  return html`<li><a class="card" href="/${tenantSlug}/${host.slug}">${portrait(host)}<span><strong>${host.name}</strong>${host.title ? html`<span>${host.title}</span>` : ''}</span></a></li>`
}

/** The event types of a host. */
export function hostPage(formats: Formats, { tenant, host, eventTypes }: PublicHostPage): Page {
  const { text } = formats
  const path = `/${tenant.slug}/${host.slug}`
  return {
    title: text('offers.host.title', { host: host.name }),
    description: excerpt(host.description) ?? text('offers.host.description', { host: host.name }),
    frame: tenant,
    canonicalPath: path,
    images: [host.avatarUrl],
    embedOrigins: tenant.embedOrigins,
    body: html`<div class="panel"><div class="person">${portrait(host)}<div><h1>${host.name}</h1>${host.title ? html`<p>${host.title}</p>` : ''}</div></div>
${host.description ? html`<p class="text">${host.description}</p>` : ''}
${
  eventTypes.length === 0
    ? html`<p>${text('offers.host.nothing', { host: host.name })}</p>`
    : html`<h2>${text('offers.host.about')}</h2><ul class="cards">${eventTypes.map((eventType) => eventTypeCard(formats, path, eventType))}</ul>`
}</div>`,
  }
}

function eventTypeCard(formats: Formats, path: string, eventType: PageEventType): Html {
  const { kind } = eventType.location
  return html`<li><a class="card" href="${path}/${eventType.slug}"><span><strong>${eventType.title}</strong><span>${[durationsText(formats, eventType.durations), placeText(formats, { kind, text: null })].join(' · ')}</span>${eventType.description ? html`<span class="text">${excerpt(eventType.description)}</span>` : ''}</span></a></li>`
}

/** `30 minutes`, `30 minutes or 1 hour`. */
export function durationsText({ list, duration }: Formats, durations: readonly number[]): string {
  return list('disjunction', durations.map(duration))
}

/** `Telephone`, `In person: Main Street 1`. */
export function placeText(
  { text }: Formats,
  { kind, text: place }: PageEventType['location'],
): string {
  const name = text(`frame.places.${kind}`)
  return place === null ? name : text('manage.facts.place', { kind: name, place })
}

export function portrait({ name, avatarUrl }: Pick<PageHost, 'name' | 'avatarUrl'>): Html {
  if (avatarUrl !== null)
    return html`<img class="portrait" src="${avatarUrl}" alt="" width="48" height="48" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
  const letters = name
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
  return html`<span class="portrait" aria-hidden="true">${letters.toUpperCase()}</span>`
}
