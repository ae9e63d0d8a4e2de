import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { OutcomeBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.tenants')

const shown = 3

/**
 * The latest manually requested runs, from the audit log. Renders nothing when there are none or
 * they cannot be loaded.
 */
export function RecentRuns({ slug }: { slug: string }) {
  const trpc = useTRPC()
  const { data } = useQuery(
    trpc.tenants.audit.queryOptions({ slug, action: 'tenant.reconciled', limit: shown }),
  )
  if (!data || data.items.length === 0) return null
  return (
    <Stack gap={6}>
      <Group justify="space-between">
        <Text size="sm" fw={550}>
          {t('provisioning.runs.title')}
        </Text>
        <LinkAnchor
          to="/tenants/$slug"
          params={{ slug }}
          search={{ tab: 'audit', action: 'tenant.reconciled' }}
          size="sm"
        >
          {t('provisioning.runs.all')}
        </LinkAnchor>
      </Group>
      {data.items.map((entry) => (
        <Group key={entry.id} gap="xs" justify="space-between">
          <Text size="sm" c="dimmed" component="span">
            {t.rich('provisioning.runs.by', {
              time: () => <Time at={entry.at} />,
              who: entry.actorEmail ?? t('provisioning.runs.platform'),
            })}
          </Text>
          <OutcomeBadge outcome={entry.outcome} />
        </Group>
      ))}
    </Stack>
  )
}
