import type {
  GetEventTypePage,
  GetHostPage,
  PageEventType,
  PageHost,
  PageTenant,
  PublicEventTypePage,
  PublicHostPage,
  PublicTenantPage,
} from '@atrium/core/scheduling/booking-pages'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { findBranding } from '@atrium/db/branding/branding'
import type { BookingPageRow } from '@atrium/db/scheduling/booking-pages'
import {
  type EventTypeRow,
  findEventTypeBySlug,
  listEventTypes,
} from '@atrium/db/scheduling/event-types'
import { findHostBySlug, type HostRow, listHosts } from '@atrium/db/scheduling/hosts'
import { scheduleFor } from '@atrium/db/scheduling/schedules'
import { effectiveBranding } from '../../branding/get.ts'
import type { Context } from '../../rpc/context.ts'
import type { Services } from '../../rpc/services.ts'
import { takeAllowance } from '../../rpc/visitor-limits.ts'
import { bookable, hostsWhoTake, nothingHere, publicPage } from '../slots/bookable.ts'

/** The tenant with its listed hosts who can be booked. */
export async function getTenantPage(ctx: Context, tenantSlug: string): Promise<PublicTenantPage> {
  await takeAllowance(ctx, 'pages')
  const page = await publicPage(ctx.services, tenantSlug)
  const hosts = await listHosts(ctx.services.database.db, page.tenantId)
  const shown = hosts.filter((host) => host.listed && host.active)
  return { tenant: await toTenant(ctx.services, page), hosts: shown.map(toHost) }
}

/** A host, listed or not, with the listed event types that can be booked at this address. */
export async function getHostPage(
  ctx: Context,
  { tenantSlug, hostSlug }: GetHostPage,
): Promise<PublicHostPage> {
  await takeAllowance(ctx, 'pages')
  const page = await publicPage(ctx.services, tenantSlug)
  const host = await publicHost(ctx.services, page, hostSlug)
  const { db } = ctx.services.database
  const limit = schedulingLimits.eventTypesPerHost
  const listed = await listEventTypes(db, page.tenantId, {
    hostId: host.id,
    limit,
    listed: true,
    active: true,
  })
  const eventTypes: EventTypeRow[] = []
  for (const eventType of listed.slice(0, limit)) {
    if (
      eventType.assignment === 'host' ||
      (await hostsWhoTake(ctx.services.database.db, eventType)).length > 0
    )
      eventTypes.push(eventType)
  }
  eventTypes.sort(
    (one, other) => one.title.localeCompare(other.title, 'en') || (one.id < other.id ? -1 : 1),
  )
  return {
    tenant: await toTenant(ctx.services, page),
    host: toHost(host),
    eventTypes: eventTypes.map(toEventType),
  }
}

/** One event type, listed or not, with all that a form for it needs. */
export async function getEventTypePage(
  ctx: Context,
  input: GetEventTypePage,
): Promise<PublicEventTypePage> {
  await takeAllowance(ctx, 'pages')
  const { services } = ctx
  const page = await publicPage(services, input.tenantSlug)
  const host = await publicHost(services, page, input.hostSlug)
  const found = isSlugShaped(input.eventSlug)
    ? await findEventTypeBySlug(services.database.db, host.id, input.eventSlug)
    : undefined
  if (!found) throw nothingHere()
  const { eventType, hosts } = await bookable(services, page, found)
  const schedule = await scheduleFor(services.database.db, eventType, host.id)
  return {
    tenant: await toTenant(services, page),
    host: toHost(host),
    eventType: {
      ...toEventType(eventType),
      assignment: eventType.assignment,
      hostNames: hosts.map(({ name }) => name),
      fields: eventType.fields.map(({ key, label, kind, required, options }) => ({
        key,
        label,
        kind,
        required,
        ...(options && { options }),
      })),
      timeZone: schedule?.zone ?? host.zone,
      cancelCutoffMinutes: eventType.cancelCutoffMinutes,
      rescheduleCutoffMinutes: eventType.rescheduleCutoffMinutes,
      approvalHours: eventType.approvalHours,
    },
  }
}

async function publicHost(
  services: Services,
  page: BookingPageRow,
  slug: string,
): Promise<HostRow> {
  const host = isSlugShaped(slug)
    ? await findHostBySlug(services.database.db, page.tenantId, slug)
    : undefined
  if (!host?.active) throw nothingHere()
  return host
}

async function toTenant(services: Services, page: BookingPageRow): Promise<PageTenant> {
  const branding = await findBranding(services.database.db, page.tenantId)
  if (!branding) throw nothingHere()
  return {
    slug: page.tenantSlug,
    name: page.tenantName,
    brand: effectiveBranding(branding),
    headline: page.headline,
    intro: page.intro,
    embedOrigins: page.embedOrigins,
  }
}

function toHost({ slug, name, title, description, avatarUrl }: HostRow): PageHost {
  return { slug, name, title, description, avatarUrl }
}

function toEventType(row: EventTypeRow): PageEventType {
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    description: row.description,
    durations: row.durations,
    location: {
      kind: row.locationKind,
      text: row.locationKind === 'in_person' ? row.location : null,
    },
    requiresConfirmation: row.requiresConfirmation,
    seats: row.seats,
  }
}
