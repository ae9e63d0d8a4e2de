import { fileQuotaBytes } from '@atrium/core/billing/plans'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { CopyValue } from '@atrium/ui/copy'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatBytes } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Time } from '@atrium/ui/time'
import { ColorSwatch, Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDeferredValue } from 'react'
import { TenantSubscription } from '../subscriptions/tenant-subscription.tsx'
import { AccessPanel } from './access-panel.tsx'
import { DeleteTenantPanel } from './delete-tenant-panel.tsx'
import { DeletedDomains } from './deleted-domains.tsx'
import { EditDetails, EditDomains, EditPartner, EditPlan } from './edit-tenant.tsx'
import { HealthPanel } from './health-panel.tsx'
import { LimitsPanel } from './limits-panel.tsx'
import { ProvisioningPanel } from './provisioning-panel.tsx'
import { PurgePanel } from './purge-panel.tsx'

interface Props {
  tenant: TenantView
  events: { running: boolean; live: boolean }
}

/**
 * Everything that is stored of a tenant, each part with the way to change it. What a phone shows
 * first is rendered first; React renders the rest after that, in slices, so that the page stays
 * responsive.
 */
export function TenantOverview({ tenant, events }: Props) {
  const complete = useDeferredValue(true, false)
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        <ProvisioningPanel tenant={tenant} events={events} />
        {complete && <Systems tenant={tenant} />}
      </Stack>
      {complete && <Records tenant={tenant} />}
    </SimpleGrid>
  )
}

/** What the upstream systems hold of the tenant, and how it does. */
function Systems({ tenant }: Pick<Props, 'tenant'>) {
  return (
    <>
      <AccessPanel tenant={tenant} />
      {tenant.status === 'deleted' && <PurgePanel tenant={tenant} />}
      <Panel title="Handles" description="Keys of this tenant in the upstream systems.">
        <DetailList>
          <Handle label="Identity group" value={tenant.identityGroupId} />
          <Handle label="Mail domain" value={tenant.mailDomainId} />
          <Handle label="File space" value={tenant.fileSpaceId} />
          <Handle label="Tenant id" value={tenant.id} />
        </DetailList>
      </Panel>
      <HealthPanel tenant={tenant} />
      <LimitsPanel tenant={tenant} />
    </>
  )
}

/** What operators enter: details, plan, domains, partner. */
function Records({ tenant }: Pick<Props, 'tenant'>) {
  const editable = tenant.status !== 'deleted'
  return (
    <Stack gap="lg">
      <Panel title="Details" actions={editable && <EditDetails tenant={tenant} />}>
        <DetailList>
          <DetailItem label="Name">{tenant.name}</DetailItem>
          <DetailItem label="Slug">
            <CopyValue label="Slug" value={tenant.slug} hideLabel />
          </DetailItem>
          <DetailItem label="Owner">
            {tenant.owner && (
              <LinkAnchor to="/users/$id" params={{ id: tenant.owner.id }} fz="inherit">
                {tenant.owner.name}
              </LinkAnchor>
            )}
          </DetailItem>
          <DetailItem label="Members">{String(tenant.memberCount)}</DetailItem>
          <DetailItem label="Seats">
            {tenant.seats === 0 ? 'Not set' : String(tenant.seats)}
          </DetailItem>
          <DetailItem label="Industry">{tenant.industry}</DetailItem>
          <DetailItem label="Brand colour">
            {tenant.brandColor && (
              <Group gap={8} component="span" display="inline-flex">
                <ColorSwatch component="span" color={tenant.brandColor} size={16} aria-hidden />
                {tenant.brandColor}
              </Group>
            )}
          </DetailItem>
          <DetailItem label="Created">
            <Time at={tenant.createdAt} show="both" />
          </DetailItem>
          <DetailItem label="Changed">
            <Time at={tenant.updatedAt} show="both" />
          </DetailItem>
        </DetailList>
      </Panel>
      <Panel title="Plan" actions={editable && <EditPlan tenant={tenant} />}>
        <DetailList>
          <DetailItem label="Plan">{planName(tenant.plan)}</DetailItem>
          <DetailItem label="File space">{formatBytes(fileQuotaBytes[tenant.plan])}</DetailItem>
          <DetailItem label="Subscription">
            <TenantSubscription slug={tenant.slug} />
          </DetailItem>
        </DetailList>
      </Panel>
      {editable ? <Domains tenant={tenant} /> : <DeletedDomains tenant={tenant} />}
      <Panel title="Partner" actions={editable && <EditPartner tenant={tenant} />}>
        {tenant.partnerId ? (
          <DetailList>
            <DetailItem label="Partner">
              {tenant.partnerSlug && (
                <LinkAnchor to="/partners/$slug" params={{ slug: tenant.partnerSlug }} fz="inherit">
                  {tenant.partnerSlug}
                </LinkAnchor>
              )}
            </DetailItem>
            <DetailItem label="Partner id">
              <CopyValue label="Partner id" value={tenant.partnerId} hideLabel />
            </DetailItem>
          </DetailList>
        ) : (
          <Text size="sm" c="dimmed">
            Not attached to a partner.
          </Text>
        )}
      </Panel>
      <Panel title="Billing details">
        <DetailList>
          <DetailItem label="Company">{tenant.billingInfo.company}</DetailItem>
          <DetailItem label="VAT number">{tenant.billingInfo.vatNumber}</DetailItem>
          <DetailItem label="Country">{tenant.billingInfo.country}</DetailItem>
          <DetailItem label="E-mail">{tenant.billingInfo.email}</DetailItem>
        </DetailList>
      </Panel>
      {editable && <DeleteTenantPanel tenant={tenant} />}
    </Stack>
  )
}

function Handle({ label, value }: { label: string; value: string | null }) {
  return (
    <DetailItem label={label}>
      {value ? <CopyValue label={label} value={value} hideLabel /> : 'Not set up yet'}
    </DetailItem>
  )
}

function Domains({ tenant }: { tenant: TenantView }) {
  return (
    <Panel title="Domains" actions={<EditDomains tenant={tenant} />}>
      <List size="sm" spacing={6} listStyleType="none">
        {tenant.domains.map((domain) => (
          <List.Item key={domain}>
            {domain}
            {domain === tenant.primaryDomain && (
              <Text span c="dimmed" inherit>
                {' '}
                (primary)
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Panel>
  )
}
