import { AppError } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { findTenantForService, findTenantRecordForService } from '@atrium/db/service-tokens/callers'
import { findTenantForCaller, type TenantRow } from '@atrium/db/tenants/tenants'
import {
  type CallerRow,
  type CallerTenantRow,
  findCaller,
  findCallerInTenant,
} from '@atrium/db/users/callers'
import { serviceTokenPrefix } from '../platform/service-token.ts'
import { isOperatorToken, type TokenClaims } from '../platform/token.ts'
import type { Caller, CallerTenant, RequestInfo } from './caller.ts'
import { toEnforcedPolicy } from './enforced-policy.ts'
import {
  type ServiceToken,
  serviceCaller,
  serviceClaims,
  verifyServiceToken,
} from './service-caller.ts'
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
  /** The service token of a program; undefined where a person calls. Throws as `verifyToken`. */
  readService(): Promise<ServiceToken | undefined>
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
  let verified: Promise<Verified> | undefined
  let plain: Promise<Caller> | undefined
  const inTenant = new Map<string, Promise<{ caller: Caller; tenant: CallerTenant | undefined }>>()

  function verify(): Promise<Verified> {
    verified ??= verifyHeader(services, request, authorization)
    return verified
  }
  return {
    services,
    request,
    bearerToken: () => bearerIn(authorization),
    verifyToken: async () => (await verify()).claims,
    readService: async () => (await verify()).service,
    readCaller() {
      plain ??= verify().then(async ({ claims, service }) =>
        noted(
          request,
          service
            ? serviceCaller(service)
            : toCaller(services, claims, await findCaller(services.database, claims.subject)),
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
      const found = verify().then(async ({ claims, service }) => {
        if (named) request.logFields.tenant = named
        if (service) {
          const row = await findTenantForService(services.database, named, service.tenantId)
          return {
            caller: noted(request, serviceCaller(service)),
            tenant: row && toTenant(row),
          }
        }
        const row = await findCallerInTenant(
          services.database,
          claims.subject,
          named,
          services.clock.now(),
        )
        return {
          caller: noted(request, toCaller(services, claims, row?.caller)),
          tenant: row ? toTenant(row.tenant) : undefined,
        }
      })
      inTenant.set(slug, found)
      return found
    },
    async readCallerWithTenant(slug) {
      const { claims, service } = await verify()
      const named = isSlugShaped(slug) ? slug : ''
      if (named) request.logFields.tenant = named
      if (service) {
        const found = await findTenantRecordForService(services.database, named, service.tenantId)
        const caller = noted(request, serviceCaller(service))
        return found
          ? { caller, ...withRecord(found.record, found) }
          : { caller, tenant: undefined }
      }
      const row = await findTenantForCaller(
        services.database,
        claims.subject,
        named,
        services.clock.now(),
      )
      const caller = noted(request, toCaller(services, claims, row?.caller))
      return row?.tenant
        ? { caller, ...withRecord(row.tenant, row) }
        : { caller, tenant: undefined }
    },
  }
}

function noted({ logFields }: RequestInfo, caller: Caller): Caller {
  if (caller.service) logFields.serviceTokenId = caller.service.id
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

/** What a valid token says; `service` is the stored record behind one of a program. */
interface Verified {
  claims: TokenClaims
  service?: ServiceToken
}

async function verifyHeader(
  services: Services,
  request: RequestInfo,
  authorization: string | undefined,
): Promise<Verified> {
  const token = bearerIn(authorization)
  if (token === undefined) throw new AppError('unauthenticated')
  if (!token.startsWith(serviceTokenPrefix)) return { claims: await services.tokens.verify(token) }
  const service = await verifyServiceToken(services, request, token)
  return { claims: serviceClaims(service), service }
}

/** The tenant as the guards need it, with its record and how the caller is related to it. */
function withRecord(
  record: TenantRow,
  {
    role,
    policy,
    grant = null,
  }: Pick<CallerTenant, 'role'> & {
    policy: Parameters<typeof toEnforcedPolicy>[0]
    grant?: CallerTenant['grant']
  },
): { tenant: CallerTenant; record: TenantRow } {
  const { id, slug, status, partnerId, awaitsOwner, partnerSlug, plan } = record
  return {
    tenant: {
      id,
      slug,
      status,
      partnerId,
      awaitsOwner,
      partnerSlug,
      plan,
      role,
      grant,
      policy: toEnforcedPolicy(policy),
    },
    record,
  }
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
