import { readTrail } from '@atrium/ui/paging'
import { lenient } from '@atrium/ui/search-params'
import { z } from 'zod'

/** The way through a paged list as an address carries it. One cursor that the API would refuse and the list opens on its first page. */
export function trailOf(cursor: z.ZodType) {
  return lenient(
    z
      .string()
      .min(1)
      .max(4_000)
      .refine((trail) => readTrail(trail).every((part) => cursor.safeParse(part).success)),
  )
}
