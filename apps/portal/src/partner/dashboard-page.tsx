import type { PartnerOverview } from '@atrium/core/partners/partner-overview'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { formatCount, formatMoney } from '@atrium/ui/format'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.partner')

/** The state of the partner's business, and which customers need attention. */
export function PartnerDashboardPage() {
  const partner = usePartner()
  const trpc = useTRPC()
  const query = useQuery(trpc.partners.overview.queryOptions({ slug: partner.slug }))
  return (
    <>
      <PageHeader
        title={partner.name}
        tabTitle={t('dashboard.tabTitle', { partner: partner.name })}
        description={t('dashboard.description')}
        actions={mayDo(partner, 'manageCustomers') && <AddCustomer />}
      />
      <QueryState
        query={query}
        loading={t('dashboard.loading')}
        failed={t('dashboard.loadFailed')}
      />
      {query.data &&
        (query.data.customers.total === 0 ? <NoCustomers /> : <Overview overview={query.data} />)}
    </>
  )
}

function AddCustomer() {
  return (
    <LinkButton {...links.newTenant} leftSection={<IconPlus size={18} aria-hidden />}>
      {t('addCustomer')}
    </LinkButton>
  )
}

function NoCustomers() {
  const partner = usePartner()
  return (
    <EmptyState
      icon={<IconBuildingCommunity size={32} stroke={1.5} aria-hidden />}
      title={t('noCustomers')}
    >
      {mayDo(partner, 'manageCustomers') ? t('dashboard.emptyForManagers') : t('dashboard.empty')}
    </EmptyState>
  )
}

function Overview({ overview }: { overview: PartnerOverview }) {
  const { customers, mrr, earnedThisMonth } = overview
  return (
    <>
      <ul className={classes.figures} aria-label={t('dashboard.figures')}>
        <Figure label={t('dashboard.customers')} value={formatCount(customers.total)} />
        {mrr && <Figure label={t('dashboard.mrr')} value={amountsText(mrr)} />}
        {earnedThisMonth && (
          <Figure
            label={t('dashboard.margin')}
            value={
              earnedThisMonth.length === 0
                ? t('dashboard.noMargin')
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
            <Panel title={t('dashboard.byStatus')}>
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
    [{ label: t('dashboard.unscored'), tone: 'neutral' }, health.unscored],
  ] as const
  return (
    <Panel title={t('dashboard.byHealth')} description={t('dashboard.byHealthHint')}>
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
    <Panel title={t('dashboard.attention')} description={t('dashboard.attentionHint')}>
      {attention.length === 0 ? (
        <Text c="dimmed">{t('dashboard.noAttention')}</Text>
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
              <StatusBadge {...attentionMeta(reason)} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
