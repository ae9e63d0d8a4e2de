import type { TenantView } from '@atrium/core/tenants/tenants'
import { HealthFactors } from '@atrium/ui/health-factors'
import { HealthTrend } from '@atrium/ui/health-trend'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { HealthBadge } from '@atrium/ui/status-badge'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.tenants')

/**
 * Health of a workplace, what it is made of, and how it went. Until that is read, what the
 * workplace itself says.
 */
export function HealthPanel({ tenant }: { tenant: Pick<TenantView, 'slug' | 'health'> }) {
  const detail = useQuery(useTRPC().healthScores.get.queryOptions({ slug: tenant.slug })).data
  const health = detail ?? tenant.health
  return (
    <Panel title={t('health.title')} actions={<HealthBadge health={health} />}>
      {health.factors.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('health.none')}
        </Text>
      ) : (
        <Stack>
          <HealthFactors factors={health.factors} />
          {detail && <HealthTrend days={detail.days} />}
        </Stack>
      )}
    </Panel>
  )
}
