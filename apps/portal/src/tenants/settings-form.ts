import type { Language } from '@atrium/core/platform/language'
import { type SeatMode, type TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { z } from 'zod'

/** The form as it is typed. An empty number field holds an empty text. */
export interface SettingsFormValues {
  name: string
  industry: string
  brandColor: string
  language: Language | ''
  seats: number | string
  seatMode: SeatMode
}

const { name, industry, brandColor, language, seats, seatMode } = UpdateTenant.shape

/**
 * What the form is checked against: the API's own rules; industry, colour and language may be left
 * out.
 */
export const SettingsForm = z.object({
  name: name.unwrap(),
  industry,
  brandColor,
  language,
  seats: seats.unwrap(),
  seatMode: seatMode.unwrap(),
})

export function fromTenant({
  name,
  industry,
  brandColor,
  language,
  seats,
  seatMode,
}: TenantView): SettingsFormValues {
  return {
    name,
    industry: industry ?? '',
    brandColor: brandColor ?? '',
    language: language ?? '',
    seats,
    seatMode,
  }
}

/**
 * The changes alone, so that the audit log names what was changed; undefined when nothing was. A
 * field that was emptied is cleared.
 */
export function changesOf(
  tenant: TenantView,
  values: SettingsFormValues,
): UpdateTenant | undefined {
  const before = fromTenant(tenant)
  const changes = {
    ...(values.name.trim() === before.name ? {} : { name: values.name }),
    ...(values.industry.trim() === before.industry
      ? {}
      : { industry: values.industry.trim() || null }),
    ...(values.brandColor.toLowerCase() === before.brandColor
      ? {}
      : { brandColor: values.brandColor || null }),
    ...(values.language === before.language ? {} : { language: values.language || null }),
    ...(Number(values.seats) === before.seats ? {} : { seats: Number(values.seats) }),
    ...(values.seatMode === before.seatMode ? {} : { seatMode: values.seatMode }),
  }
  return Object.keys(changes).length > 0
    ? { slug: tenant.slug, ...changes, expectedVersion: tenant.editVersion }
    : undefined
}
