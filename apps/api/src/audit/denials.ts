import type { AuditAction } from '@atrium/core/audit'
import type { AppError } from '@atrium/core/errors'
import { isSlugShaped } from '@atrium/core/slugs'
import type { Caller, CallerTenant, Context } from '../context.ts'
import type { AuditEntry } from './recorder.ts'

/** An act that was refused, as its procedure describes it. */
interface RefusedAct {
  action: AuditAction
  /** The REST address, with parameters in braces. */
  path: string
  input: unknown
}

type Subject = Pick<AuditEntry, 'resourceId' | 'resourceName' | 'tenantSlug' | 'partnerSlug'>

/**
 * Records that somebody who is signed in was refused for a missing right; without a caller there is nobody to name. The entry says what
 * the act was about, and stands in the log of a tenant or partner only where the caller has to do with it: of others it keeps the name
 * that was given, so that nobody writes into the log of strangers.
 */
export async function recordDenial(ctx: Context, act: RefusedAct, refusal: AppError): Promise<void> {
  const caller = await ctx.readCaller().catch(() => undefined)
  if (!caller) return
  await ctx.house.audit.record(ctx, caller, {
    action: act.action,
    outcome: 'denied',
    resourceType: act.action.split('.')[0] ?? 'platform',
    ...(await subjectOf(ctx, caller, act).catch(() => ({}))),
    metadata: { code: refusal.code },
  })
}

async function subjectOf(ctx: Context, caller: Caller, { path, input }: RefusedAct): Promise<Subject> {
  const [, kind] = /\/(tenants|partners)\/\{slug\}/.exec(path) ?? []
  const tenantSlug = kind === 'tenants' ? slugIn(input, 'slug') : path.includes('{tenantSlug}') ? slugIn(input, 'tenantSlug') : undefined
  const partnerSlug = kind === 'partners' ? slugIn(input, 'slug') : undefined
  const tenant = tenantSlug === undefined ? undefined : (await ctx.readCallerIn(tenantSlug)).tenant
  const own = tenant && hasToDoWith(caller, tenant) ? tenant : undefined
  const ownPartner = caller.partner?.slug === partnerSlug ? partnerSlug : undefined
  return {
    resourceId: recordIn(path, input) ?? own?.id ?? null,
    resourceName: tenantSlug ?? partnerSlug ?? null,
    tenantSlug: own?.slug ?? null,
    partnerSlug: ownPartner ?? own?.partnerSlug ?? null,
  }
}

function hasToDoWith({ partner }: Caller, tenant: CallerTenant): boolean {
  return tenant.role !== null || (partner !== undefined && partner.id === tenant.partnerId)
}

/** What the last parameter of the address names, such as a member's id, where it is no slug. */
function recordIn(path: string, input: unknown): string | undefined {
  const name = path.match(/\{(\w+)\}(?!.*\{)/)?.[1]
  if (name === undefined || name === 'slug' || name === 'tenantSlug') return undefined
  const value = textIn(input, name)
  return value !== undefined && /^[\w.@:+-]{1,254}$/.test(value) ? value : undefined
}

function slugIn(input: unknown, field: string): string | undefined {
  const value = textIn(input, field)
  return value !== undefined && isSlugShaped(value) ? value : undefined
}

/** The input was checked by nobody yet. */
function textIn(input: unknown, field: string): string | undefined {
  const value = typeof input === 'object' && input !== null ? Reflect.get(input, field) : undefined
  return typeof value === 'string' ? value : undefined
}
