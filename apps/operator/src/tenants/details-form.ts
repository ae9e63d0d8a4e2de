import type { SeatMode, TenantView, UpdateTenant } from '@atrium/core/tenants'
import type { z } from 'zod'

/** The general fields as they are typed. A number field that was emptied holds an empty text. */
export interface DetailsForm {
  name: string
  seats: number | string
  seatMode: SeatMode
  industry: string
  brandColor: string
}

export function toDetailsForm({ name, seats, seatMode, industry, brandColor }: TenantView): DetailsForm {
  return { name, seats, seatMode, industry: industry ?? '', brandColor: brandColor ?? '' }
}

/** What is sent: an emptied field clears what was stored; seats then count as 0, which stands for no number. */
export function toDetailsUpdate(slug: string, form: DetailsForm): z.input<typeof UpdateTenant> {
  return {
    slug,
    name: form.name,
    seats: Number(form.seats),
    seatMode: form.seatMode,
    industry: form.industry.trim() === '' ? null : form.industry,
    brandColor: form.brandColor.trim() === '' ? null : form.brandColor,
  }
}
