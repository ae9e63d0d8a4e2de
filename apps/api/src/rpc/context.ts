import { AppError } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { findTenantForCaller, type TenantRow } from '@atrium/db/tenants/tenants'
import {
  type CallerRow,
  type CallerTenantRow,
  findCaller,
  findCallerInTenant,
} from '@atrium/db/users/callers'
import { isOperatorToken, type TokenClaims } from '../platform/token.ts'
import type { Caller, CallerTenant, RequestInfo } from './caller.ts'
import { toEnforcedPolicy } from './enforced-policy.ts'
import type { Services } from './services.ts'

/**
 * One request: the services, what the transport knows of it, and the caller, read at most once per
 * tenant.
 */
export interface Context {
  services: Services
  request: RequestInfo
  /** The bearer token as it came, for those that are no access tokens; undefined without one. */
  bearerToken(): string | undefined
  /** Verifies the token alone. Throws AppError when there is no valid one. */
  verifyToken(): Promise<TokenClaims>
  /**
   * Verifies the token and reads the stored caller. Throws AppError when there is no valid token or
   * the user is deactivated.
   */
  readCaller(): Promise<Caller>
  /**
   * The same with the tenant of the path; `tenant` is undefined when no tenant has that slug. One
   * statement.
   */
  readCallerIn(slug: string): Promise<{ caller: Caller; tenant: CallerTenant | undefined }>
  /**
   * The same with the tenant's whole record, still in one statement; for the guard of reading a
   * tenant, which decides who sees it.
   */
  readCallerWithTenant(
    slug: string,
  ): Promise<
    | { caller: Caller; tenant: undefined; record?: never }
    | { caller: Caller; tenant: CallerTenant; record: TenantRow }
  >
}

/**
 * `authorization` is the header as it came. Authorization data is never cached between requests, so
 * that a removed flag or membership acts on the next one; within a request (a batch of calls, say)
 * it is read once.
 */
export function createContext(
  services: Services,
  request: RequestInfo,
  authorization: string | undefined,
): Context {
  let claims: Promise<TokenClaims> | undefined
  let plain: Promise<Caller> | undefined
  const inTenant = new Map<string, Promise<{ caller: Caller; tenant: CallerTenant | undefined }>>()

  function verify(): Promise<TokenClaims> {
    claims ??= verifyHeader(services, authorization)
    return claims
  }
  return {
    services,
    request,
    bearerToken: () => bearerIn(authorization),
    verifyToken: verify,
    readCaller() {
      plain ??= verify().then(async (token) =>
        noted(
          request,
          toCaller(services, token, await findCaller(services.database, token.subject)),
        ),
      )
      return plain
    },
    readCallerIn(slug) {
      const known = inTenant.get(slug)
      if (known) return known
      // A text that cannot be a slug names no tenant, and some such texts the database would not
      // even take.
      const named = isSlugShaped(slug) ? slug : ''
      const found = verify().then(async (token) => {
        const row = await findCallerInTenant(
          services.database,
          token.subject,
          named,
          services.clock.now(),
        )
        if (named) request.logFields.tenant = named
        return {
          caller: noted(request, toCaller(services, token, row?.caller)),
          tenant: row ? toTenant(row.tenant) : undefined,
        }
      })
      inTenant.set(slug, found)
      return found
    },
    async readCallerWithTenant(slug) {
      const token = await verify()
      const named = isSlugShaped(slug) ? slug : ''
      const row = await findTenantForCaller(
        services.database,
        token.subject,
        named,
        services.clock.now(),
      )
      if (named) request.logFields.tenant = named
      const caller = noted(request, toCaller(services, token, row?.caller))
      if (!row?.tenant) return { caller, tenant: undefined }
      const { id, slug: storedSlug, status, partnerId, awaitsOwner, partnerSlug, plan } = row.tenant
      return {
        caller,
        tenant: {
          id,
          slug: storedSlug,
          status,
          partnerId,
          awaitsOwner,
          partnerSlug,
          plan,
          role: row.role,
          grant: row.grant,
          policy: toEnforcedPolicy(row.policy),
        },
        record: row.tenant,
      }
    },
  }
}

function noted({ logFields }: RequestInfo, caller: Caller): Caller {
  if (caller.id) logFields.userId = caller.id
  if (caller.operator) logFields.operator = true
  return caller
}

/**
 * The access token of an `Authorization` header (RFC 6750 section 2.1), undefined where it holds
 * none.
 */
export function bearerIn(authorization: string | undefined): string | undefined {
  return authorization && /^Bearer /i.test(authorization)
    ? authorization.slice('Bearer '.length)
    : undefined
}

async function verifyHeader(
  services: Services,
  authorization: string | undefined,
): Promise<TokenClaims> {
  const token = bearerIn(authorization)
  if (token === undefined) throw new AppError('unauthenticated')
  return services.tokens.verify(token)
}

function toCaller(services: Services, token: TokenClaims, row: CallerRow | undefined): Caller {
  if (row?.deactivatedAt) throw new AppError('user_deactivated')
  const platformAdmin = row?.platformAdmin ?? false
  return {
    id: row?.id,
    subject: token.subject,
    email: row?.email ?? token.email,
    name: row?.name ?? token.name,
    token,
    platformAdmin,
    operator: platformAdmin && isOperatorToken(token, services.config.tokens),
    partner: row?.partner ?? undefined,
  }
}

function toTenant(row: CallerTenantRow): CallerTenant | undefined {
  if (!row.tenantId || !row.tenantSlug || !row.tenantStatus || !row.tenantPlan) return undefined
  return {
    id: row.tenantId,
    slug: row.tenantSlug,
    status: row.tenantStatus,
    partnerId: row.tenantPartnerId,
    awaitsOwner: row.tenantAwaitsOwner ?? false,
    partnerSlug: row.tenantPartnerSlug,
    plan: row.tenantPlan,
    role: row.role,
    grant: row.grant,
    policy: toEnforcedPolicy(row.tenantPolicy),
  }
}
