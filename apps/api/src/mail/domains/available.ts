import { claimDays, claimsPerTenant } from '@atrium/core/mail/domain-claims'
import { isPublicMailProvider } from '@atrium/core/mail/mail-providers'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import { countClaims, isProvenElsewhere } from '@atrium/db/mail/domains'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import type { Services } from '../../rpc/services.ts'
import { isManaged } from './view.ts'

/**
 * Names below the platform's domain count as proven from the start, so a tenant gets only those
 * that bear its own slug. `path` is the field that the names came in. Throws AppError
 * `invalid_input`.
 */
export function rejectPlatformNames(
  services: Pick<Services, 'config'>,
  slug: string,
  names: readonly string[],
  path: string,
): void {
  const own = `${slug}.${services.config.tenantDomain}`
  const foreign = (name: string) =>
    name !== own &&
    !name.endsWith(`.${own}`) &&
    (name === services.config.tenantDomain || isManaged(services, name))
  const issues: IssueText[] = names
    .filter(foreign)
    .map((name) => ({ path, message: errorText('platformDomain', { name }) }))
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
}

/**
 * Rejects names that no tenant may add, or this one not now; for names that were just inserted.
 * Throws AppError `invalid_input` for the domain of a public mail provider and for more claims than
 * `claimsPerTenant`, `already_exists` for a domain that another tenant has proved. `path` is the
 * field that the names came in.
 */
export async function rejectUnavailable(
  trx: Trx,
  tenantId: string,
  names: readonly string[],
  path: string,
): Promise<void> {
  const issues: IssueText[] = names.filter(isPublicMailProvider).map((name) => ({
    path,
    message: errorText('publicMailDomain', { name }),
  }))
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  for (const name of names)
    if (await isProvenElsewhere(trx, tenantId, name)) throw domainTaken(path)
  if ((await countClaims(trx, tenantId)) <= claimsPerTenant) return
  const message =
    `At most ${claimsPerTenant} domains of a workplace wait for their proof of ownership. Prove or remove one of them first; ` +
    `a domain without proof is removed after ${claimDays} days.`
  throw new AppError('invalid_input', undefined, { issues: [{ path, message }] })
}

/**
 * True for the violation of an index by which a domain exists once per tenant, and once among
 * proven domains.
 */
export function isDomainTaken(error: unknown): boolean {
  const constraint = violatedConstraint(error)
  return (
    constraint !== undefined &&
    ['domains_tenant_name', 'domains_proven_name', 'proven_domains_pkey'].includes(constraint)
  )
}

/** The rejection of a domain that another tenant has proved, or that this one has already. */
export function domainTaken(path: string, cause?: unknown): AppError {
  const message = path === 'domain' ? errorText('domainInUse') : errorText('oneDomainInUse')
  return new AppError('already_exists', message, { cause, issues: [{ path, message }] })
}
