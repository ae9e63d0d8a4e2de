import { type TenantView, UpdateTenant } from '@atrium/core/tenants'
import { z } from 'zod'

/** The form as it is typed. An empty number field holds an empty text. */
export interface SettingsFormValues {
  name: string
  industry: string
  brandColor: string
  seats: number | string
}

const { name, industry, brandColor, seats } = UpdateTenant.shape

/** What the form is checked against: the API's own rules; industry and colour may be left out. */
export const SettingsForm = z.object({ name: name.unwrap(), industry, brandColor, seats: seats.unwrap() })

export function fromTenant(tenant: TenantView): SettingsFormValues {
  return { name: tenant.name, industry: tenant.industry ?? '', brandColor: tenant.brandColor ?? '', seats: tenant.seats }
}

/** The changes alone, so that the audit log names what was changed; undefined when nothing was. A field that was emptied is cleared. */
export function changesOf(tenant: TenantView, values: SettingsFormValues): UpdateTenant | undefined {
  const before = fromTenant(tenant)
  const changes = {
    ...(values.name.trim() === before.name ? {} : { name: values.name }),
    ...(values.industry.trim() === before.industry ? {} : { industry: values.industry.trim() || null }),
    ...(values.brandColor.toLowerCase() === before.brandColor ? {} : { brandColor: values.brandColor || null }),
    ...(Number(values.seats) === before.seats ? {} : { seats: Number(values.seats) }),
  }
  return Object.keys(changes).length > 0 ? { slug: tenant.slug, ...changes } : undefined
}
