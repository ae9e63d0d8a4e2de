import type { AuditAction } from '@atrium/core/audit/audit'
import type { AppError } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { countDenial, takeRepeatedDenials } from '@atrium/db/audit/audit'
import type { AuditEntry } from './audit-recorder.ts'
import type { Caller, CallerTenant, OnBehalf } from './caller.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'

/** An act that was rejected, as its procedure describes it. */
interface RejectedCall {
  action: AuditAction
  /** The REST address, with parameters in braces. */
  path: string
  input: unknown
  /** The access grant that the call was made under. */
  onBehalf: OnBehalf | undefined
}

type Subject = Pick<AuditEntry, 'resourceId' | 'resourceName' | 'tenantSlug' | 'partnerSlug'>

/**
 * Records that a signed-in person was rejected for a missing permission; without a caller there is
 * no one to name. The entry names the target and belongs to the log of a tenant or partner only
 * when the caller is related to it. Otherwise it keeps the given name, so that no one writes to a
 * stranger's log. The first call of a person, action and minute gets its entry immediately; the
 * others are counted, and `recordRepeatedDenials` writes one entry with their number.
 */
export async function recordDenial(
  ctx: Context,
  act: RejectedCall,
  rejection: AppError,
): Promise<void> {
  const { services } = ctx
  const known = await ctx.readCaller().catch(() => undefined)
  if (!known) return
  const caller = { ...known, ...(act.onBehalf && { onBehalf: act.onBehalf }) }
  const event = services.audit.entryOf(ctx, caller, {
    action: act.action,
    outcome: 'denied',
    resourceType: act.action.split('.')[0] ?? 'platform',
    ...(await subjectOf(ctx, caller, act).catch(() => ({}))),
    metadata: { code: rejection.code },
  })
  const place = event.tenantSlug ?? event.partnerSlug ?? ''
  const minute = new Date(Math.floor(event.at.getTime() / minuteMs) * minuteMs)
  const of = { actorId: caller.subject, action: act.action, place, minute }
  // A call that cannot be counted is worth an entry of its own.
  const calls = await countDenial(services.database.db, of, event).catch(() => 1)
  if (calls === 1) await services.audit.write(event)
}

const minuteMs = 60_000
const atOnce = 500

/**
 * Writes one entry for the calls of each minute that is over and that were only counted: with
 * `calls`, how many, and `since`, the minute.
 */
export async function recordRepeatedDenials({ database, clock, audit }: Services): Promise<void> {
  const now = clock.now()
  const over = new Date(Math.floor(now.getTime() / minuteMs) * minuteMs)
  for (;;) {
    const { taken, repeated } = await takeRepeatedDenials(database.db, over, atOnce)
    for (const { event, calls, minute } of repeated) {
      await audit.write({
        ...event,
        at: now,
        metadata: { ...event.metadata, calls, since: minute.toISOString() },
      })
    }
    if (taken < atOnce) return
  }
}

async function subjectOf(
  ctx: Context,
  caller: Caller,
  { path, input }: RejectedCall,
): Promise<Subject> {
  const [, kind] = /\/(tenants|partners)\/\{slug\}/.exec(path) ?? []
  const tenantSlug =
    kind === 'tenants'
      ? slugIn(input, 'slug')
      : path.includes('{tenantSlug}')
        ? slugIn(input, 'tenantSlug')
        : undefined
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

/** The input is not validated yet. */
function textIn(input: unknown, field: string): string | undefined {
  const value = typeof input === 'object' && input !== null ? Reflect.get(input, field) : undefined
  return typeof value === 'string' ? value : undefined
}
