import type { TenantView } from '@atrium/core/tenants/tenants'
import { formatList, inSentence } from '@atrium/ui/format'
import { HealthFactors, healthSignalName } from '@atrium/ui/health-factors'
import { HealthTrend } from '@atrium/ui/health-trend'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { HealthBadge } from '@atrium/ui/status-badge'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.tenants')

/**
 * How healthy the tenant is now, and why. Shows the score of the tenant's record until it loads.
 */
export function HealthPanel({ tenant }: { tenant: Pick<TenantView, 'slug' | 'health'> }) {
  const detail = useQuery(useTRPC().healthScores.get.queryOptions({ slug: tenant.slug })).data
  const health = detail ?? tenant.health
  return (
    <Panel title={t('health.title')} actions={<HealthBadge health={health} />}>
      <Stack>
        {health.factors.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('health.none')}
          </Text>
        ) : (
          <HealthFactors factors={health.factors} />
        )}
        {detail && detail.unknown.length > 0 && (
          <Text size="xs" c="dimmed">
            {t('health.unknown', {
              signals: formatList(
                detail.unknown.map((signal) => inSentence(healthSignalName(signal))),
              ),
            })}
          </Text>
        )}
        {detail && <HealthTrend days={detail.days} />}
      </Stack>
    </Panel>
  )
}
