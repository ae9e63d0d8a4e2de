import { z } from 'zod'
import { instant, line } from '../platform/text.ts'
import { TenantPath } from '../tenants/tenants.ts'

/** How long a transfer code is valid, in days. */
export const transferCodeDays = 7

/** A valid transfer code of a tenant. Only its creation returns the code itself. */
export const TransferCodeView = z.object({
  /** Address of the person who created it; null once that person was deleted. */
  createdBy: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant,
})
export type TransferCodeView = z.infer<typeof TransferCodeView>

export const CreatedTransferCode = TransferCodeView.extend({
  /** 256 random bits in base64url. Only its hash is stored. */
  code: z.string(),
})
export type CreatedTransferCode = z.infer<typeof CreatedTransferCode>

export const LeavePartner = TenantPath
export type LeavePartner = z.infer<typeof LeavePartner>

/** What a partner sends to see or take over the customer of a transfer code. */
export const TransferRequest = z.strictObject({
  slug: z.string().max(200),
  code: line(100),
})
export type TransferRequest = z.infer<typeof TransferRequest>

/** The customer whom a transfer code brings. */
export const TransferOffer = z.object({
  tenant: z.object({ slug: z.string(), name: z.string() }),
  /** Another partner manages the customer until the transfer. */
  managedElsewhere: z.boolean(),
  expiresAt: instant,
})
export type TransferOffer = z.infer<typeof TransferOffer>
