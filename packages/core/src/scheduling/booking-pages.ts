import { z } from 'zod'
import { formFieldKind } from './event-types.ts'
import { assignment, locationKind } from './scheduling.ts'

/**
 * A tenant as its booking pages show it. The colours are those in force, `textColor` is the one to
 * write with on the accent.
 */
export const PageTenant = z.object({
  slug: z.string(),
  name: z.string(),
  brand: z.object({ productName: z.string(), accentColor: z.string(), textColor: z.string() }),
  headline: z.string().nullable(),
  intro: z.string().nullable(),
  /** Origins whose pages may show the booking pages in a frame. */
  embedOrigins: z.array(z.string()),
})
export type PageTenant = z.infer<typeof PageTenant>

export const PageHost = z.object({
  slug: z.string(),
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  avatarUrl: z.string().nullable(),
})
export type PageHost = z.infer<typeof PageHost>

export const PageEventType = z.object({
  id: z.uuid(),
  slug: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  /** In minutes; the first one is what a visitor gets who chooses none. */
  durations: z.array(z.number().int()),
  /**
   * `text` is the place where people meet. Addresses and phone numbers are sent with the booking.
   */
  location: z.object({ kind: locationKind, text: z.string().nullable() }),
  requiresConfirmation: z.boolean(),
  /** Above 1 several visitors may share one start. */
  seats: z.number().int(),
})
export type PageEventType = z.infer<typeof PageEventType>

/** What a visitor is asked. `options` for `choice` alone. */
export const PageFormField = z.object({
  key: z.string(),
  label: z.string(),
  kind: formFieldKind,
  required: z.boolean(),
  options: z.array(z.string()).optional(),
})
export type PageFormField = z.infer<typeof PageFormField>

/** The tenant's page: the hosts that are listed. */
export const PublicTenantPage = z.object({ tenant: PageTenant, hosts: z.array(PageHost) })
export type PublicTenantPage = z.infer<typeof PublicTenantPage>

/** A host's page: the event types that are listed. */
export const PublicHostPage = z.object({
  tenant: PageTenant,
  host: PageHost,
  eventTypes: z.array(PageEventType),
})
export type PublicHostPage = z.infer<typeof PublicHostPage>

/** What can be booked, listed or not: everybody with the address can book. */
export const PublicEventTypePage = z.object({
  tenant: PageTenant,
  host: PageHost,
  eventType: PageEventType.extend({
    assignment,
    /** Names of all hosts who may take or will take part, the page's host first. */
    hostNames: z.array(z.string()),
    fields: z.array(PageFormField),
    /** The zone that the host's hours are kept in. */
    timeZone: z.string(),
    /** The last moments for a visitor, in minutes before the start. */
    cancelCutoffMinutes: z.number().int(),
    rescheduleCutoffMinutes: z.number().int(),
    /** How long the host may take to decide, where `requiresConfirmation`. */
    approvalHours: z.number().int(),
  }),
})
export type PublicEventTypePage = z.infer<typeof PublicEventTypePage>

const slug = z.string().max(200)

export const GetTenantPage = z.strictObject({ tenantSlug: slug })
export type GetTenantPage = z.infer<typeof GetTenantPage>
export const GetHostPage = z.strictObject({ tenantSlug: slug, hostSlug: slug })
export type GetHostPage = z.infer<typeof GetHostPage>
export const GetEventTypePage = z.strictObject({
  tenantSlug: slug,
  hostSlug: slug,
  eventSlug: slug,
})
export type GetEventTypePage = z.infer<typeof GetEventTypePage>
