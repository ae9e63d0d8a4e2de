import { findDeepFlagChain, findFlagCycle } from '@atrium/core/flags/flag-graph'
import { deepestPrerequisites, type FlagSettings } from '@atrium/core/flags/flags'
import { AppError, type Issue } from '@atrium/core/platform/errors'
import { existingPartners, existingTenants, prerequisitesOfFlags } from '@atrium/db/flags/flags'
import type { Trx } from '@atrium/db/platform/connect'

/**
 * Rejects what cannot stand: AppError `invalid_input` for names that nobody has, a time that ends
 * before it begins and a chain of prerequisites that is too long, `flag_cycle` for one that leads
 * back. Asks for `Trx`: the graph was locked. Only what a change adds is looked up, so that a
 * tenant deleted since does not stand in the way of other changes.
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
): Promise<Issue[]> {
  const added = (field: 'allowTenants' | 'denyTenants' | 'allowPartners') =>
    requested[field].filter((slug) => !before?.[field].includes(slug))
  const tenants = await existingTenants(trx, [...added('allowTenants'), ...added('denyTenants')])
  const partners = await existingPartners(trx, added('allowPartners'))
  const issuesOf = (
    field: 'allowTenants' | 'denyTenants' | 'allowPartners',
    existing: ReadonlySet<string>,
    kind: string,
  ) =>
    added(field)
      .filter((slug) => !existing.has(slug))
      .map((slug) => ({
        path: `${field}.${requested[field].indexOf(slug)}`,
        message: `There is no ${kind} ${slug}.`,
      }))
  return [
    ...issuesOf('allowTenants', tenants, 'tenant'),
    ...issuesOf('denyTenants', tenants, 'tenant'),
    ...issuesOf('allowPartners', partners, 'partner'),
  ]
}

function timeIssues({ enabledFrom, enabledUntil }: FlagSettings): Issue[] {
  if (
    enabledFrom === null ||
    enabledUntil === null ||
    Date.parse(enabledFrom) < Date.parse(enabledUntil)
  )
    return []
  return [{ path: 'enabledUntil', message: 'It would end before it begins.' }]
}

async function prerequisiteIssues(
  trx: Trx,
  key: string,
  requested: FlagSettings,
  before: FlagSettings | undefined,
): Promise<Issue[]> {
  const added = requested.prerequisites.filter(
    (one) => !before?.prerequisites.some((old) => old.key === one.key),
  )
  if (added.length === 0) return []
  const graph = await prerequisitesOfFlags(trx)
  const path = (named: string) =>
    `prerequisites.${requested.prerequisites.findIndex((one) => one.key === named)}.key`
  const unknown = added.filter((one) => one.key !== key && !graph.has(one.key))
  if (unknown.length > 0)
    return unknown.map((one) => ({ path: path(one.key), message: `There is no flag ${one.key}.` }))
  graph.set(key, requested.prerequisites)
  const cycle = findFlagCycle(graph, key)
  if (cycle) {
    const message = `The flag would wait for itself: ${cycle.join(' needs ')}.`
    throw new AppError('flag_cycle', message, {
      issues: [{ path: path(cycle[1] ?? key), message }],
    })
  }
  const chain = findDeepFlagChain(graph, key)
  if (!chain) return []
  return [
    {
      path: 'prerequisites',
      message: `At most ${deepestPrerequisites} flags one behind the other; this would be ${chain.join(' needs ')}.`,
    },
  ]
}
