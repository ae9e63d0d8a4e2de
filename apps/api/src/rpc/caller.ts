import type { AuditSource } from '@atrium/core/audit/audit'
import type { EnforcedPolicy } from '@atrium/core/security-policy/enforcement'
import type { Plan } from '@atrium/core/tenants/tenants'
import type { ServiceTokenForCall } from '@atrium/db/service-tokens/callers'
import type { CallerGrantRow, CallerPartnerRow, CallerTenantRow } from '@atrium/db/users/callers'
import type { PageLanguage } from '@atrium/messages/languages'
import type { TokenClaims } from '../platform/token.ts'

/** What the transport knows of a request. */
export interface RequestInfo {
  requestId: string
  /**
   * Leftmost X-Forwarded-For when it is an address, else the socket's (seed, authentication). For
   * audit, never for limits.
   */
  ip: string | null
  /**
   * Whether `ip` comes from one of our proxies or servers, or is the socket's own: the caller did
   * not choose it.
   */
  ipTrusted: boolean
  /** The socket's own address. */
  peerIp: string | null
  /**
   * ISO 3166-1 alpha-2 country of the caller, as the portal's proxy reported it; null when unknown,
   * and for callers that are none of our own servers.
   */
  country: string | null
  source: AuditSource
  /** What the response is written in: from Accept-Language. */
  language: PageLanguage
  /** Aborts when the caller goes away. */
  signal: AbortSignal
  /**
   * A header of the request, for the few that say more than the fields above. Never used to
   * identify a caller.
   */
  header(name: string): string | undefined
  /** Headers of the response, whether it succeeds or is rejected. */
  readonly responseHeaders: Map<string, string>
  /**
   * Fields of the request's one log line; any part of the service may add to it. Ids only, no names
   * and addresses.
   */
  logFields: {
    userId?: string
    serviceTokenId?: string
    tenant?: string
    operator?: boolean
    /** The caller used a deprecated procedure. */
    deprecated?: true
  }
}

/**
 * The person behind the token, as stored, with what the token adds. `id` is undefined until the
 * first GET /users/me, and for programs (`service`).
 */
export interface Caller {
  id: string | undefined
  subject: string
  email: string | undefined
  name: string | undefined
  token: TokenClaims
  platformAdmin: boolean
  /**
   * Token for the operator audience by an operator issuer, and stored administrator flag: both are
   * needed (seed 5.6).
   */
  operator: boolean
  /**
   * The partner whose staff the caller is, with the caller's level there; not once it is
   * terminated.
   */
  partner: CallerPartnerRow | undefined
  /**
   * The token of a program, which acts for a tenant, a partner or the platform: no person calls.
   */
  service?: ServiceTokenForCall
  /** Set by the guard of a call that an access grant opens: the audit log names it in each act. */
  onBehalf?: OnBehalf
}

/** The access grant that a call is made under. */
export interface OnBehalf {
  grantId: string
  /** The tenant that the caller acts for. */
  tenantSlug: string
  /** The partner for which the caller has the grant; null for operators. */
  partnerSlug: string | null
}

export interface CallerTenant {
  id: string
  slug: string
  status: NonNullable<CallerTenantRow['tenantStatus']>
  partnerId: string | null
  partnerSlug: string | null
  /** Has no owner until somebody accepts an invitation as one. */
  awaitsOwner: boolean
  plan: Plan
  /** The caller's own role, or `admin` within a call that an access grant opens. */
  role: CallerTenantRow['role']
  /** The caller's access without a membership, whatever the call needs. */
  grant: CallerGrantRow | null
  /** The security policy that its members are bound by; null where none is enforced. */
  policy: EnforcedPolicy | null
}
