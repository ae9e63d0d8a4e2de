// Apart from the schemas: forms list these words without loading them.

/** Whom a service token acts for: a tenant, a partner, or the platform itself. */
export const serviceTokenKinds = ['tenant', 'partner', 'platform'] as const
export type ServiceTokenKind = (typeof serviceTokenKinds)[number]

/**
 * What a service token may be allowed to do. Each procedure names one of them in its meta; `read`
 * opens queries, `write` opens changes and includes no reading. `secrets:read` is needed besides
 * for procedures whose response contains a one-time secret.
 */
export const serviceScopes = [
  'audit:read',
  'billing:read',
  'billing:write',
  'branding:read',
  'branding:write',
  'events:read',
  'flags:read',
  'flags:write',
  'mail:read',
  'mail:write',
  'members:read',
  'members:write',
  'partners:read',
  'partners:write',
  'reports:read',
  'scheduling:read',
  'scheduling:write',
  'scim:read',
  'scim:write',
  'secrets:read',
  'security:read',
  'security:write',
  'sso:read',
  'sso:write',
  'system:read',
  'system:write',
  'tenants:read',
  'tenants:write',
  'users:read',
] as const
export type ServiceScope = (typeof serviceScopes)[number]

/**
 * Which service tokens open a procedure: those with the scope, any token, or none. `never` is for
 * what only a person may do: one's own account, consent, power over others, money that leaves, and
 * what destroys for good.
 */
export type ServiceAccess = ServiceScope | 'any' | 'never'

const ofPlatform: readonly ServiceScope[] = ['flags:read', 'flags:write', 'system:read']
const beyondTenant: readonly ServiceScope[] = [
  ...ofPlatform,
  'partners:read',
  'partners:write',
  'reports:read',
  'system:write',
  'users:read',
]
const beyondPartner: readonly ServiceScope[] = [
  ...ofPlatform,
  'scim:read',
  'scim:write',
  'security:read',
  'security:write',
  'system:write',
  'users:read',
]

/** The scopes that a token of each kind can have. */
export const scopesOfKind: Readonly<Record<ServiceTokenKind, readonly ServiceScope[]>> = {
  tenant: serviceScopes.filter((scope) => !beyondTenant.includes(scope)),
  partner: serviceScopes.filter((scope) => !beyondPartner.includes(scope)),
  platform: serviceScopes,
}

/** The scopes that a call needs; undefined when no service token may make it. */
export function scopesNeeded(
  access: ServiceAccess | undefined,
  answersSecret: boolean,
): ServiceScope[] | undefined {
  if (access === undefined || access === 'never') return undefined
  return [
    ...(access === 'any' ? [] : [access]),
    ...(answersSecret ? (['secrets:read'] as const) : []),
  ]
}
