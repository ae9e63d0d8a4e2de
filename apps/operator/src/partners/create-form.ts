import type { CreatePartner } from '@atrium/core/partners/partners'
import { slugify } from '@atrium/core/tenants/slugs'
import { withoutBlanks } from '@atrium/ui/zod-form'
import type { z } from 'zod'

/** The form as it is typed: every field present, empty text for what was left out. */
export interface CreatePartnerForm {
  name: string
  /** Undefined while the slug follows the name. */
  slug: string | undefined
  domain: string
  marginPct: number | string
  contactInfo: { name: string; email: string; phone: string }
  billingInfo: { company: string; vatNumber: string; country: string; email: string }
}

export const emptyPartner: CreatePartnerForm = {
  name: '',
  slug: undefined,
  domain: '',
  marginPct: 20,
  contactInfo: { name: '', email: '', phone: '' },
  billingInfo: { company: '', vatNumber: '', country: '', email: '' },
}

/** The slug that the form shows: the typed one, or the one that follows from the name. */
export function shownSlug(form: Pick<CreatePartnerForm, 'name' | 'slug'>): string {
  return form.slug ?? slugify(form.name) ?? ''
}

/** The request, without a slug that only follows from the name and without empty fields. */
export function toCreatePartner(form: CreatePartnerForm): z.input<typeof CreatePartner> {
  const { marginPct, name, ...rest } = form
  return { name, ...withoutBlanks(rest), ...(typeof marginPct === 'number' ? { marginPct } : {}) }
}
