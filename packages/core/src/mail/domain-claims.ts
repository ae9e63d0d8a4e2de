/** Days. A claim whose ownership was not shown for so long ends. */
export const claimDays = 14

/**
 * Domains of one tenant whose ownership was not shown. Each has a domain with signing keys in the
 * mail server.
 */
export const claimsPerTenant = 10
