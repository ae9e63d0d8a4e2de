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
 * The request: only the changes, so that another person's change of another field stays. An emptied
 * field clears the stored value; seats are then sent as 0, which means no number.
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
