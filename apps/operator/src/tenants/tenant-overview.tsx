import { fileQuotaBytes } from '@atrium/core/billing/plans'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { languageNames } from '@atrium/messages/languages'
import { CopyValue } from '@atrium/ui/copy'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatBytes } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Time } from '@atrium/ui/time'
import { ColorSwatch, Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDeferredValue } from 'react'

import { AccessPanel } from './access-panel.tsx'
import { DeleteTenantPanel } from './delete-tenant-panel.tsx'
import { DeletedDomains } from './deleted-domains.tsx'
import { EditDetails, EditDomains, EditPartner, EditPlan } from './edit-tenant.tsx'
import { HealthPanel } from './health-panel.tsx'
import { LimitsPanel } from './limits-panel.tsx'
import { ProvisioningPanel } from './provisioning-panel.tsx'
import { PurgePanel } from './purge-panel.tsx'
import { SecurityPolicyPanel } from './security-policy-panel.tsx'
import { TenantSubscription } from './tenant-subscription.tsx'
import { VatCheck } from './vat-check.tsx'

const t = translations('operator.tenants')
const labels = translations('ui.labels')

interface Props {
  tenant: TenantView
  events: { running: boolean; live: boolean }
}

/**
 * The tenant's record, each part with the button that changes it. What a phone shows first is
 * rendered first; React renders the rest afterwards, in slices, so that the page stays responsive.
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

/** What the upstream systems have of the tenant, its health and its limits. */
function Systems({ tenant }: Pick<Props, 'tenant'>) {
  return (
    <>
      <AccessPanel tenant={tenant} />
      {tenant.status === 'deleted' && <PurgePanel tenant={tenant} />}
      <Panel title={t('ids.title')} description={t('ids.description')}>
        <DetailList>
          <Id label={t('ids.identity')} value={tenant.identityGroupId} />
          <Id label={t('ids.mail')} value={tenant.mailDomainId} />
          <Id label={t('ids.files')} value={tenant.fileSpaceId} />
          <Id label={t('ids.tenant')} value={tenant.id} />
        </DetailList>
      </Panel>
      <HealthPanel tenant={tenant} />
      <SecurityPolicyPanel tenant={tenant} />
      <LimitsPanel tenant={tenant} />
    </>
  )
}

/** What operators enter: details, plan, domains, partner. */
function Records({ tenant }: Pick<Props, 'tenant'>) {
  const editable = tenant.status !== 'deleted'
  return (
    <Stack gap="lg">
      <Panel title={t('details.title')} actions={editable && <EditDetails tenant={tenant} />}>
        <DetailList>
          <DetailItem label={t('fields.name')}>{tenant.name}</DetailItem>
          <DetailItem label={t('fields.slug')}>
            <CopyValue label={t('fields.slug')} value={tenant.slug} hideLabel />
          </DetailItem>
          <DetailItem label={t('fields.owner')}>
            {tenant.awaitsOwner && labels('awaitsOwner')}
            {tenant.owner && (
              <LinkAnchor to="/users/$id" params={{ id: tenant.owner.id }} fz="inherit">
                {tenant.owner.name}
              </LinkAnchor>
            )}
          </DetailItem>
          <DetailItem label={t('fields.members')}>{String(tenant.memberCount)}</DetailItem>
          <DetailItem label={t('fields.seats')}>
            {tenant.seats === 0 ? t('fields.noSeats') : String(tenant.seats)}
          </DetailItem>
          <DetailItem label={t('fields.industry')}>{tenant.industry}</DetailItem>
          <DetailItem label={t('fields.colour')}>
            {tenant.brandColor && (
              <Group gap={8} component="span" display="inline-flex">
                <ColorSwatch component="span" color={tenant.brandColor} size={16} aria-hidden />
                {tenant.brandColor}
              </Group>
            )}
          </DetailItem>
          <DetailItem label={t('fields.language')}>
            {tenant.language && languageNames[tenant.language]}
          </DetailItem>
          <DetailItem label={t('fields.created')}>
            <Time at={tenant.createdAt} show="both" />
          </DetailItem>
          <DetailItem label={t('fields.changed')}>
            <Time at={tenant.updatedAt} show="both" />
          </DetailItem>
        </DetailList>
      </Panel>
      <Panel title={t('plan.title')} actions={editable && <EditPlan tenant={tenant} />}>
        <DetailList>
          <DetailItem label={t('fields.plan')}>{planName(tenant.plan)}</DetailItem>
          <DetailItem label={t('fields.fileSpace')}>
            {formatBytes(fileQuotaBytes[tenant.plan])}
          </DetailItem>
          <DetailItem label={t('fields.subscription')}>
            <TenantSubscription slug={tenant.slug} />
          </DetailItem>
        </DetailList>
      </Panel>
      {editable ? <Domains tenant={tenant} /> : <DeletedDomains tenant={tenant} />}
      <Panel title={t('partner.title')} actions={editable && <EditPartner tenant={tenant} />}>
        {tenant.partnerId ? (
          <DetailList>
            <DetailItem label={t('fields.partner')}>
              {tenant.partnerSlug && (
                <LinkAnchor to="/partners/$slug" params={{ slug: tenant.partnerSlug }} fz="inherit">
                  {tenant.partnerSlug}
                </LinkAnchor>
              )}
            </DetailItem>
            <DetailItem label={t('fields.partnerId')}>
              <CopyValue label={t('fields.partnerId')} value={tenant.partnerId} hideLabel />
            </DetailItem>
          </DetailList>
        ) : (
          <Text size="sm" c="dimmed">
            {t('partner.none')}
          </Text>
        )}
      </Panel>
      <Panel title={t('billing.title')}>
        <DetailList>
          <DetailItem label={t('fields.company')}>{tenant.billingInfo.company}</DetailItem>
          <DetailItem label={t('fields.vatNumber')}>{tenant.billingInfo.vatNumber}</DetailItem>
          <DetailItem label={t('fields.country')}>{tenant.billingInfo.country}</DetailItem>
          <DetailItem label={t('fields.email')}>{tenant.billingInfo.email}</DetailItem>
          {tenant.billingInfo.vatNumber !== null && <VatCheck tenant={tenant} />}
        </DetailList>
      </Panel>
      {editable && <DeleteTenantPanel tenant={tenant} />}
    </Stack>
  )
}

function Id({ label, value }: { label: string; value: string | null }) {
  return (
    <DetailItem label={label}>
      {value ? <CopyValue label={label} value={value} hideLabel /> : t('ids.none')}
    </DetailItem>
  )
}

function Domains({ tenant }: { tenant: TenantView }) {
  return (
    <Panel title={t('domains.title')} actions={<EditDomains tenant={tenant} />}>
      <List size="sm" spacing={6} listStyleType="none">
        {tenant.domains.map((domain) => (
          <List.Item key={domain}>
            {domain === tenant.primaryDomain
              ? t.rich('domains.primary', {
                  domain,
                  dim: (chunks) => (
                    <Text span c="dimmed" inherit>
                      {chunks}
                    </Text>
                  ),
                })
              : domain}
          </List.Item>
        ))}
      </List>
    </Panel>
  )
}
