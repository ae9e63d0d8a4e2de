import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { allowlistAdmits } from '@atrium/core/security-policy/ip-allowlist'
import { equalBytes } from '@atrium/db/platform/constant-time'
import {
  findServiceTokenForCall,
  type ServiceTokenForCall,
} from '@atrium/db/service-tokens/callers'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import { readServiceToken, serviceSubjectPrefix } from '../platform/service-token.ts'
import type { TokenClaims } from '../platform/token.ts'
import type { Caller, RequestInfo } from './caller.ts'
import type { Services } from './services.ts'
import { limitedAddress, visitorAddress } from './visitor-address.ts'

/** The stored token behind a request that a program makes. */
export type ServiceToken = ServiceTokenForCall

/**
 * Verifies a service token against the database. Throws AppError `unauthenticated`,
 * `token_expired`, `network_not_allowed`, and `rate_limited` for an address that sent too many
 * invalid tokens.
 */
export async function verifyServiceToken(
  services: Services,
  request: RequestInfo,
  text: string,
): Promise<ServiceToken> {
  const address = limitedAddress({ services, request })
  services.tokenFailures.check(address)
  const rejected = (reason: string) => {
    services.tokenFailures.take(address)
    return new AppError('unauthenticated', undefined, { cause: new Error(reason) })
  }
  const read = readServiceToken(text)
  if (!read) throw rejected('malformed service token')
  const token = await findServiceTokenForCall(services.database, read.id)
  const now = services.clock.now()
  if (!token || !isSecretOf(token, read.secretHash, now)) throw rejected('unknown service token')
  if (token.revokedAt !== null) throw rejected('revoked service token')
  if (token.kind === 'partner' && token.partner === null) throw rejected('terminated partner')
  if (token.expiresAt <= now) throw new AppError('token_expired')
  rejectForeignNetwork(services, request, token)
  return token
}

function isSecretOf(token: ServiceToken, hash: Buffer, now: Date): boolean {
  if (equalBytes(token.secretHash, hash)) return true
  const { previousHash, previousEndsAt } = token
  return (
    previousHash !== null &&
    previousEndsAt !== null &&
    previousEndsAt > now &&
    equalBytes(previousHash, hash)
  )
}

function rejectForeignNetwork(
  services: Services,
  request: RequestInfo,
  { networks }: ServiceToken,
): void {
  if (networks.length === 0) return
  const ip = visitorAddress({ services, request })
  if (!allowlistAdmits(networks, ip))
    throw new AppError('network_not_allowed', errorText('serviceTokenNetwork', { ip }))
}

/** What an access token would say of the program. */
export function serviceClaims(token: ServiceToken): TokenClaims {
  return {
    subject: `${serviceSubjectPrefix}${token.id}`,
    issuer: '',
    audiences: [],
    email: undefined,
    name: token.name,
    groups: undefined,
    signedInAt: undefined,
    secondFactor: false,
    issuedAt: token.createdAt,
    expiresAt: token.expiresAt,
  }
}

/** The caller of a request with a service token: nobody's record, and its owner's rights. */
export function serviceCaller(token: ServiceToken): Caller {
  const operator = token.kind === 'platform'
  return {
    id: undefined,
    subject: `${serviceSubjectPrefix}${token.id}`,
    email: undefined,
    name: token.name,
    token: serviceClaims(token),
    platformAdmin: operator,
    operator,
    partner: token.partner ?? undefined,
    service: token,
  }
}

/** Whom a token or a webhook endpoint belongs to. */
export function ownerOf({
  tenantId,
  partnerId,
}: Pick<ServiceToken, 'tenantId' | 'partnerId'>): TokenOwner {
  if (tenantId !== null) return { kind: 'tenant', tenantId }
  return partnerId === null ? { kind: 'platform' } : { kind: 'partner', partnerId }
}
