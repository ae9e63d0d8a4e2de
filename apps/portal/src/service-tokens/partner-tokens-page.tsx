import { currentCursor } from '@atrium/ui/paging'
import { TokenList } from '@atrium/ui/service-tokens/token-list'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePartner } from '../partner/use-partner.ts'
import { useTRPC } from '../trpc.ts'
import { usePartnerTokenActions } from './mutations.ts'

/** Tokens of programs that act for the partner. */
export function PartnerTokensPage() {
  const partner = usePartner()
  const [cursors, setCursors] = useState<string>()
  const actions = usePartnerTokenActions(partner.slug)
  const query = useQuery(
    useTRPC().serviceTokens.listOfPartner.queryOptions(
      { slug: partner.slug, cursor: currentCursor(cursors), limit: 20 },
      { placeholderData: keepPreviousData },
    ),
  )
  return (
    <TokenList
      kind="partner"
      owner={partner.name}
      query={query}
      cursors={cursors}
      onCursors={setCursors}
      actions={actions}
    />
  )
}
