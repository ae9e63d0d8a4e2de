import { fileQuotaBytes, type TenantView } from '@atrium/core/tenants'
import { CopyValue } from '@atrium/ui/copy'
import { Fact, Facts } from '@atrium/ui/facts'
import { formatBytes } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { ColorSwatch, Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import { TenantSubscription } from '../subscriptions/tenant-subscription.tsx'
import { DeleteTenantPanel } from './delete-tenant-panel.tsx'
import { EditDetails, EditDomains, EditPartner, EditPlan } from './edit-tenant.tsx'
import { HealthPanel } from './health-panel.tsx'
import { ProvisioningPanel } from './provisioning-panel.tsx'
import { planNames } from './words.ts'

interface Props {
  tenant: TenantView
  events: { running: boolean; live: boolean }
}

/** Everything that is stored of a tenant, each part with the way to change it. */
export function TenantOverview({ tenant, events }: Props) {
  const editable = tenant.status !== 'deleted'
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        <ProvisioningPanel tenant={tenant} events={events} />
        <Panel title="Handles" description="Keys of this tenant in the outside systems.">
          <Facts>
            <Handle label="Identity group" value={tenant.identityGroupId} />
            <Handle label="Mail domain" value={tenant.mailDomainId} />
            <Handle label="File space" value={tenant.fileSpaceId} />
            <Handle label="Tenant id" value={tenant.id} />
          </Facts>
        </Panel>
        <HealthPanel tenant={tenant} />
      </Stack>
      <Stack gap="lg">
        <Panel title="Details" actions={editable && <EditDetails tenant={tenant} />}>
          <Facts>
            <Fact label="Name">{tenant.name}</Fact>
            <Fact label="Slug">
              <CopyValue label="Slug" value={tenant.slug} hideLabel />
            </Fact>
            <Fact label="Owner">
              {tenant.owner && (
                <LinkAnchor to="/users/$id" params={{ id: tenant.owner.id }} fz="inherit">
                  {tenant.owner.name}
                </LinkAnchor>
              )}
            </Fact>
            <Fact label="Members">{String(tenant.memberCount)}</Fact>
            <Fact label="Seats">{tenant.seats === 0 ? 'Not set' : String(tenant.seats)}</Fact>
            <Fact label="Industry">{tenant.industry}</Fact>
            <Fact label="Brand colour">
              {tenant.brandColor && (
                <Group gap={8} component="span" display="inline-flex">
                  <ColorSwatch component="span" color={tenant.brandColor} size={16} aria-hidden />
                  {tenant.brandColor}
                </Group>
              )}
            </Fact>
            <Fact label="Created">
              <Time at={tenant.createdAt} show="both" />
            </Fact>
            <Fact label="Changed">
              <Time at={tenant.updatedAt} show="both" />
            </Fact>
          </Facts>
        </Panel>
        <Panel title="Plan" actions={editable && <EditPlan tenant={tenant} />}>
          <Facts>
            <Fact label="Plan">{planNames[tenant.plan]}</Fact>
            <Fact label="File space">{formatBytes(fileQuotaBytes[tenant.plan])}</Fact>
            <Fact label="Subscription">
              <TenantSubscription slug={tenant.slug} />
            </Fact>
          </Facts>
        </Panel>
        <Panel title="Domains" actions={editable && <EditDomains tenant={tenant} />}>
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
        <Panel title="Partner" actions={editable && <EditPartner tenant={tenant} />}>
          {tenant.partnerId ? (
            <Facts>
              <Fact label="Partner">
                {tenant.partnerSlug && (
                  <LinkAnchor to="/partners/$slug" params={{ slug: tenant.partnerSlug }} fz="inherit">
                    {tenant.partnerSlug}
                  </LinkAnchor>
                )}
              </Fact>
              <Fact label="Partner id">
                <CopyValue label="Partner id" value={tenant.partnerId} hideLabel />
              </Fact>
            </Facts>
          ) : (
            <Text size="sm" c="dimmed">
              Not attached to a partner.
            </Text>
          )}
        </Panel>
        <Panel title="Billing details">
          <Facts>
            <Fact label="Company">{tenant.billingInfo.company}</Fact>
            <Fact label="VAT number">{tenant.billingInfo.vatNumber}</Fact>
            <Fact label="Country">{tenant.billingInfo.country}</Fact>
            <Fact label="E-mail">{tenant.billingInfo.email}</Fact>
          </Facts>
        </Panel>
        {editable && <DeleteTenantPanel tenant={tenant} />}
      </Stack>
    </SimpleGrid>
  )
}

function Handle({ label, value }: { label: string; value: string | null }) {
  return <Fact label={label}>{value ? <CopyValue label={label} value={value} hideLabel /> : 'Not set up yet'}</Fact>
}
