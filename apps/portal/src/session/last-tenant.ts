const key = 'atrium.last-tenant'

/**
 * Slug of the workplace visited last in this browser. Storage may be switched off; then nothing is
 * remembered.
 */
export function lastTenant(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

export function rememberTenant(slug: string): void {
  try {
    localStorage.setItem(key, slug)
  } catch {
    // Remembering is a convenience: without it every list keeps its own order.
  }
}

/** The same list with the workplace visited last in front. */
export function lastVisitedFirst<Tenant extends { slug: string }>(
  tenants: readonly Tenant[],
  last: string | undefined,
): Tenant[] {
  return [
    ...tenants.filter(({ slug }) => slug === last),
    ...tenants.filter(({ slug }) => slug !== last),
  ]
}
