import type { SetTenantLimits, TenantLimit } from '@atrium/core/tenants/tenant-limits'
import type { z } from 'zod'

/** A number per limit as it is typed. Empty: the number of the installation applies. */
export interface LimitsForm {
  most: Record<string, number | string>
  reason: string
}

export function toLimitsForm(items: readonly TenantLimit[]): LimitsForm {
  return { most: Object.fromEntries(items.map(({ name, set }) => [name, set ?? ''])), reason: '' }
}

/** Only the changed limits, so that another person's change of another limit stays. */
export function changedLimits(
  items: readonly TenantLimit[],
  { most }: LimitsForm,
): (TenantLimit & { requested: number | null })[] {
  return items.flatMap((item) => {
    const typed = most[item.name] ?? ''
    const requested = typed === '' ? null : Number(typed)
    return requested === item.set ? [] : [{ ...item, requested }]
  })
}

export function toLimitsInput(
  slug: string,
  items: readonly TenantLimit[],
  form: LimitsForm,
): z.input<typeof SetTenantLimits> {
  const reason = form.reason.trim()
  return {
    slug,
    limits: changedLimits(items, form).map(({ name, requested }) => ({ name, most: requested })),
    ...(reason === '' ? {} : { reason }),
  }
}

/** The changed limits that leave the tenant with less than it has now. */
export function loweredLimits(items: readonly TenantLimit[], form: LimitsForm) {
  return changedLimits(items, form)
    .map((item) => ({ ...item, next: item.requested ?? item.standard }))
    .filter(({ next, most }) => next < most)
}
