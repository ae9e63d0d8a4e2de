export interface DomainStep {
  act: 'add' | 'make primary' | 'remove'
  domain: string
}

/**
 * What brings a tenant from one list of domains to another, the primary domain first in both:
 * additions, then the primary domain, then removals, because the primary one cannot be removed.
 */
export function domainSteps(before: readonly string[], requested: readonly string[]): DomainStep[] {
  const steps = (act: DomainStep['act'], domains: readonly string[]) =>
    domains.map((domain) => ({ act, domain }))
  const first = requested.slice(0, 1).filter((domain) => domain !== before[0])
  return [
    ...steps(
      'add',
      requested.filter((domain) => !before.includes(domain)),
    ),
    ...steps('make primary', first),
    ...steps(
      'remove',
      before.filter((domain) => !requested.includes(domain)),
    ),
  ]
}
