import { z } from 'zod'

/** What the addresses of availability and event types carry: whose they show, and which schedule is open. */
export const OffersSearch = z.object({
  host: z.uuid().optional().catch(undefined),
  schedule: z.uuid().optional().catch(undefined),
})
export type OffersSearch = z.infer<typeof OffersSearch>
