import { currentCursor } from '@atrium/ui/paging'
import { TokenList } from '@atrium/ui/service-tokens/token-list'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { ConnectDirectory } from './connect-directory.tsx'
import { useTokenActions } from './mutations.ts'

/** Tokens of programs that act for the workplace. */
export function ServiceTokensPage() {
  const tenant = useTenant()
  const [cursors, setCursors] = useState<string>()
  const actions = useTokenActions(tenant.slug)
  const admin = maySeeSettings(tenant.role) && tenant.grant === null && !tenant.custodian
  const query = useQuery(
    useTRPC().serviceTokens.list.queryOptions(
      { slug: tenant.slug, cursor: currentCursor(cursors), limit: 20 },
      { enabled: admin, placeholderData: keepPreviousData },
    ),
  )
  if (!admin) return <NoAccess slug={tenant.slug} />
  return (
    <TokenList
      kind="tenant"
      owner={tenant.name}
      query={query}
      cursors={cursors}
      onCursors={setCursors}
      actions={actions}
      further={(create) => <ConnectDirectory tenant={tenant} onCreateToken={create} />}
    />
  )
}
