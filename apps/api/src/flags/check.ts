import { findDeepFlagChain, findFlagCycle } from '@atrium/core/flags/flag-graph'
import { deepestPrerequisites, type FlagSettings } from '@atrium/core/flags/flags'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import { existingPartners, existingTenants, prerequisitesOfFlags } from '@atrium/db/flags/flags'
import type { Trx } from '@atrium/db/platform/connect'

/**
 * Validates a flag. Throws AppError `invalid_input` for unknown names, a period that ends before it
 * starts and a chain of prerequisites that is too long, and `flag_cycle` for a cyclic one. Takes
 * `Trx`, because the graph must be locked. Only the changed parts are looked up, so that a tenant
 * deleted since does not block other changes.
 */
export async function checkFlag(
  trx: Trx,
  key: string,
  requested: FlagSettings,
  before?: FlagSettings,
): Promise<void> {
  const issues = [
    ...(await unknownNames(trx, requested, before)),
    ...timeIssues(requested),
    ...(await prerequisiteIssues(trx, key, requested, before)),
  ]
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
}

async function unknownNames(
  trx: Trx,
  requested: FlagSettings,
  before: FlagSettings | undefined,
): Promise<IssueText[]> {
  const added = (field: 'allowTenants' | 'denyTenants' | 'allowPartners') =>
    requested[field].filter((slug) => !before?.[field].includes(slug))
  const tenants = await existingTenants(trx, [...added('allowTenants'), ...added('denyTenants')])
  const partners = await existingPartners(trx, added('allowPartners'))
  const issuesOf = (
    field: 'allowTenants' | 'denyTenants' | 'allowPartners',
    existing: ReadonlySet<string>,
    kind: 'unknownTenantNamed' | 'unknownPartnerNamed',
  ) =>
    added(field)
      .filter((slug) => !existing.has(slug))
      .map((slug) => ({
        path: `${field}.${requested[field].indexOf(slug)}`,
        message: errorText(kind, { slug }),
      }))
  return [
    ...issuesOf('allowTenants', tenants, 'unknownTenantNamed'),
    ...issuesOf('denyTenants', tenants, 'unknownTenantNamed'),
    ...issuesOf('allowPartners', partners, 'unknownPartnerNamed'),
  ]
}

function timeIssues({ enabledFrom, enabledUntil }: FlagSettings): IssueText[] {
  if (
    enabledFrom === null ||
    enabledUntil === null ||
    Date.parse(enabledFrom) < Date.parse(enabledUntil)
  )
    return []
  return [{ path: 'enabledUntil', message: errorText('endsBeforeStart') }]
}

async function prerequisiteIssues(
  trx: Trx,
  key: string,
  requested: FlagSettings,
  before: FlagSettings | undefined,
): Promise<IssueText[]> {
  const added = requested.prerequisites.filter(
    (one) => !before?.prerequisites.some((old) => old.key === one.key),
  )
  if (added.length === 0) return []
  const graph = await prerequisitesOfFlags(trx)
  const path = (named: string) =>
    `prerequisites.${requested.prerequisites.findIndex((one) => one.key === named)}.key`
  const unknown = added.filter((one) => one.key !== key && !graph.has(one.key))
  if (unknown.length > 0)
    return unknown.map((one) => ({
      path: path(one.key),
      message: errorText('unknownFlagNamed', { key: one.key }),
    }))
  graph.set(key, requested.prerequisites)
  const cycle = findFlagCycle(graph, key)
  if (cycle) {
    const message = errorText('flagCycle', { cycle: cycle.join(' needs ') })
    throw new AppError('flag_cycle', message, {
      issues: [{ path: path(cycle[1] ?? key), message }],
    })
  }
  const chain = findDeepFlagChain(graph, key)
  if (!chain) return []
  return [
    {
      path: 'prerequisites',
      message: errorText('flagDepth', { deepestPrerequisites, chain: chain.join(' needs ') }),
    },
  ]
}
