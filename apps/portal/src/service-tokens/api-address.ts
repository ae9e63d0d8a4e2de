import { ProblemError, problemFromBody } from '@atrium/ui/problem'
import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

/** What the portal's own server says about where programs reach the API. */
const ApiAddress = z.object({ url: z.string().nullable() })

export const apiAddressQuery = queryOptions({
  queryKey: ['api-address'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/api/api-address', {
      headers: { accept: 'application/json' },
      signal,
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (!response.ok) throw new ProblemError(problemFromBody(body, response.status))
    return ApiAddress.parse(body)
  },
  staleTime: Number.POSITIVE_INFINITY,
})
