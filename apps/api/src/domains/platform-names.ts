import { AppError, type Issue } from '@atrium/core/errors'
import type { House } from '../house.ts'
import { isManaged } from './view.ts'

/**
 * Names below the platform's domain count as proven from the start, so a tenant gets only those that bear its own slug. `path` is the
 * field that the names came in. Throws AppError `invalid_input`.
 */
export function refusePlatformNames(house: Pick<House, 'config'>, slug: string, names: readonly string[], path: string): void {
  const own = `${slug}.${house.config.tenantDomain}`
  const foreign = (name: string) =>
    name !== own && !name.endsWith(`.${own}`) && (name === house.config.tenantDomain || isManaged(house, name))
  const issues: Issue[] = names.filter(foreign).map((name) => ({ path, message: `${name} belongs to the platform.` }))
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
}

/** The refusal of a domain that some tenant has already. */
export function domainTaken(path: string, cause: unknown): AppError {
  const message = path === 'domain' ? 'This domain is in use already.' : 'One of the domains belongs to a tenant already.'
  return new AppError('already_exists', message, { cause, issues: [{ path, message }] })
}
