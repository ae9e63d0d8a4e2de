import type { FlagEvaluation, FlagTarget } from '@atrium/core/flags/flag-evaluation'
import type { EvaluateFlags, FlagValues, OfrepFlag, OfrepFlags } from '@atrium/core/flags/flags'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Caller, CallerTenant } from '../rpc/caller.ts'
import type { Services } from '../rpc/services.ts'
import { unknownFlag } from './get.ts'

/** The caller and the named tenant; undefined when none was named or the slug is unknown. */
export interface Asker {
  caller: Caller
  tenant: CallerTenant | undefined
}

/**
 * One boolean per flag. All false for a tenant that the caller does not belong to, as for one that
 * does not exist, and for suspended and deleted ones (docs/reference/contract.md, feature flags).
 * Operators learn with `not_found` that a tenant does not exist.
 */
export async function evaluateFlags(
  services: Services,
  asker: Asker,
  input: EvaluateFlags | undefined,
): Promise<FlagValues> {
  const { caller, tenant } = asker
  const keys = [...(await services.flags.rules()).keys()].sort()
  const named = input?.tenantSlug !== undefined
  if (named && !tenant && caller.operator) throw unknownTenant()
  if (named && !(belongs(asker) && tenant && isServed(tenant)))
    return Object.fromEntries(keys.map((key) => [key, false]))
  const evaluate = await services.flags.evaluation(tenant && toTarget(tenant))
  return Object.fromEntries(keys.map((key) => [key, evaluate(key).value]))
}

/** All flags for OpenFeature clients. Throws 403 `not_member` when the tenant is not theirs. */
export async function evaluateByOfrep(services: Services, asker: Asker): Promise<OfrepFlags> {
  services.ofrepLimit.take(asker.caller.subject)
  const tenant = ofrepTenant(asker)
  const rules = await services.flags.rules()
  const evaluate = await services.flags.evaluation(toTarget(tenant))
  const flags = [...rules.values()].map(({ key, version }) =>
    toOfrepFlag(key, version, isServed(tenant) ? evaluate(key) : notServed),
  )
  return {
    flags: flags.sort((a, b) => (a.key < b.key ? -1 : 1)),
    metadata: { tenantStatus: tenant.status },
  }
}

/** One flag by its name, which is noted as a use. AppError `not_found` for an unknown one. */
export async function evaluateOneByOfrep(
  services: Services,
  asker: Asker,
  key: string,
): Promise<OfrepFlag> {
  services.ofrepLimit.take(asker.caller.subject)
  const tenant = ofrepTenant(asker)
  const rule = (await services.flags.rules()).get(key)
  if (!rule) throw unknownFlag()
  services.flags.noteUse(key)
  const evaluate = await services.flags.evaluation(toTarget(tenant))
  return toOfrepFlag(key, rule.version, isServed(tenant) ? evaluate(key) : notServed)
}

const notServed: FlagEvaluation = { value: false, reason: 'DISABLED' }

function ofrepTenant(asker: Asker): CallerTenant {
  if (!asker.tenant && asker.caller.operator) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'context', message: errorText('unknownTargetingTenant') }],
    })
  }
  if (!asker.tenant || !belongs(asker)) throw new AppError('not_member')
  return asker.tenant
}

function belongs({ caller, tenant }: Asker): boolean {
  return tenant !== undefined && (caller.operator || tenant.role !== null)
}

/** For a suspended or deleted tenant every flag is off. */
export function isServed({ status }: Pick<CallerTenant, 'status'>): boolean {
  return status !== 'suspended' && status !== 'deleted'
}

export function toTarget({ slug, plan, partnerSlug }: FlagTarget): FlagTarget {
  return { slug, plan, partnerSlug }
}

export const unknownTenant = () => new AppError('not_found', errorText('unknownTenantSlug'))

function toOfrepFlag(
  key: string,
  version: number,
  { value, reason, prerequisite }: FlagEvaluation,
): OfrepFlag {
  const metadata = { version, ...(prerequisite === undefined ? {} : { prerequisite }) }
  return { key, value, reason, variant: value ? 'on' : 'off', metadata }
}
