// Apart from the schemas: the frame of the portal decides by these words which pages to list.

/**
 * Areas of a workplace that an access grant opens, each a set of procedures
 * (docs/reference/contract.md, access grants).
 */
export const grantScopes = ['members', 'mail', 'sso', 'scheduling', 'branding', 'security'] as const
export type GrantScope = (typeof grantScopes)[number]

/** `reader` only reads in the scopes of the grant, `admin` changes there too. */
export const grantRoles = ['reader', 'admin'] as const
export type GrantRole = (typeof grantRoles)[number]

/**
 * Which grants open a procedure of a tenant: those with one of the scopes, any grant, or none.
 */
export type Delegable = readonly GrantScope[] | 'any' | 'never'

/** Whether a grant opens a call. A reader's grant opens no changes. */
export function grantOpens(
  grant: { role: GrantRole; scopes: readonly GrantScope[] },
  { delegable, changes }: { delegable: Delegable | undefined; changes: boolean },
): boolean {
  if (delegable === undefined || delegable === 'never') return false
  if (changes && grant.role === 'reader') return false
  return delegable === 'any' || delegable.some((scope) => grant.scopes.includes(scope))
}
