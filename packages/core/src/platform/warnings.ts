import { z } from 'zod'

/**
 * Something that was saved as asked and may not be what was meant. `path` names the field as an
 * issue does.
 */
export const Warning = z.object({ code: z.string(), path: z.string(), message: z.string() })
export type Warning = z.infer<typeof Warning>
