import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { TenantStatusBadge } from '@atrium/ui/status-badge'
import { Grid, Stack } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import * as links from '../links.ts'
import { DetailsPanel } from './details-panel.tsx'
import { HealthPanel } from './health-panel.tsx'
import { LimitWarning } from './limits-panel.tsx'
import { ProviderPanel } from './provider-panel.tsx'
import { ProvisioningPanel } from './provisioning-panel.tsx'
import { maySeeSettings } from './roles.ts'
import { useTenant } from './use-tenant.ts'

const t = translations('portal.tenants')

/** Home of a workplace: how it is, what it has, and what is being done about it. */
export function OverviewPage() {
  const tenant = useTenant()
  return (
    <>
      <PageHeader
        title={tenant.name}
        marks={<TenantStatusBadge status={tenant.status} steps={tenant.provisioningStatus} />}
        actions={
          maySeeSettings(tenant.role) && (
            <LinkButton
              {...links.settings(tenant.slug)}
              variant="default"
              leftSection={<IconPencil size={17} aria-hidden />}
            >
              {t('overview.edit')}
            </LinkButton>
          )
        }
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            {/* Keyed, so that clocks and notices do not carry over when the address changes to another workplace. */}
            <ProvisioningPanel key={tenant.id} tenant={tenant} />
            {tenant.role !== 'member' && <HealthPanel tenant={tenant} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            {maySeeSettings(tenant.role) && <LimitWarning slug={tenant.slug} />}
            <DetailsPanel tenant={tenant} />
            {tenant.partnerSlug && tenant.role && <ProviderPanel slug={tenant.slug} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
