import { failureKinds } from '@atrium/core/platform/choices'
import { oneOf, searchReader } from '@atrium/ui/search-params'

/** The search parameters of the system page. */
export const readSystemSearch = searchReader({ kind: oneOf(failureKinds) })
export type SystemSearch = ReturnType<typeof readSystemSearch>
