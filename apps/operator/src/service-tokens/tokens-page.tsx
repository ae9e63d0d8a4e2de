import { currentCursor } from '@atrium/ui/paging'
import { TokenList } from '@atrium/ui/service-tokens/token-list'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useTokenActions } from './mutations.ts'

export const Route = createLazyRoute('/authenticated/service-tokens')({
  component: ServiceTokensPage,
})

/** Tokens of programs that act for the platform. */
function ServiceTokensPage() {
  const [cursors, setCursors] = useState<string>()
  const actions = useTokenActions()
  const query = useQuery(
    useTRPC().serviceTokens.listOfPlatform.queryOptions(
      { cursor: currentCursor(cursors), limit: 20 },
      { placeholderData: keepPreviousData },
    ),
  )
  return (
    <TokenList
      kind="platform"
      query={query}
      cursors={cursors}
      onCursors={setCursors}
      actions={actions}
    />
  )
}
