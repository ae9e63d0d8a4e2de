import { grantOpens } from '@atrium/core/access-grants/scopes'
import {
  hasPartnerRight,
  type PartnerAccess,
  type PartnerRight,
  type PartnerStatus,
} from '@atrium/core/partners/partner-access'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type ErrorCode } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { findPartnerBySlug } from '@atrium/db/partners/partners'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import type { Config } from '../platform/config.ts'
import { isOperatorToken } from '../platform/token.ts'
import type { Caller, CallerTenant } from './caller.ts'
import type { Context } from './context.ts'
import { type GuardedCall, guarded, guardedWithoutToken } from './procedure.ts'
import { policyErrors, rejectShutOut } from './security-policy.ts'
import { ownerOf } from './service-caller.ts'

/** No session needed. */
export const publicProcedure = guardedWithoutToken(() => ({}))

/** J: a valid token of a person who is not deactivated. */
export const signedIn = guarded(async (ctx) => ({ caller: await ctx.readCaller() }))

/** A program that calls with a service token. For people there is nothing. */
export const serviceOnly = guarded(
  async (ctx) => {
    const caller = await ctx.readCaller()
    if (!caller.service) throw new AppError('not_found', errorText('unknownServiceToken'))
    return { caller, service: caller.service }
  },
  ['not_found'],
)

/**
 * O: the token is for the operator audience and the stored flag is set; both are required (seed
 * 5.6).
 */
export const operator = guarded(
  async (ctx) => {
    const caller = await ctx.readCaller()
    rejectNonOperator(caller, ctx.services.config.tokens)
    return { caller }
  },
  ['operator_required', 'not_platform_admin'],
)

/** Throws the rejection that says which half of the operator guard failed. */
export function rejectNonOperator(caller: Caller, tokens: Config['tokens']): void {
  if (caller.operator) return
  if (!isOperatorToken(caller.token, tokens)) throw new AppError('operator_required')
  if (!caller.platformAdmin) throw new AppError('not_platform_admin')
}

/** J with the tenant that the input may name. The procedure decides how to answer non-members. */
export function signedInAbout(slugIn: (raw: unknown) => string | undefined) {
  return guarded(
    async (ctx, readInput): Promise<{ caller: Caller; tenant: CallerTenant | undefined }> => {
      const slug = slugIn(await readInput())
      return slug === undefined
        ? { caller: await ctx.readCaller(), tenant: undefined }
        : ctx.readCallerIn(slug)
    },
  )
}

/**
 * Whose events the caller may read: a program those of its token's owner, an operator all. The
 * policy of a tenant binds its tokens here too. Throws AppError as `operator` and `serviceOnly`.
 */
export async function readerOfEvents(
  ctx: Context,
): Promise<{ caller: Caller; reader: TokenOwner }> {
  const caller = await ctx.readCaller()
  const { service } = caller
  if (!service) {
    rejectNonOperator(caller, ctx.services.config.tokens)
    return { caller, reader: { kind: 'platform' } }
  }
  if (service.tenantSlug !== null) {
    const { tenant } = await ctx.readCallerIn(service.tenantSlug)
    if (!tenant) throw notFound()
    rejectShutOut(ctx, caller, tenant)
  }
  return { caller, reader: ownerOf(service) }
}

/** O, and programs about their own events. */
export const eventsReader = guarded(readerOfEvents, [
  'operator_required',
  'not_platform_admin',
  'not_found',
  ...policyErrors,
])

declare const proven: unique symbol
/**
 * A tenant that the caller was shown to have access to, and how. Made by the guards below and
 * nowhere else.
 */
export type Access = {
  readonly caller: Caller
  readonly tenant: CallerTenant
  readonly [proven]: true
}

function slugOf(raw: unknown, field: 'slug' | 'tenantSlug' = 'slug'): string {
  const slug = typeof raw === 'object' && raw !== null ? Reflect.get(raw, field) : undefined
  if (typeof slug !== 'string')
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: field, message: errorText('notText') }],
    })
  return slug
}

/**
 * The access grant that the caller can use: partner staff with the right to manage customers and
 * their portal token, for a tenant that they do not administer themselves; operators with their
 * operator token.
 */
export function usableGrant(caller: Caller, tenant: CallerTenant): CallerTenant['grant'] {
  const { grant, role } = tenant
  if (!grant) return null
  if (caller.operator) return grant.partnerId === null ? grant : null
  const ownRight = role === 'admin' || role === 'owner'
  return grant.partnerId !== null && !ownRight && mayManageAsPartner(caller, tenant) ? grant : null
}

/**
 * Caller and tenant for a call that the caller's access grant may open: partner staff act as admins
 * then. Operators need no role; their calls only carry the grant.
 */
function underGrant(
  found: { caller: Caller; tenant: CallerTenant | undefined },
  call: GuardedCall,
): { caller: Caller; tenant: CallerTenant | undefined } {
  const { caller, tenant } = found
  const grant = tenant && usableGrant(caller, tenant)
  if (!tenant || !grant || !grantOpens(grant, call)) return found
  const onBehalf = {
    grantId: grant.id,
    tenantSlug: tenant.slug,
    partnerSlug: grant.partnerId === null ? null : tenant.partnerSlug,
  }
  return {
    caller: { ...caller, onBehalf },
    tenant: caller.operator ? tenant : { ...tenant, role: 'admin' },
  }
}

type Decide = (caller: Caller, tenant: CallerTenant, context: Context) => boolean

/**
 * A guard over the tenant named by `slug`. `visible` decides who may see it: others get the
 * response for an unknown slug. Members whom the tenant's security policy shuts out are rejected
 * next. `allowed` decides who may call this; `refusal` is for those who see the tenant and may not.
 */
function tenantGuard(rules: {
  visible: Decide
  allowed: Decide
  hidden: (caller: Caller, context: Context) => AppError
  rejection: (caller: Caller, context: Context, tenant: CallerTenant) => AppError
  /** The codes of `hidden` and `refusal`. */
  errors: readonly ErrorCode[]
}) {
  return guarded(
    async (ctx, readInput, call) => {
      const { caller, tenant } = underGrant(await ctx.readCallerIn(slugOf(await readInput())), call)
      if (!tenant || !rules.visible(caller, tenant, ctx)) {
        throw caller.operator
          ? new AppError('not_found', errorText('unknownTenantSlug'))
          : rules.hidden(caller, ctx)
      }
      rejectShutOut(ctx, caller, tenant)
      if (!rules.allowed(caller, tenant, ctx)) throw rules.rejection(caller, ctx, tenant)
      return { caller, access: { caller, tenant } as Access }
    },
    ['not_found', ...policyErrors, ...rules.errors],
  )
}

/** Staff of the partner that looks after a tenant until it has an owner acts as its admin. */
export function isCustodian(caller: Caller, tenant: CallerTenant): boolean {
  return tenant.awaitsOwner && mayManageAsPartner(caller, tenant)
}
const isMember: Decide = (caller, tenant) => tenant.role !== null || isCustodian(caller, tenant)
const isAdmin: Decide = (caller, tenant) =>
  tenant.role === 'admin' || tenant.role === 'owner' || isCustodian(caller, tenant)
const isOwner: Decide = (_caller, tenant) => tenant.role === 'owner'
const isOperator: Decide = (caller) => caller.operator
const ownsAsPartner: Decide = (caller, tenant) =>
  caller.partner !== undefined && caller.partner.id === tenant.partnerId
const managesAsPartner: Decide = (caller, tenant) => mayManageAsPartner(caller, tenant)
const any =
  (...decisions: Decide[]): Decide =>
  (...args) =>
    decisions.some((decide) => decide(...args))

const sees = any(isMember, isOperator, ownsAsPartner)
const staffRejection = (caller: Caller) =>
  caller.partner && hasPartnerRight(caller.partner.access, 'manageCustomers')
    ? new AppError('partner_suspended')
    : new AppError('access_level')
const notFound = () => new AppError('not_found', errorText('unknownTenantSlug'))
const notMember = () => new AppError('not_member')
const needsOperator = (caller: Caller, context: Context) =>
  isOperatorToken(caller.token, context.services.config.tokens)
    ? new AppError('not_platform_admin')
    : new AppError('operator_required')

/**
 * J on a record: members, owning partner staff and operators; for everyone else the tenant does not
 * exist.
 */
export const tenantReader = guarded(
  async (ctx, readInput) => {
    const { caller, tenant, record } = await ctx.readCallerWithTenant(slugOf(await readInput()))
    if (!tenant || !sees(caller, tenant, ctx)) throw notFound()
    rejectShutOut(ctx, caller, tenant)
    return { caller, access: { caller, tenant } as Access, record }
  },
  ['not_found', ...policyErrors],
)

/**
 * Whether a person who sees the tenant is a plain member only: neither admin, nor operator, nor
 * staff of its partner.
 */
export function isPlainMember(
  caller: Caller,
  tenant: { role: CallerTenant['role']; partnerId: string | null },
): boolean {
  const ownPartner = caller.partner !== undefined && caller.partner.id === tenant.partnerId
  return tenant.role === 'member' && !caller.operator && !ownPartner
}

/**
 * A, P, O: who sees the tenant and is no plain member, for what only those who run it need to know.
 */
export const adminReader = guarded(
  async (ctx, readInput, call) => {
    const { caller, tenant } = underGrant(await ctx.readCallerIn(slugOf(await readInput())), call)
    if (!tenant || !sees(caller, tenant, ctx)) throw notFound()
    rejectShutOut(ctx, caller, tenant)
    if (isPlainMember(caller, tenant)) throw new AppError('not_admin')
    return { caller, access: { caller, tenant } as Access }
  },
  ['not_found', 'not_admin', ...policyErrors],
)

/** M|O. Foreign and unknown tenants look the same to people who are neither: 403. */
export const memberOrOperator = tenantGuard({
  visible: any(isMember, isOperator),
  allowed: any(isMember, isOperator),
  hidden: notMember,
  rejection: notMember,
  errors: ['not_member'],
})

/** M|O, or staff of the partner that owns the tenant: what it sold to its customer it may read. */
export const memberPartnerOrOperator = tenantGuard({
  visible: sees,
  allowed: sees,
  hidden: notMember,
  rejection: notMember,
  errors: ['not_member'],
})

/** A|O. Who is neither member nor operator learns nothing of the tenant: 403, as for reading. */
export const adminOrOperator = tenantGuard({
  visible: any(isMember, isOperator),
  allowed: any(isAdmin, isOperator),
  hidden: notMember,
  rejection: () => new AppError('not_admin'),
  errors: ['not_member', 'not_admin'],
})

/** A|O, or staff of the partner that owns the tenant. */
export const adminPartnerOrOperator = tenantGuard({
  visible: sees,
  allowed: any(isAdmin, isOperator, managesAsPartner),
  hidden: notFound,
  rejection: (caller, context, tenant) =>
    ownsAsPartner(caller, tenant, context) ? staffRejection(caller) : new AppError('not_admin'),
  errors: ['not_admin', 'access_level', 'partner_suspended'],
})

/**
 * Admins of the tenant in their own right, for what outlives the call: neither operators nor a
 * partner that looks after the tenant until it has an owner.
 */
export const adminOnly = tenantGuard({
  visible: sees,
  allowed: (_caller, tenant) => tenant.role === 'admin' || tenant.role === 'owner',
  hidden: notFound,
  rejection: () => new AppError('not_admin'),
  errors: ['not_admin'],
})

/** The owner alone, for what an owner consents to. */
export const ownerOnly = tenantGuard({
  visible: sees,
  allowed: isOwner,
  hidden: notFound,
  rejection: () => new AppError('not_owner'),
  errors: ['not_owner'],
})

/** The owner or an operator. */
export const ownerOrOperator = tenantGuard({
  visible: sees,
  allowed: any(isOwner, isOperator),
  hidden: notFound,
  rejection: () => new AppError('not_owner'),
  errors: ['not_owner'],
})

/**
 * Operators, or staff of the partner that owns the tenant. Partner staff do not learn of other
 * partners' tenants.
 */
export const partnerOrOperator = tenantGuard({
  visible: any(isOperator, ownsAsPartner),
  allowed: any(isOperator, managesAsPartner),
  hidden: (caller, context) => (caller.partner ? notFound() : needsOperator(caller, context)),
  rejection: staffRejection,
  errors: ['operator_required', 'not_platform_admin', 'access_level', 'partner_suspended'],
})

/** O on a tenant. Everyone else gets the same response whether or not the tenant exists. */
export const operatorOfTenant = tenantGuard({
  visible: isOperator,
  allowed: isOperator,
  hidden: needsOperator,
  rejection: needsOperator,
  errors: ['operator_required', 'not_platform_admin'],
})

/**
 * Whether the caller may change the tenant as staff of the partner that owns it: an active partner,
 * and a level that allows it.
 */
export function mayManageAsPartner(
  { partner }: Caller,
  tenant: { partnerId: string | null },
): boolean {
  return (
    partner !== undefined &&
    partner.id === tenant.partnerId &&
    partner.status === 'active' &&
    hasPartnerRight(partner.access, 'manageCustomers')
  )
}

declare const provenPartner: unique symbol
/**
 * A partner that the caller was shown to work for or to operate. `access` is null for operators.
 * Made below and nowhere else.
 */
export type OwnPartner = {
  readonly caller: Caller
  readonly partner: { readonly id: string; readonly slug: string; readonly status: PartnerStatus }
  readonly access: PartnerAccess | null
  readonly [provenPartner]: true
}

const noSuchPartner = () => new AppError('not_found', errorText('unknownPartnerSlug'))

type Mode = 'read' | 'write' | 'settle'

/**
 * Operators, and staff of the path's partner whose level has the permission. For staff of another
 * partner this one does not exist. Reads stay allowed while the partner is suspended; `write` is
 * then rejected for its staff, and for everyone once it is terminated. `settle` is a `write` that
 * operators may still do then, so that earnings are paid.
 */
async function proveOwnPartner(
  ctx: Context,
  slug: string,
  right: PartnerRight,
  mode: Mode,
): Promise<OwnPartner> {
  const caller = await ctx.readCaller()
  const own = !caller.operator && caller.partner?.slug === slug ? caller.partner : undefined
  if (!own && !caller.operator) throw caller.partner ? noSuchPartner() : needsOperator(caller, ctx)
  // A text that cannot be a slug names no partner, and some such texts the database would not even
  // take.
  const partner =
    own ??
    (isSlugShaped(slug) ? await findPartnerBySlug(ctx.services.database.db, slug) : undefined)
  if (!partner) throw noSuchPartner()
  if (own && !hasPartnerRight(own.access, right)) throw new AppError('access_level')
  if (mode === 'write' && partner.status === 'terminated') throw new AppError('partner_terminated')
  if (mode !== 'read' && own?.status === 'suspended') throw new AppError('partner_suspended')
  const { id, slug: stored, status } = partner
  return {
    caller,
    partner: { id, slug: stored, status },
    access: own?.access ?? null,
  } as OwnPartner
}

function ownPartnerErrors(mode: Mode): ErrorCode[] {
  const reading: ErrorCode[] = [
    'not_found',
    'operator_required',
    'not_platform_admin',
    'access_level',
  ]
  if (mode === 'read') return reading
  return mode === 'write'
    ? [...reading, 'partner_suspended', 'partner_terminated']
    : [...reading, 'partner_suspended']
}

function partnerGuard(right: PartnerRight, mode: Mode) {
  return guarded(async (ctx, readInput) => {
    const partnerAccess = await proveOwnPartner(ctx, slugOf(await readInput()), right, mode)
    return { caller: partnerAccess.caller, partnerAccess }
  }, ownPartnerErrors(mode))
}

/** P|O: any staff of the partner of the path. */
export const partnerReader = partnerGuard('customers', 'read')
/** P|O: staff whose level shows reports: not `support`. */
export const partnerReportReader = partnerGuard('reports', 'read')
/** P|O: staff whose level shows margin, billing and payouts: `manager` and `owner`. */
export const partnerFinanceReader = partnerGuard('finance', 'read')
/** P|O: `manager` and `owner` of an active partner. */
export const partnerManager = partnerGuard('manageCustomers', 'write')
/** P|O: `owner` of an active partner. */
export const partnerOwner = partnerGuard('manageStaff', 'write')
/** P|O: staff of level `owner`, also while the partner is suspended. */
export const partnerOwnerReader = partnerGuard('manageStaff', 'read')
/** P|O: the same, and operators for a partner that was terminated too. */
export const partnerSettler = partnerGuard('manageStaff', 'settle')

/**
 * P|O on a customer: the partner of the path owns the tenant in `tenantSlug`. Every other tenant
 * looks like none.
 */
export const customerManager = guarded(async (ctx, readInput) => {
  const raw = await readInput()
  const partnerAccess = await proveOwnPartner(ctx, slugOf(raw), 'manageCustomers', 'write')
  const { caller, tenant } = await ctx.readCallerIn(slugOf(raw, 'tenantSlug'))
  if (!tenant || tenant.partnerId !== partnerAccess.partner.id) {
    throw new AppError('not_found', errorText('unknownCustomer'))
  }
  return { caller, partnerAccess, access: { caller, tenant } as Access }
}, ownPartnerErrors('write'))
