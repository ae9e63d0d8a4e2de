import { isEnded } from '@atrium/core/billing/subscription-life'
import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { StatusBadge } from '@atrium/ui/status-badge'
import { subscriptionMeta } from '@atrium/ui/subscription-status-meta'
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.tenants')

/** A link to the newest subscription of a tenant; without a running one, a link to create one. */
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
            {t(`subscription.price.${newest.cycle}`, {
              amount: formatMoney(newest.totalMinor, newest.currency),
            })}
          </LinkAnchor>
          <StatusBadge {...subscriptionMeta(newest)} />
        </>
      )}
      {(!newest || isEnded(newest.status)) && (
        <LinkAnchor to="/subscriptions/new" search={{ tenantSlug: slug }} fz="inherit">
          {t('subscription.create')}
        </LinkAnchor>
      )}
    </Group>
  )
}
