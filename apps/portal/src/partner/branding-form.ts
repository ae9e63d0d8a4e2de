import {
  type PartnerBrandingView,
  type UpdatePartnerBranding,
  UpdatePartnerBranding as UpdateSchema,
} from '@atrium/core/partners/partners'
import { z } from 'zod'

/** The form as it is typed; empty goes back to what is used without a choice. */
export interface PartnerBrandingValues {
  productName: string
  accentColor: string
}

const { productName, accentColor } = UpdateSchema.shape

/** What the form is checked against: the API's own rules; all of it may be left out. */
export const PartnerBrandingForm = z.object({ productName, accentColor })

export function fromBranding(branding: PartnerBrandingView): PartnerBrandingValues {
  return { productName: branding.productName ?? '', accentColor: branding.accentColor ?? '' }
}

/**
 * The changes alone; undefined when nothing was changed. A field that was emptied goes back to the
 * standard.
 */
export function changesOf(
  slug: string,
  branding: PartnerBrandingView,
  values: PartnerBrandingValues,
): UpdatePartnerBranding | undefined {
  const before = fromBranding(branding)
  const changes = {
    ...(values.productName.trim() === before.productName
      ? {}
      : { productName: values.productName.trim() || null }),
    ...(values.accentColor.toLowerCase() === before.accentColor
      ? {}
      : { accentColor: values.accentColor || null }),
  }
  return Object.keys(changes).length > 0
    ? { slug, ...changes, expectedVersion: branding.editVersion }
    : undefined
}
