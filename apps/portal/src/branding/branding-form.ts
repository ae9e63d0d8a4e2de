import '@atrium/ui/issue-messages'
import { type BrandingView, UpdateBranding } from '@atrium/core/branding/branding'
import { hexColor } from '@atrium/core/platform/text'
import { z } from 'zod'

/** The form as it is typed; empty goes back to what is used without a choice. */
export interface BrandingFormValues {
  productName: string
  accentColor: string
}

/** The API's own rules for the fields of the form. */
export const BrandingForm = z.object({
  productName: UpdateBranding.shape.productName,
  accentColor: UpdateBranding.shape.accentColor,
})

type SavedBranding = Pick<BrandingView, 'productName' | 'accentColor' | 'editVersion'>

export function fromBranding({ productName, accentColor }: SavedBranding): BrandingFormValues {
  return { productName: productName ?? '', accentColor: accentColor ?? '' }
}

/**
 * The changes alone; undefined when nothing was changed. A field that was emptied goes back to the
 * standard.
 */
export function changesOf(
  slug: string,
  branding: SavedBranding,
  values: BrandingFormValues,
): Omit<UpdateBranding, 'emailTemplates'> | undefined {
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

/**
 * The request of a preview: the fields that are valid; a half-typed colour is replaced by the saved
 * one.
 */
export function draftOf({
  productName: name,
  accentColor: color,
}: BrandingFormValues): Pick<UpdateBranding, 'productName' | 'accentColor'> {
  const parsedName = UpdateBranding.shape.productName.safeParse(name.trim() || null)
  const parsedColor =
    color === '' ? { success: true as const, data: null } : hexColor.safeParse(color)
  return {
    ...(parsedName.success ? { productName: parsedName.data } : {}),
    ...(parsedColor.success ? { accentColor: parsedColor.data } : {}),
  }
}
