import {
  explainFlag as explain,
  type FlagTarget,
  flagBucket,
  flagThreshold,
} from '@atrium/core/flags/flag-evaluation'
import type { ExplainFlag, FlagExplanation } from '@atrium/core/flags/flags'
import { writeText } from '@atrium/core/platform/errors'
import { findTenant } from '@atrium/db/tenants/tenants'
import type { PageLanguage } from '@atrium/messages/languages'
import { flagHash } from '../platform/flag-evaluator.ts'
import type { Services } from '../rpc/services.ts'
import { isServed, toTarget, unknownTenant } from './evaluate.ts'
import { unknownFlag } from './get.ts'

/**
 * Why a flag is on or off for a tenant, or without one: every step of the evaluation with its
 * result, in `language`.
 */
export async function explainFlag(
  services: Services,
  { key, tenantSlug }: ExplainFlag,
  language: PageLanguage,
): Promise<FlagExplanation> {
  const tenant =
    tenantSlug === undefined ? undefined : await findTenant(services.database, tenantSlug)
  if (tenantSlug !== undefined && !tenant) throw unknownTenant()
  const target: FlagTarget | undefined = tenant && toTarget(tenant)
  const rules = await services.flags.rules()
  const rule = rules.get(key)
  const explained = explain(
    { rules, target, now: services.clock.now().getTime(), hash: flagHash },
    key,
  )
  if (!rule || !explained) throw unknownFlag()
  return {
    key,
    version: rule.version,
    tenantSlug: tenant?.slug ?? null,
    tenantStatus: tenant?.status ?? null,
    value: explained.value,
    reason: explained.reason,
    served: explained.value && (!tenant || isServed(tenant)),
    steps: explained.steps.map((step) => ({ ...step, detail: writeText(step.detail, language) })),
    bucket: target ? flagBucket(rule, target.slug, flagHash) : null,
    threshold: flagThreshold(rule),
  }
}
