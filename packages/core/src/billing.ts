import { z } from 'zod'

/** The payment processor's five, and `unknown` for a word that came later. */
export const invoiceStatuses = ['draft', 'open', 'paid', 'uncollectible', 'void', 'unknown'] as const
export const invoiceStatus = z.enum(invoiceStatuses)
export type InvoiceStatus = z.infer<typeof invoiceStatus>

/** `stale`: older than what was applied. `parked`: given up until an operator replays it. */
export const webhookStates = ['received', 'applied', 'skipped', 'stale', 'ignored_mode', 'failed', 'parked'] as const
export const webhookState = z.enum(webhookStates)
export type WebhookState = z.infer<typeof webhookState>

/** The flag that opens the billing engine for a tenant; `BILLING_PAYMENTS_ENABLED` must be on as well. */
export const billingEngineFlag = 'new_billing_engine'
