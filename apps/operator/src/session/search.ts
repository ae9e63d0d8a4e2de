import { lenient } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the page after signing out carries: the reason, when it was no choice of the person's. */
export const SignedOutSearch = z.object({ error: lenient(z.string().max(500)) })
export type SignedOutSearch = z.infer<typeof SignedOutSearch>
