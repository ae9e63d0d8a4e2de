import { z } from 'zod'
import { partnerStatuses } from '../platform/choices.ts'
import {
  hasPartnerRight,
  type PartnerAccess,
  type PartnerRight,
  partnerAccesses,
  partnerRights,
} from './partner-rights.ts'

export { partnerStatuses }

// Apart from partners.ts, because the schemas of people need these words and are needed there.

export const partnerStatus = z.enum(partnerStatuses)
export type PartnerStatus = z.infer<typeof partnerStatus>

export { hasPartnerRight, type PartnerAccess, type PartnerRight, partnerAccesses, partnerRights }
export const partnerAccess = z.enum(partnerAccesses)
