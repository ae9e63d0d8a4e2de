import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatCount } from '@atrium/ui/format'
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
      {query.isPending && <LoadingRows label="Loading the customer" />}
      {query.error && (
        <ErrorState
          title="The customer could not be loaded."
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
        <Alert
          color="yellow"
          icon={<IconLock aria-hidden />}
          mb="md"
          title="This customer is suspended"
        >
          {tenant.suspendedReason ? `Reason: ${tenant.suspendedReason}` : 'No reason was given.'}
        </Alert>
      )}
      <DetailList>
        <DetailItem label="Plan">{labels(`plans.${tenant.plan}`)}</DetailItem>
        <DetailItem label="Seats">{seatsText(tenant)}</DetailItem>
        <DetailItem label="Owner">
          {tenant.owner && `${tenant.owner.name}, ${tenant.owner.email}`}
        </DetailItem>
        <DetailItem label="Domain">{tenant.primaryDomain}</DetailItem>
        <DetailItem label="Industry">{tenant.industry}</DetailItem>
        <DetailItem label="Customer since">
          <Time at={tenant.createdAt} show="absolute" />
        </DetailItem>
      </DetailList>
      {tenant.health.factors.length > 0 && (
        <Part title="What its health is made of">
          <HealthFactors factors={tenant.health.factors} />
        </Part>
      )}
      <Box mt="lg">
        <SubscriptionPanel slug={tenant.slug} mayChange={managing} offers={false} />
      </Box>
      {managing && tenant.status !== 'suspended' && (
        <Part title="Change">
          {/* Keyed by what the form holds, so that a change made elsewhere does not stay behind it. */}
          <CustomerEditor key={tenant.id} tenant={tenant} />
        </Part>
      )}
      {managing && (
        <Part title="Access">
          <CustomerActions tenant={tenant} />
        </Part>
      )}
      {!managing && (
        <Text size="sm" c="dimmed" mt="lg">
          {tenant.status === 'deleted'
            ? 'This workplace has been deleted. What you see is its record.'
            : 'You can read this customer. Managers and owners change it.'}
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
    ? `No number of seats, ${formatCount(memberCount)} taken`
    : `${formatCount(memberCount)} of ${formatCount(seats)} taken`
}
