import type { PartnerOverview } from '@atrium/core/partners/partner-overview'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { formatCount, formatMoney } from '@atrium/ui/format'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { amountsText } from '@atrium/ui/partner-status-meta'
import { StatusBadge } from '@atrium/ui/status-badge'
import { healthMeta, tenantStatusMeta } from '@atrium/ui/tones'
import { Grid, Stack, Text } from '@mantine/core'
import { IconBuildingCommunity, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import classes from './dashboard.module.css'
import { attentionMeta } from './status-meta.ts'
import { mayDo, usePartner } from './use-partner.ts'

/** How the partner's business stands, and which customers need somebody. */
export function PartnerDashboardPage() {
  const partner = usePartner()
  const trpc = useTRPC()
  const query = useQuery(trpc.partners.overview.queryOptions({ slug: partner.slug }))
  return (
    <>
      <PageHeader
        title={partner.name}
        tabTitle={`${partner.name}, partner area`}
        description="Your customers at a glance."
        actions={mayDo(partner, 'manageCustomers') && <AddCustomer />}
      />
      {query.isPending && <LoadingRows label="Loading the overview" />}
      {query.error && (
        <ErrorState
          title="The overview could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data &&
        (query.data.customers.total === 0 ? <NoCustomers /> : <Overview overview={query.data} />)}
    </>
  )
}

function AddCustomer() {
  return (
    <LinkButton {...links.newTenant} leftSection={<IconPlus size={18} aria-hidden />}>
      Add a customer
    </LinkButton>
  )
}

function NoCustomers() {
  const partner = usePartner()
  return (
    <EmptyState
      icon={<IconBuildingCommunity size={32} stroke={1.5} aria-hidden />}
      title="No customers yet"
    >
      {mayDo(partner, 'manageCustomers')
        ? 'Workplaces that your staff create belong to you. Add the first one, or ask the operator of the platform to attach an existing one.'
        : 'Workplaces that your managers create appear here.'}
    </EmptyState>
  )
}

function Overview({ overview }: { overview: PartnerOverview }) {
  const { customers, mrr, earnedThisMonth } = overview
  return (
    <>
      <ul className={classes.figures} aria-label="Key figures">
        <Figure label="Customers" value={formatCount(customers.total)} />
        {mrr && <Figure label="Monthly recurring revenue" value={amountsText(mrr)} />}
        {earnedThisMonth && (
          <Figure
            label="Your margin this month"
            value={
              earnedThisMonth.length === 0
                ? 'None yet'
                : earnedThisMonth
                    .map(({ currency, amountMinor }) => formatMoney(amountMinor, currency))
                    .join(' + ')
            }
          />
        )}
      </ul>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Attention overview={overview} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Panel title="By status">
              <ul className={classes.list}>
                {(['active', 'pending', 'suspended'] as const).map((status) => (
                  <li key={status} className={classes.row}>
                    <LinkAnchor
                      {...links.partnerCustomers({ status })}
                      c="inherit"
                      underline="hover"
                    >
                      <StatusBadge {...tenantStatusMeta(status)} />
                    </LinkAnchor>
                    <span className={classes.count}>{formatCount(customers[status])}</span>
                  </li>
                ))}
              </ul>
            </Panel>
            <HealthPanel health={overview.health} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <li className={classes.figure}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <span className={classes.number}>{value}</span>
    </li>
  )
}

function HealthPanel({ health }: { health: PartnerOverview['health'] }) {
  const bands = [
    [healthMeta('healthy'), health.healthy],
    [healthMeta('watch'), health.watch],
    [healthMeta('at_risk'), health.atRisk],
    [{ label: 'New, or not enough data', tone: 'neutral' }, health.unscored],
  ] as const
  return (
    <Panel title="By health" description="Customers that are not suspended.">
      <ul className={classes.list}>
        {bands.map(([meta, count]) => (
          <li key={meta.label} className={classes.row}>
            <StatusBadge {...meta} />
            <span className={classes.count}>{formatCount(count)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Attention({ overview: { attention } }: { overview: PartnerOverview }) {
  return (
    <Panel title="Needs attention" description="The most urgent first, each customer once.">
      {attention.length === 0 ? (
        <Text c="dimmed">All customers are fine. There is nothing to do.</Text>
      ) : (
        <ul className={classes.list}>
          {attention.map(({ reason, tenantSlug, name }) => (
            <li key={tenantSlug} className={classes.row}>
              <LinkAnchor
                {...links.partnerCustomers({ customer: tenantSlug })}
                fw={550}
                c="inherit"
                underline="hover"
              >
                {name}
              </LinkAnchor>
              <StatusBadge {...attentionMeta[reason]} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
