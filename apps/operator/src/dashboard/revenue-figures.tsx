import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Card, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import classes from './figures.module.css'

const t = translations('operator.dashboard')

/**
 * Current recurring revenue: one tile per currency, each with a link to the reports. Shows nothing
 * without paying tenants, or when the revenue cannot be loaded.
 */
export function RevenueFigures() {
  const { data } = useQuery(useTRPC().reports.mrr.queryOptions({}))
  if (!data || data.currencies.length === 0) return null
  return (
    <SimpleGrid
      cols={{ base: 1, xs: 2, lg: 3 }}
      spacing="md"
      component="section"
      aria-label={t('revenue.label')}
    >
      {data.currencies.map(({ currency, mrrMinor, payingTenants, atRiskMrrMinor }) => (
        <Card key={currency} padding="md" bg="var(--atrium-surface)" className={classes.card}>
          <Text className={classes.count}>{formatMoney(mrrMinor, currency)}</Text>
          <LinkAnchor to="/reports" search={{ currency }} className={classes.label}>
            {t('revenue.mrr', { currency: currency.toUpperCase(), count: payingTenants })}
          </LinkAnchor>
          {atRiskMrrMinor > 0 && (
            <Text size="xs" c="dimmed">
              {t('revenue.atRisk', { amount: formatMoney(atRiskMrrMinor, currency) })}
            </Text>
          )}
        </Card>
      ))}
    </SimpleGrid>
  )
}
