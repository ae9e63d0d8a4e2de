import { limitUse } from '@atrium/core/platform/limit-use'
import { formatCount } from '@atrium/ui/format'
import { LimitUsePanel, limitLabel } from '@atrium/ui/limit-use'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.tenants')

/** Usage and limits of a workplace, for its admins. */
export function LimitsPanel({ slug }: { slug: string }) {
  const query = useQuery(useTRPC().tenants.limits.queryOptions({ slug }))
  return <LimitUsePanel query={query} description={t('limits.description')} />
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
      title={t(reached ? 'limits.reached' : 'limits.nearlyReached')}
    >
      <List size="sm" mb="xs">
        {close.map((item) => (
          <List.Item key={item.name}>
            {t('limits.use', {
              limit: limitLabel(item),
              used: formatCount(item.used ?? 0),
              most: formatCount(item.most),
            })}
          </List.Item>
        ))}
      </List>
      <Text size="sm">
        <LinkAnchor {...links.settings(slug)} inherit>
          {t('limits.details')}
        </LinkAnchor>
      </Text>
    </Alert>
  )
}
