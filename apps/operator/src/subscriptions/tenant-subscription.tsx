import { isEnded } from '@atrium/core/billing/subscription-life'
import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { StatusBadge } from '@atrium/ui/status-badge'
import { subscriptionMeta } from '@atrium/ui/subscription-status-meta'
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * The newest subscription of a tenant in a line, with the way to it; where none runs, the way to
 * make one.
 */
export function TenantSubscription({ slug }: { slug: string }) {
  const found = useQuery(useTRPC().subscriptions.list.queryOptions({ tenantSlug: slug, limit: 1 }))
  if (found.isError) return <Text inherit>{found.error.message}</Text>
  if (found.isPending) return <Text inherit>…</Text>
  const [newest] = found.data.items
  return (
    <Group gap="xs">
      {newest && (
        <>
          <LinkAnchor to="/subscriptions/$id" params={{ id: newest.id }} fz="inherit">
            {formatMoney(newest.totalMinor, newest.currency)} per {newest.cycle}
          </LinkAnchor>
          <StatusBadge {...subscriptionMeta(newest)} />
        </>
      )}
      {(!newest || isEnded(newest.status)) && (
        <LinkAnchor to="/subscriptions/new" search={{ tenantSlug: slug }} fz="inherit">
          Make a subscription
        </LinkAnchor>
      )}
    </Group>
  )
}
