import type {
  PageEventType,
  PageHost,
  PublicHostPage,
  PublicTenantPage,
} from '@atrium/core/scheduling/booking-pages'
import { html } from 'hono/html'
import { durationText } from '../formats.ts'
import { excerpt, type Html, type Page } from './layout.ts'

/** The hosts of a tenant. */
export function tenantPage({ tenant, hosts }: PublicTenantPage): Page {
  const title = tenant.headline ?? `Book a time with ${tenant.name}`
  return {
    title,
    description: excerpt(tenant.intro) ?? `Choose whom you would like to meet at ${tenant.name}.`,
    frame: tenant,
    canonicalPath: `/${tenant.slug}`,
    images: hosts.map(({ avatarUrl }) => avatarUrl),
    embedOrigins: tenant.embedOrigins,
    body: html`<div class="panel"><h1>${title}</h1>
${tenant.intro ? html`<p class="text">${tenant.intro}</p>` : ''}
${
  hosts.length === 0
    ? html`<p>Nobody can be booked here at this moment.</p>`
    : html`<h2>Whom would you like to meet?</h2><ul class="cards">${hosts.map((host) => hostCard(tenant.slug, host))}</ul>`
}</div>`,
  }
}

function hostCard(tenantSlug: string, host: PageHost): Html {
  return html`<li><a class="card" href="/${tenantSlug}/${host.slug}">${portrait(host)}<span><strong>${host.name}</strong>${host.title ? html`<span>${host.title}</span>` : ''}</span></a></li>`
}

/** The event types of a host. */
export function hostPage({ tenant, host, eventTypes }: PublicHostPage): Page {
  const path = `/${tenant.slug}/${host.slug}`
  return {
    title: `Book a time with ${host.name}`,
    description:
      excerpt(host.description) ?? `Choose what you would like to meet ${host.name} for.`,
    frame: tenant,
    canonicalPath: path,
    images: [host.avatarUrl],
    embedOrigins: tenant.embedOrigins,
    body: html`<div class="panel"><div class="person">${portrait(host)}<div><h1>${host.name}</h1>${host.title ? html`<p>${host.title}</p>` : ''}</div></div>
${host.description ? html`<p class="text">${host.description}</p>` : ''}
${
  eventTypes.length === 0
    ? html`<p>${host.name} offers no times at this moment.</p>`
    : html`<h2>What is it about?</h2><ul class="cards">${eventTypes.map((eventType) => eventTypeCard(path, eventType))}</ul>`
}</div>`,
  }
}

function eventTypeCard(path: string, eventType: PageEventType): Html {
  return html`<li><a class="card" href="${path}/${eventType.slug}"><span><strong>${eventType.title}</strong><span>${[durationsText(eventType.durations), placeKind(eventType.location.kind)].join(' · ')}</span>${eventType.description ? html`<span class="text">${excerpt(eventType.description)}</span>` : ''}</span></a></li>`
}

/** `30 minutes`, `30 minutes or 1 hour`. */
export function durationsText(durations: readonly number[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(durations.map(durationText))
}

export function placeKind(kind: PageEventType['location']['kind']): string {
  return {
    video: 'Video call',
    phone: 'Telephone',
    in_person: 'In person',
    visitor_phone: 'We call you',
  }[kind]
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
