import { slugify } from '@atrium/core/tenants/slugs'
import type { CreateTenant, Plan } from '@atrium/core/tenants/tenants'
import type { z } from 'zod'

/** The form as it is typed: every field present, empty text for what was left out. */
export interface CreateTenantForm {
  name: string
  /** Undefined while the slug follows the name. */
  slug: string | undefined
  ownerEmail: string
  plan: Plan
  seats: number | string
  domains: string[]
  partnerId: string
  industry: string
  brandColor: string
  billingInfo: { company: string; vatNumber: string; country: string; email: string }
}

export const emptyTenant: CreateTenantForm = {
  name: '',
  slug: undefined,
  ownerEmail: '',
  plan: 'business',
  seats: 10,
  domains: [],
  partnerId: '',
  industry: '',
  brandColor: '',
  billingInfo: { company: '', vatNumber: '', country: '', email: '' },
}

/** The slug that the form shows: the typed one, or the one that follows from the name. */
export function shownSlug(form: Pick<CreateTenantForm, 'name' | 'slug'>): string {
  return form.slug ?? slugify(form.name) ?? ''
}

/**
 * What is sent. A slug that only follows from the name is left out, so that the server may number
 * it when it is taken; one that was typed is sent and rejected when it is taken. Provisioning runs
 * in the background, and the tenant's page shows it.
 */
export function toCreateTenant(form: CreateTenantForm): z.input<typeof CreateTenant> {
  const { company, vatNumber, country, email } = form.billingInfo
  const billing = withoutEmpty({ company, vatNumber, country, email })
  return {
    name: form.name,
    plan: form.plan,
    respondAsync: true,
    ...withoutEmpty({
      slug: form.slug,
      ownerEmail: form.ownerEmail,
      partnerId: form.partnerId.trim(),
      industry: form.industry,
      brandColor: form.brandColor,
    }),
    ...(typeof form.seats === 'number' ? { seats: form.seats } : {}),
    ...(form.domains.length > 0 ? { domains: form.domains } : {}),
    ...(Object.keys(billing).length > 0 ? { billingInfo: billing } : {}),
  }
}

function withoutEmpty<Fields extends Record<string, string | undefined>>(
  fields: Fields,
): Partial<Record<keyof Fields, string>> {
  const kept: Partial<Record<keyof Fields, string>> = {}
  for (const key of Object.keys(fields) as (keyof Fields)[]) {
    const value = fields[key]
    if (value !== undefined && value.trim() !== '') kept[key] = value
  }
  return kept
}
