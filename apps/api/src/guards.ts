import { AppError } from '@atrium/core/errors'
import type { Caller, CallerTenant, Context } from './context.ts'
import { guarded } from './procedure.ts'

/** No session needed. */
export const publicProcedure = guarded(() => ({}))

/** J: a valid token of somebody who is not deactivated. */
export const signedIn = guarded(async (ctx) => ({ caller: await ctx.readCaller() }))

/** O: the token is for the operator audience and the stored flag is set; both are required (seed 5.6). */
export const operator = guarded(async (ctx) => {
  const caller = await ctx.readCaller()
  refuseNonOperator(caller, ctx.house.config.tokens.operatorAudience)
  return { caller }
})

/** Throws the refusal that says which half of the operator guard failed. */
export function refuseNonOperator(caller: Caller, operatorAudience: string): void {
  if (!caller.token.audiences.includes(operatorAudience)) throw new AppError('operator_required')
  if (!caller.platformAdmin) throw new AppError('not_platform_admin')
}

/** J with the tenant that the input may name. What a caller who is a stranger there is told is the procedure's to decide. */
export function signedInAbout(slugIn: (raw: unknown) => string | undefined) {
  return guarded(async (ctx, readInput): Promise<{ caller: Caller; tenant: CallerTenant | undefined }> => {
    const slug = slugIn(await readInput())
    return slug === undefined ? { caller: await ctx.readCaller(), tenant: undefined } : ctx.readCallerIn(slug)
  })
}

declare const proven: unique symbol
/** A tenant that the caller was shown to have access to, and how. Made by the guards below and nowhere else. */
export type Access = { readonly caller: Caller; readonly tenant: CallerTenant; readonly [proven]: true }

function slugOf(raw: unknown): string {
  const slug = typeof raw === 'object' && raw !== null && 'slug' in raw ? raw.slug : undefined
  if (typeof slug !== 'string')
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'slug', message: 'This must be text.' }] })
  return slug
}

type Decide = (caller: Caller, tenant: CallerTenant, context: Context) => boolean

/**
 * A guard over the tenant named by `slug`. `visible` decides who may know of it: others get what an unknown slug gets.
 * `allowed` decides who may do this; `refusal` is for those who see the tenant and may not.
 */
function tenantGuard(rules: {
  visible: Decide
  allowed: Decide
  hidden: (caller: Caller, context: Context) => AppError
  refusal: (caller: Caller, context: Context) => AppError
}) {
  return guarded(async (ctx, readInput) => {
    const { caller, tenant } = await ctx.readCallerIn(slugOf(await readInput()))
    if (!tenant || !rules.visible(caller, tenant, ctx)) {
      throw caller.operator ? new AppError('not_found', 'There is no tenant with this slug.') : rules.hidden(caller, ctx)
    }
    if (!rules.allowed(caller, tenant, ctx)) throw rules.refusal(caller, ctx)
    return { caller, access: { caller, tenant } as Access }
  })
}

const isMember: Decide = (_caller, tenant) => tenant.role !== null
const isAdmin: Decide = (_caller, tenant) => tenant.role === 'admin' || tenant.role === 'owner'
const isOwner: Decide = (_caller, tenant) => tenant.role === 'owner'
const isOperator: Decide = (caller) => caller.operator
const ownsAsPartner: Decide = (caller, tenant) => caller.partner !== undefined && caller.partner.id === tenant.partnerId
const any =
  (...decisions: Decide[]): Decide =>
  (...args) =>
    decisions.some((decide) => decide(...args))

const sees = any(isMember, isOperator, ownsAsPartner)
const notFound = () => new AppError('not_found', 'There is no tenant with this slug.')
const notMember = () => new AppError('not_member')
const needsOperator = (caller: Caller, context: Context) =>
  caller.token.audiences.includes(context.house.config.tokens.operatorAudience)
    ? new AppError('not_platform_admin')
    : new AppError('operator_required')

/** J on a record: members, owning partner staff and operators; for everybody else the tenant does not exist. */
export const tenantReader = guarded(async (ctx, readInput) => {
  const { caller, tenant, record } = await ctx.readCallerWithTenant(slugOf(await readInput()))
  if (!tenant || !sees(caller, tenant, ctx)) throw notFound()
  return { caller, access: { caller, tenant } as Access, record }
})

/** M|O. Foreign and unknown tenants look the same to people who are neither: 403. */
export const memberOrOperator = tenantGuard({
  visible: any(isMember, isOperator),
  allowed: any(isMember, isOperator),
  hidden: notMember,
  refusal: notMember,
})

/** A|O. Who is neither member nor operator learns nothing of the tenant: 403, as for reading. */
export const adminOrOperator = tenantGuard({
  visible: any(isMember, isOperator),
  allowed: any(isAdmin, isOperator),
  hidden: notMember,
  refusal: () => new AppError('not_admin'),
})

/** A|O, or staff of the partner that owns the tenant. */
export const adminPartnerOrOperator = tenantGuard({
  visible: sees,
  allowed: any(isAdmin, isOperator, ownsAsPartner),
  hidden: notFound,
  refusal: () => new AppError('not_admin'),
})

/** The owner or an operator. */
export const ownerOrOperator = tenantGuard({
  visible: sees,
  allowed: any(isOwner, isOperator),
  hidden: notFound,
  refusal: () => new AppError('not_owner'),
})

/** Operators, or staff of the partner that owns the tenant. Partner staff do not learn of other partners' tenants. */
export const partnerOrOperator = tenantGuard({
  visible: any(isOperator, ownsAsPartner),
  allowed: any(isOperator, ownsAsPartner),
  hidden: (caller, context) => (caller.partner ? notFound() : needsOperator(caller, context)),
  refusal: needsOperator,
})
