import { z } from 'zod'

export const priceStates = ['draft', 'active', 'archived'] as const
export const priceState = z.enum(priceStates)
export type PriceState = z.infer<typeof priceState>

/** `graduated`: each seat costs what its own tier says. `volume`: every seat costs what the tier of the whole number says. */
export const priceSchemes = ['per_seat', 'flat', 'graduated', 'volume'] as const
export const priceScheme = z.enum(priceSchemes)
export type PriceScheme = z.infer<typeof priceScheme>

/** Up to and with seat `upTo`, null for all that follow. Amounts per cycle in the currency's minor unit. */
export const PriceTier = z.strictObject({
  upTo: z.number().int().min(1).max(1_000_000).nullable(),
  unitAmount: z.number().int().min(0).max(1_000_000_000),
  flatAmount: z.number().int().min(0).max(1_000_000_000),
})
export type PriceTier = z.infer<typeof PriceTier>
