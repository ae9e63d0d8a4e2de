import { failureKind } from '@atrium/core/system'
import { lenient } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the system page carries. */
export const SystemSearch = z.object({ kind: lenient(failureKind) })
export type SystemSearch = z.infer<typeof SystemSearch>
