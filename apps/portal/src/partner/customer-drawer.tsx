import type { TenantView } from '@atrium/core/tenants/tenants'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { HealthFactors } from '@atrium/ui/health-factors'
import { translations } from '@atrium/ui/messages'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { HealthBadge, TenantStatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Box, Group, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CustomerAccess } from '../access-grants/customer-access.tsx'
import { WaitingApproval } from '../approvals/waiting-approval.tsx'
import type { OrderTerms } from '../billing/search.ts'
import { DrawerPart } from '../layout/drawer-part.tsx'
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

/** One customer: its state, and for managers what can be changed. */
export default function CustomerDrawer({ slug, onClose }: Props) {
  const trpc = useTRPC()
  const query = useQuery(trpc.tenants.get.queryOptions({ slug }))
  return (
    <SideDrawer opened onClose={onClose} title={query.data?.name ?? slug}>
      <QueryState query={query} loading={t('detail.loading')} failed={t('detail.loadFailed')} />
      {query.data && !query.error && <Details tenant={query.data} />}
    </SideDrawer>
  )
}

function Details({ tenant }: { tenant: TenantView }) {
  const partner = usePartner()
  const [order, setOrder] = useState<OrderTerms>()
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
          {tenant.owner
            ? t('detail.ownerOf', { name: tenant.owner.name, email: tenant.owner.email })
            : tenant.awaitsOwner && labels('awaitsOwner')}
        </DetailItem>
        <DetailItem label={t('detail.domain')}>{tenant.primaryDomain}</DetailItem>
        <DetailItem label={t('detail.industry')}>{tenant.industry}</DetailItem>
        <DetailItem label={t('detail.since')}>
          <Time at={tenant.createdAt} show="absolute" />
        </DetailItem>
      </DetailList>
      {tenant.health.factors.length > 0 && (
        <DrawerPart title={t('detail.health')}>
          <HealthFactors factors={tenant.health.factors} />
        </DrawerPart>
      )}
      <Box my="lg">
        <WaitingApproval slug={tenant.slug} />
        <SubscriptionPanel
          slug={tenant.slug}
          mayChange={managing}
          order={order}
          onOrder={setOrder}
        />
      </Box>
      {managing && tenant.status !== 'suspended' && (
        <DrawerPart title={t('detail.change')}>
          {/* Keyed by what the form holds, so that a change made elsewhere does not stay behind it. */}
          <CustomerEditor key={tenant.id} tenant={tenant} />
        </DrawerPart>
      )}
      {managing && <CustomerAccess tenant={tenant} />}
      {managing && (
        <DrawerPart title={t('detail.access')}>
          <CustomerActions tenant={tenant} />
        </DrawerPart>
      )}
      {!managing && (
        <Text size="sm" c="dimmed" mt="lg">
          {tenant.status === 'deleted' ? t('detail.deleted') : t('detail.readOnly')}
        </Text>
      )}
    </>
  )
}

function seatsText({ memberCount, seats }: TenantView): string {
  return seats === 0
    ? t('detail.seatsUnlimited', { members: memberCount })
    : t('detail.seatsTaken', { members: memberCount, seats })
}
