import type { TestApp } from '../test-app.ts'

export const callers = [
  'nobody',
  'badToken',
  'withoutRecord',
  'member',
  'suspendedMember',
  'admin',
  'owner',
  'foreignAdmin',
  'foreignOwner',
  'partnerStaff',
  'foreignPartnerStaff',
  'terminatedPartnerStaff',
  'operatorTokenWithoutFlag',
  'flagWithPortalToken',
  'operator',
  'deactivatedAdmin',
] as const
export type Caller = (typeof callers)[number]
export type Expected = Record<Caller, string>

/**
 * People of the tenant under test; created for every call again, so that no call sees what another
 * did.
 */
export interface World {
  testApp: TestApp
  slug: string
  /** The id of the tenant under test. */
  tenantId: string
  /** The partner that owns it. */
  partnerId: string
  partnerSlug: string
  /** A plain member of the tenant under test, who is not the caller. */
  colleague: string
  /** Another person's record. */
  other: string
  /** The caller's own record, when there is one. */
  self: string | undefined
}

export interface Row {
  /** May put in place what the call needs. */
  input: (world: World) => Record<string, unknown> | Promise<Record<string, unknown>>
  expected: Expected
  /** The call is about something of which there is one: callers take their turns. */
  oneAtATime?: boolean
}

/**
 * The response for actors without permission; the three without a usable identity always get the
 * same.
 */
export const others = (code: string): Expected => ({
  ...(Object.fromEntries(callers.map((caller) => [caller, code])) as Expected),
  nobody: 'unauthenticated',
  badToken: 'unauthenticated',
  deactivatedAdmin: 'user_deactivated',
})
export const who = (
  allowed: readonly Caller[],
  rejection: string,
  exceptions: Partial<Expected> = {},
): Expected => ({
  ...others(rejection),
  ...Object.fromEntries(allowed.map((caller) => [caller, 'ok'])),
  ...exceptions,
})

export const everybody = others('ok')
export const operatorsOnly = who(['operator'], 'operator_required', {
  operatorTokenWithoutFlag: 'not_platform_admin',
})
export const readers: Caller[] = ['member', 'admin', 'owner', 'partnerStaff', 'operator']
export const membersOrOperators = who(['member', 'admin', 'owner', 'operator'], 'not_member')
export const membersPartnersOperators = who(readers, 'not_member')
export const adminsOrOperators = who(['admin', 'owner', 'operator'], 'not_member', {
  member: 'not_admin',
})
export const adminsPartnersOperators = who(
  ['admin', 'owner', 'partnerStaff', 'operator'],
  'not_found',
  { member: 'not_admin' },
)
export const partnersOrOperators = who(['partnerStaff', 'operator'], 'operator_required', {
  foreignPartnerStaff: 'not_found',
  operatorTokenWithoutFlag: 'not_platform_admin',
})
export const slug = ({ slug: named }: World) => ({ slug: named })
export const other = ({ other: id }: World) => ({ id })

export type Rows = Record<string, Row[]>
