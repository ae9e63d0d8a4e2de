import { z } from 'zod'

// Apart from partners.ts, because the schemas of people need these words and are needed there.

/** `suspended`: staff may sign in and read, nothing is written, earnings go on and payouts are held. `terminated` is final. */
export const partnerStatuses = ['active', 'suspended', 'terminated'] as const
export const partnerStatus = z.enum(partnerStatuses)
export type PartnerStatus = z.infer<typeof partnerStatus>

/** What a member of a partner's staff may do, from least to most (docs/contract.md, partners). */
export const partnerAccesses = ['viewer', 'support', 'manager', 'owner'] as const
export const partnerAccess = z.enum(partnerAccesses)
export type PartnerAccess = z.infer<typeof partnerAccess>

/** What an access level is asked for: who may see or do it. `customers` is reading; every member of staff may. */
export const partnerRights = ['customers', 'manageCustomers', 'reports', 'finance', 'manageStaff'] as const
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
