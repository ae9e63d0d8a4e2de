import type { AuditSource } from '@atrium/core/audit'
import { AppError } from '@atrium/core/errors'
import { isSlugShaped } from '@atrium/core/slugs'
import type { Plan } from '@atrium/core/tenants'
import { type CallerPartnerRow, type CallerRow, type CallerTenantRow, findCaller, findCallerInTenant } from '@atrium/db/callers'
import { findTenantForCaller, type TenantRow } from '@atrium/db/tenants'
import type { House } from './house.ts'
import { isOperatorToken, type TokenClaims } from './token.ts'

/** What the transport knows of a request. */
export interface RequestFacts {
  requestId: string
  /** Leftmost X-Forwarded-For when it is an address, else the socket's (seed, authentication). For audit, never for limits. */
  ip: string | null
  /** Whether `ip` comes from a proxy or server of ours, or is the socket's own: nobody else chose it. */
  ipTrusted: boolean
  /** The socket's own address. */
  peerIp: string | null
  /** ISO 3166-1 alpha-2 where the caller is, as the portal's proxy told it; null when nobody did. A hint to people, never a right. */
  country: string | null
  source: AuditSource
  /** Aborts when the caller goes away. */
  signal: AbortSignal
  /** A header of the request, for the few that say more than the facts above: never of use for who somebody is. */
  header(name: string): string | undefined
  /** Headers that the answer gets whether it is one or a refusal. */
  readonly answerHeaders: Map<string, string>
  /** Fields of the request's one log line; whoever learns something adds it. Ids only, no names and addresses. */
  line: { userId?: string; tenant?: string; operator?: boolean }
}

/** The person behind the token, as stored, with what the token adds. `id` is undefined until the first GET /users/me. */
export interface Caller {
  id: string | undefined
  subject: string
  email: string | undefined
  name: string | undefined
  token: TokenClaims
  platformAdmin: boolean
  /** Token for the operator audience by an operator issuer, and stored administrator flag: both are needed (seed 5.6). */
  operator: boolean
  /** The partner whose staff the caller is, with the caller's level there; not once it is terminated. */
  partner: CallerPartnerRow | undefined
}

export interface CallerTenant {
  id: string
  slug: string
  status: NonNullable<CallerTenantRow['tenantStatus']>
  partnerId: string | null
  partnerSlug: string | null
  plan: Plan
  role: CallerTenantRow['role']
}

/** One request: the house, the facts of the transport, and the caller, read at most once per tenant. */
export interface Context {
  house: House
  request: RequestFacts
  /** The bearer token as it came, for those that are no access tokens; undefined without one. */
  bearerToken(): string | undefined
  /** Verifies the token alone. Throws AppError when there is no valid one. */
  verifyToken(): Promise<TokenClaims>
  /** Verifies the token and reads the stored caller. Throws AppError when there is no valid token or the user is deactivated. */
  readCaller(): Promise<Caller>
  /** The same with the tenant of the path; `tenant` is undefined when no tenant has that slug. One statement. */
  readCallerIn(slug: string): Promise<{ caller: Caller; tenant: CallerTenant | undefined }>
  /** The same with the tenant's whole record, still in one statement; for the guard of reading a tenant, which decides who sees it. */
  readCallerWithTenant(
    slug: string,
  ): Promise<{ caller: Caller; tenant: undefined; record?: never } | { caller: Caller; tenant: CallerTenant; record: TenantRow }>
}

/**
 * `authorization` is the header as it came. Authorization data is never cached between requests, so that a removed flag or
 * membership acts on the next one; within a request (a batch of calls, say) it is read once.
 */
export function createContext(house: House, request: RequestFacts, authorization: string | undefined): Context {
  let claims: Promise<TokenClaims> | undefined
  let plain: Promise<Caller> | undefined
  const inTenant = new Map<string, Promise<{ caller: Caller; tenant: CallerTenant | undefined }>>()

  function verify(): Promise<TokenClaims> {
    claims ??= verifyHeader(house, authorization)
    return claims
  }
  return {
    house,
    request,
    bearerToken: () => bearerIn(authorization),
    verifyToken: verify,
    readCaller() {
      plain ??= verify().then(async (token) => noted(request, toCaller(house, token, await findCaller(house.database, token.subject))))
      return plain
    },
    readCallerIn(slug) {
      const known = inTenant.get(slug)
      if (known) return known
      // A text that cannot be a slug names no tenant, and some such texts the database would not even take.
      const named = isSlugShaped(slug) ? slug : ''
      const found = verify().then(async (token) => {
        const row = await findCallerInTenant(house.database, token.subject, named)
        if (named) request.line.tenant = named
        return { caller: noted(request, toCaller(house, token, row?.caller)), tenant: row ? toTenant(row.tenant) : undefined }
      })
      inTenant.set(slug, found)
      return found
    },
    async readCallerWithTenant(slug) {
      const token = await verify()
      const named = isSlugShaped(slug) ? slug : ''
      const row = await findTenantForCaller(house.database, token.subject, named)
      if (named) request.line.tenant = named
      const caller = noted(request, toCaller(house, token, row?.caller))
      if (!row?.tenant) return { caller, tenant: undefined }
      const { id, slug: storedSlug, status, partnerId, partnerSlug, plan } = row.tenant
      return { caller, tenant: { id, slug: storedSlug, status, partnerId, partnerSlug, plan, role: row.role }, record: row.tenant }
    },
  }
}

function noted({ line }: RequestFacts, caller: Caller): Caller {
  if (caller.id) line.userId = caller.id
  if (caller.operator) line.operator = true
  return caller
}

/** The access token of an `Authorization` header (RFC 6750 section 2.1), undefined where it holds none. */
export function bearerIn(authorization: string | undefined): string | undefined {
  return authorization && /^Bearer /i.test(authorization) ? authorization.slice('Bearer '.length) : undefined
}

async function verifyHeader(house: House, authorization: string | undefined): Promise<TokenClaims> {
  const token = bearerIn(authorization)
  if (token === undefined) throw new AppError('unauthenticated')
  return house.tokens.verify(token)
}

function toCaller(house: House, token: TokenClaims, row: CallerRow | undefined): Caller {
  if (row?.deactivatedAt) throw new AppError('user_deactivated')
  const platformAdmin = row?.platformAdmin ?? false
  return {
    id: row?.id,
    subject: token.subject,
    email: row?.email ?? token.email,
    name: row?.name ?? token.name,
    token,
    platformAdmin,
    operator: platformAdmin && isOperatorToken(token, house.config.tokens),
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
    partnerSlug: row.tenantPartnerSlug,
    plan: row.tenantPlan,
    role: row.role,
  }
}
