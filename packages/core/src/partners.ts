import { z } from 'zod'

/** `suspended`: staff may sign in and read, nothing is written, earnings go on and payouts are held. `terminated` is final. */
export const partnerStatuses = ['active', 'suspended', 'terminated'] as const
export const partnerStatus = z.enum(partnerStatuses)
export type PartnerStatus = z.infer<typeof partnerStatus>

/** What a member of a partner's staff may do, from least to most (docs/contract.md, partners). */
export const partnerAccesses = ['viewer', 'support', 'manager', 'owner'] as const
export const partnerAccess = z.enum(partnerAccesses)
export type PartnerAccess = z.infer<typeof partnerAccess>
