import { LinkAnchor } from '@atrium/ui/links'
import { OutcomeBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const shown = 3

/**
 * The last runs that somebody asked for, from the audit log. Nothing is shown when there were none
 * or they cannot be read.
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
          Last runs asked for
        </Text>
        <LinkAnchor
          to="/tenants/$slug"
          params={{ slug }}
          search={{ tab: 'audit', action: 'tenant.reconciled' }}
          size="sm"
        >
          All runs
        </LinkAnchor>
      </Group>
      {data.items.map((entry) => (
        <Group key={entry.id} gap="xs" justify="space-between">
          <Text size="sm" c="dimmed" component="span">
            <Time at={entry.at} /> by {entry.actorEmail ?? 'the platform'}
          </Text>
          <OutcomeBadge outcome={entry.outcome} />
        </Group>
      ))}
    </Stack>
  )
}
