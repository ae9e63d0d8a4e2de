import type { TenantView } from '@atrium/core/tenants/tenants'
import { inSentence } from '@atrium/ui/format'
import { HealthFactors, healthSignalName } from '@atrium/ui/health-factors'
import { HealthTrend } from '@atrium/ui/health-trend'
import { Panel } from '@atrium/ui/panel'
import { HealthBadge } from '@atrium/ui/status-badge'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * How healthy the tenant is at this moment and why. Until that is read, what the tenant itself
 * says.
 */
export function HealthPanel({ tenant }: { tenant: Pick<TenantView, 'slug' | 'health'> }) {
  const detail = useQuery(useTRPC().healthScores.get.queryOptions({ slug: tenant.slug })).data
  const health = detail ?? tenant.health
  return (
    <Panel title="Health" actions={<HealthBadge health={health} />}>
      <Stack>
        {health.factors.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing is known yet.
          </Text>
        ) : (
          <HealthFactors factors={health.factors} />
        )}
        {detail && detail.unknown.length > 0 && (
          <Text size="xs" c="dimmed">
            Not known, and not counted:{' '}
            {detail.unknown.map((signal) => inSentence(healthSignalName(signal))).join(', ')}.
          </Text>
        )}
        {detail && <HealthTrend days={detail.days} />}
      </Stack>
    </Panel>
  )
}
