import type { TenantLimit } from '../tenants/tenant-limits.ts'

/** A limit whose use is shown with a warning from this share of it on. */
const warnFrom = 0.8

/**
 * `reached`: nothing more is possible now. `near`: at least 80 % are used. `free`: less is used, or
 * the use is not known.
 */
export function limitUse({
  used,
  most,
}: Pick<TenantLimit, 'used' | 'most'>): 'reached' | 'near' | 'free' {
  if (used === null) return 'free'
  if (used >= most) return 'reached'
  return used >= most * warnFrom ? 'near' : 'free'
}
