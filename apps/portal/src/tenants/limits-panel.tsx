import { limitUse } from '@atrium/core/platform/limit-use'
import { LimitUsePanel, limitLabel } from '@atrium/ui/limit-use'
import { LinkAnchor } from '@atrium/ui/links'
import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'

/** Usage and limits of a workplace, for its admins. */
export function LimitsPanel({ slug }: { slug: string }) {
  const query = useQuery(useTRPC().tenants.limits.queryOptions({ slug }))
  return (
    <LimitUsePanel
      query={query}
      description="Limits protect everybody against misuse. Ask your provider to raise one that you need more of."
    />
  )
}

/**
 * Names the limits that are nearly used up. Nothing while all of them are far, or cannot be read.
 */
export function LimitWarning({ slug }: { slug: string }) {
  const { data } = useQuery(useTRPC().tenants.limits.queryOptions({ slug }))
  const close =
    data?.items.filter(
      (item) => item.used !== null && item.used > 0 && limitUse(item) !== 'free',
    ) ?? []
  if (close.length === 0) return null
  const reached = close.some((item) => limitUse(item) === 'reached')
  return (
    <Alert
      color={reached ? 'red' : 'yellow'}
      icon={<IconAlertTriangle aria-hidden />}
      title={reached ? 'A limit is reached' : 'A limit is nearly reached'}
    >
      <List size="sm" mb="xs">
        {close.map((item) => (
          <List.Item key={item.name}>
            {limitLabel(item)}: {item.used} of {item.most}
          </List.Item>
        ))}
      </List>
      <Text size="sm">
        <LinkAnchor {...links.settings(slug)} inherit>
          See usage and limits
        </LinkAnchor>
      </Text>
    </Alert>
  )
}
