// Apart from the schemas: the frame of the portal decides by these words which pages to list.

/**
 * What a member of a partner's staff may do, from least to most (docs/reference/contract.md,
 * partners).
 */
export const partnerAccesses = ['viewer', 'support', 'manager', 'owner'] as const
export type PartnerAccess = (typeof partnerAccesses)[number]

/**
 * What an access level is asked for: who may see or do it. `customers` is reading; every member of
 * staff may.
 */
export const partnerRights = [
  'customers',
  'manageCustomers',
  'reports',
  'finance',
  'manageStaff',
] as const
export type PartnerRight = (typeof partnerRights)[number]

const levelsOf: Readonly<Record<PartnerRight, readonly PartnerAccess[]>> = {
  customers: partnerAccesses,
  manageCustomers: ['manager', 'owner'],
  reports: ['viewer', 'manager', 'owner'],
  finance: ['manager', 'owner'],
  manageStaff: ['owner'],
}

/** Whether staff of this level have the right; says nothing about the status of their partner. */
export function hasPartnerRight(access: PartnerAccess, right: PartnerRight): boolean {
  return levelsOf[right].includes(access)
}
