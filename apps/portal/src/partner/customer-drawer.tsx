import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { HealthFactors } from '@atrium/ui/health-factors'
import { translations } from '@atrium/ui/messages'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { HealthBadge, TenantStatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Box, Group, Text, Title } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import classes from '../members/members.module.css'
import { SubscriptionPanel } from '../subscriptions/subscription-panel.tsx'
import { useTRPC } from '../trpc.ts'
import { CustomerActions } from './customer-actions.tsx'
import { CustomerEditor } from './customer-editor.tsx'
import { mayDo, usePartner } from './use-partner.ts'

const t = translations('portal.partner-customers')
const labels = translations('ui.labels')

interface Props {
  slug: string
  onClose: () => void
}

/** One customer: how it stands, and for managers what can be changed. */
export default function CustomerDrawer({ slug, onClose }: Props) {
  const trpc = useTRPC()
  const query = useQuery(trpc.tenants.get.queryOptions({ slug }))
  return (
    <SideDrawer opened onClose={onClose} title={query.data?.name ?? slug}>
      {query.isPending && <LoadingRows label={t('detail.loading')} />}
      {query.error && (
        <ErrorState
          title={t('detail.loadFailed')}
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && !query.error && <Details tenant={query.data} />}
    </SideDrawer>
  )
}

function Details({ tenant }: { tenant: TenantView }) {
  const partner = usePartner()
  const managing = mayDo(partner, 'manageCustomers') && tenant.status !== 'deleted'
  return (
    <>
      <Group gap="sm" mb="md">
        <TenantStatusBadge status={tenant.status} steps={tenant.provisioningStatus} />
        <HealthBadge health={tenant.health} />
      </Group>
      {tenant.status === 'suspended' && (
        <Alert color="yellow" icon={<IconLock aria-hidden />} mb="md" title={t('detail.suspended')}>
          {tenant.suspendedReason
            ? t('detail.reason', { reason: tenant.suspendedReason })
            : t('detail.noReason')}
        </Alert>
      )}
      <DetailList>
        <DetailItem label={t('detail.plan')}>{labels(`plans.${tenant.plan}`)}</DetailItem>
        <DetailItem label={t('detail.seats')}>{seatsText(tenant)}</DetailItem>
        <DetailItem label={t('detail.owner')}>
          {tenant.owner &&
            t('detail.ownerOf', { name: tenant.owner.name, email: tenant.owner.email })}
        </DetailItem>
        <DetailItem label={t('detail.domain')}>{tenant.primaryDomain}</DetailItem>
        <DetailItem label={t('detail.industry')}>{tenant.industry}</DetailItem>
        <DetailItem label={t('detail.since')}>
          <Time at={tenant.createdAt} show="absolute" />
        </DetailItem>
      </DetailList>
      {tenant.health.factors.length > 0 && (
        <Part title={t('detail.health')}>
          <HealthFactors factors={tenant.health.factors} />
        </Part>
      )}
      <Box mt="lg">
        <SubscriptionPanel slug={tenant.slug} mayChange={managing} offers={false} />
      </Box>
      {managing && tenant.status !== 'suspended' && (
        <Part title={t('detail.change')}>
          {/* Keyed by what the form holds, so that a change made elsewhere does not stay behind it. */}
          <CustomerEditor key={tenant.id} tenant={tenant} />
        </Part>
      )}
      {managing && (
        <Part title={t('detail.access')}>
          <CustomerActions tenant={tenant} />
        </Part>
      )}
      {!managing && (
        <Text size="sm" c="dimmed" mt="lg">
          {tenant.status === 'deleted' ? t('detail.deleted') : t('detail.readOnly')}
        </Text>
      )}
    </>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={classes.part} aria-labelledby={id}>
      <Title order={3} size="h3" mb="sm" id={id}>
        {title}
      </Title>
      {children}
    </section>
  )
}

function seatsText({ memberCount, seats }: TenantView): string {
  return seats === 0
    ? t('detail.seatsUnlimited', { members: memberCount })
    : t('detail.seatsTaken', { members: memberCount, seats })
}
