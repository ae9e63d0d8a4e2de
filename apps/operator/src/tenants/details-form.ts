import type { SeatMode, TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import type { z } from 'zod'

/** The general fields as they are typed. A number field that was emptied holds an empty text. */
export interface DetailsForm {
  name: string
  seats: number | string
  seatMode: SeatMode
  industry: string
  brandColor: string
}

export function toDetailsForm({
  name,
  seats,
  seatMode,
  industry,
  brandColor,
}: TenantView): DetailsForm {
  return { name, seats, seatMode, industry: industry ?? '', brandColor: brandColor ?? '' }
}

/**
 * What is sent: the changes alone, so that a change of somebody else to another field stays. An
 * emptied field clears what was stored; seats then count as 0, which stands for no number.
 */
export function toDetailsUpdate(
  tenant: TenantView,
  form: DetailsForm,
): z.input<typeof UpdateTenant> {
  const before = toDetailsForm(tenant)
  const orNull = (text: string) => (text.trim() === '' ? null : text)
  return {
    slug: tenant.slug,
    ...(form.name === before.name ? {} : { name: form.name }),
    ...(Number(form.seats) === before.seats ? {} : { seats: Number(form.seats) }),
    ...(form.seatMode === before.seatMode ? {} : { seatMode: form.seatMode }),
    ...(form.industry === before.industry ? {} : { industry: orNull(form.industry) }),
    ...(form.brandColor === before.brandColor ? {} : { brandColor: orNull(form.brandColor) }),
    expectedVersion: tenant.editVersion,
  }
}
