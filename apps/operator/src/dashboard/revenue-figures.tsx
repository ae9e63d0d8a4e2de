import { formatCount, formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { Card, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import classes from './figures.module.css'

/**
 * Recurring revenue now, a tile per currency, each leading to the reports. Nothing while nobody
 * pays or it cannot be read.
 */
export function RevenueFigures() {
  const { data } = useQuery(useTRPC().reports.mrr.queryOptions({}))
  if (!data || data.currencies.length === 0) return null
  return (
    <SimpleGrid
      cols={{ base: 1, xs: 2, lg: 3 }}
      spacing="md"
      component="section"
      aria-label="Recurring revenue"
    >
      {data.currencies.map(({ currency, mrrMinor, payingTenants, atRiskMrrMinor }) => (
        <Card key={currency} padding="md" bg="var(--atrium-surface)" className={classes.card}>
          <Text className={classes.count}>{formatMoney(mrrMinor, currency)}</Text>
          <LinkAnchor to="/reports" search={{ currency }} className={classes.label}>
            MRR in {currency.toUpperCase()},{' '}
            {payingTenants === 1 ? '1 tenant' : `${formatCount(payingTenants)} tenants`}
          </LinkAnchor>
          {atRiskMrrMinor > 0 && (
            <Text size="xs" c="dimmed">
              {formatMoney(atRiskMrrMinor, currency)} at risk
            </Text>
          )}
        </Card>
      ))}
    </SimpleGrid>
  )
}
