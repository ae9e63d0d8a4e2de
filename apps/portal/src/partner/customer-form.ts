import {
  type UpdateCustomer,
  UpdateCustomer as UpdateCustomerSchema,
} from '@atrium/core/partners/partners'
import type { Plan, TenantView } from '@atrium/core/tenants/tenants'
import { z } from 'zod'

/** The form as it is typed. An empty number field holds an empty text. */
export interface CustomerFormValues {
  name: string
  plan: Plan
  seats: number | string
  industry: string
}

const { name, plan, seats, industry } = UpdateCustomerSchema.shape

/** What the form is checked against: the API's own rules; the industry may be left out. */
export const CustomerForm = z.object({
  name: name.unwrap(),
  plan: plan.unwrap(),
  seats: seats.unwrap(),
  industry,
})

export function fromCustomer(tenant: TenantView): CustomerFormValues {
  return {
    name: tenant.name,
    plan: tenant.plan,
    seats: tenant.seats,
    industry: tenant.industry ?? '',
  }
}

/**
 * The changes alone; undefined when nothing was changed. An industry that was emptied is cleared.
 */
export function changesOf(
  slug: string,
  tenant: TenantView,
  values: CustomerFormValues,
): UpdateCustomer | undefined {
  const before = fromCustomer(tenant)
  const changes = {
    ...(values.name.trim() === before.name ? {} : { name: values.name }),
    ...(values.plan === before.plan ? {} : { plan: values.plan }),
    ...(Number(values.seats) === before.seats ? {} : { seats: Number(values.seats) }),
    ...(values.industry.trim() === before.industry
      ? {}
      : { industry: values.industry.trim() || null }),
  }
  return Object.keys(changes).length > 0
    ? { slug, tenantSlug: tenant.slug, ...changes, expectedVersion: tenant.editVersion }
    : undefined
}
