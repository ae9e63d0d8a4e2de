import { failureKinds } from '@atrium/core/platform/choices'
import { oneOf, searchReader } from '@atrium/ui/search-params'

/** What the address of the system page carries. */
export const readSystemSearch = searchReader({ kind: oneOf(failureKinds) })
export type SystemSearch = ReturnType<typeof readSystemSearch>
