import { AppError } from '@atrium/core/platform/errors'
import { type Limit, type LimitName, type LimitScope, limits } from '@atrium/core/platform/limits'
import {
  type SetTenantLimits,
  type TenantLimits,
  tenantLimitNames,
} from '@atrium/core/tenants/tenant-limits'
import { countDomains } from '@atrium/db/mail/domains'
import { countMailLists } from '@atrium/db/mail/lists'
import type { Db } from '@atrium/db/platform/connect'
import { findTenantLimits, saveTenantLimits } from '@atrium/db/platform/rate-limits'
import { countServiceTokens } from '@atrium/db/service-tokens/service-tokens'
import { countSsoApps } from '@atrium/db/sso/sso'
import { lockTenant } from '@atrium/db/tenants/tenants'
import { listWebhookEndpoints } from '@atrium/db/webhook-endpoints/webhook-endpoints'
import { errorTexts } from '@atrium/messages/error-texts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { Limits } from '../rpc/limits.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'

/** How many there are of what a limit without a window counts. */
const present: Partial<Record<LimitName, (db: Db, tenantId: string) => Promise<number>>> = {
  domains: countDomains,
  lists: countMailLists,
  service_tokens: (db, tenantId) => countServiceTokens(db, { kind: 'tenant', tenantId }),
  sso_apps: countSsoApps,
  webhook_endpoints: async (db, tenantId) =>
    (await listWebhookEndpoints(db, { kind: 'tenant', tenantId })).length,
}

/** Each limit that an operator can set for a tenant, with what is used of it now. */
export async function readTenantLimits(
  { services, request }: Context,
  { tenant }: Access,
): Promise<TenantLimits> {
  const { db } = services.database
  const [set, taken, counted] = await Promise.all([
    findTenantLimits(db, tenant.id),
    takenInWindows(services.limits, tenant.id),
    Promise.all(
      Object.entries(present).map(
        async ([name, count]) => [name, await count(db, tenant.id)] as const,
      ),
    ),
  ])
  const presentOf = new Map<string, number>(counted)
  const items = tenantLimitNames.map((name) => {
    const { seconds, per }: Limit = limits[name]
    const counts = errorTexts(request.language)(`limits.counts.${name}`)
    const standard = services.limits.most(name)
    const window = taken.find(({ limit }) => limit === name)
    const used = window?.taken ?? presentOf.get(name) ?? null
    const own = set.get(name) ?? null
    const resetsAt = window?.endsAt.toISOString() ?? null
    return { name, counts, per, seconds, most: own ?? standard, standard, set: own, used, resetsAt }
  })
  return { items }
}

/**
 * What is taken of the limits that are counted in windows, for the tenant or for the one member or
 * host who took most.
 */
async function takenInWindows(enforced: Limits, tenantId: string) {
  const namesPer = (per: LimitScope) =>
    tenantLimitNames.filter((name) => limits[name].per === per && limits[name].seconds !== null)
  const highest = (per: 'member' | 'host') =>
    namesPer(per).map((limit) => enforced.highestTaken(limit, per, tenantId))
  const [ofTenant, ...others] = await Promise.all([
    enforced.taken(namesPer('tenant').map((limit) => ({ limit, of: tenantId }))),
    ...highest('member'),
    ...highest('host'),
  ])
  return [...ofTenant, ...others]
}

/**
 * Sets limits of one tenant, or sets them back to the number of the installation. What is there
 * already stays, also beyond a lower limit. Throws AppError `tenant_deleted`.
 */
export async function setTenantLimits(
  ctx: Context,
  access: Access,
  input: SetTenantLimits,
): Promise<TenantLimits> {
  const { services } = ctx
  const { tenant } = access
  await tenantTransaction(services, tenant.id, async (trx) => {
    const locked = await lockTenant(trx, tenant.slug)
    if (!locked) throw new AppError('not_found')
    if (locked.status === 'deleted') throw new AppError('tenant_deleted')
    const before = await findTenantLimits(trx, tenant.id)
    const changed = input.limits.filter(({ name, most }) => (before.get(name) ?? null) !== most)
    await saveTenantLimits(trx, tenant.id, changed)
    if (changed.length === 0) return
    const changes = Object.fromEntries(
      changed.map(({ name, most }) => [name, [before.get(name) ?? null, most]]),
    )
    const entry: AuditEntry = {
      action: 'tenant.limits_changed',
      resourceType: 'tenant',
      resourceId: tenant.id,
      resourceName: tenant.slug,
      tenantSlug: tenant.slug,
      partnerSlug: tenant.partnerSlug,
      metadata: { changes, ...(input.reason === undefined ? {} : { reason: input.reason }) },
    }
    await services.audit.record(ctx, access.caller, entry, trx)
  })
  return readTenantLimits(ctx, access)
}
