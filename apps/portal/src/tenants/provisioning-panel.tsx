import { isProvisioned, provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { ProvisioningSteps } from '@atrium/ui/provisioning-steps'
import { Button, Group, Stack, Text } from '@mantine/core'
import { IconConfetti, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import * as links from '../links.ts'
import { useReconcile } from './mutations.ts'
import classes from './overview.module.css'
import { explain } from './problems.ts'
import { maySeeSettings } from './roles.ts'
import { useTenantEvents } from './use-tenant-events.ts'

const t = translations('portal.tenants')

const justMadeMs = 60_000

/** The services of a workplace, step by step and live while one of them is being set up. */
export function ProvisioningPanel({ tenant }: { tenant: TenantView }) {
  const { running } = useTenantEvents(tenant)
  const reconcile = useReconcile(tenant.slug)
  // Or made just now: it may have been set up before this page was there to see it.
  const [isNew] = useState(
    () => tenant.status === 'pending' || Date.now() - Date.parse(tenant.createdAt) < justMadeMs,
  )
  const [dismissed, setDismissed] = useState(false)
  const finished = isProvisioned(tenant.provisioningStatus)
  const failed = provisioningSteps.filter((step) => tenant.provisioningStatus[step] === 'error')
  const working = running || reconcile.isPending
  const mayRetry =
    maySeeSettings(tenant.role) && tenant.status !== 'suspended' && tenant.status !== 'deleted'
  return (
    <Stack gap="lg">
      {isNew && tenant.status === 'active' && !dismissed && (
        <Ready tenant={tenant} onClose={() => setDismissed(true)} />
      )}
      <Panel
        title={t('services.title')}
        description={lead(finished, working, failed.length)}
        actions={
          mayRetry &&
          !finished &&
          !running && (
            <Button
              variant="light"
              size="xs"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={reconcile.isPending}
              onClick={() => reconcile.mutate({ slug: tenant.slug })}
            >
              {t('services.retry')}
            </Button>
          )
        }
      >
        <Stack>
          <ProvisioningSteps progress={{ ...tenant, running: working }} />
          {reconcile.error && (
            <ProblemAlert
              title={t('services.retryFailed')}
              error={reconcile.error}
              message={explain(reconcile.error)}
            />
          )}
          {failed.length > 0 && !working && !mayRetry && tenant.status === 'pending' && (
            <Text size="sm" c="dimmed">
              {t('services.retryHint')}
            </Text>
          )}
        </Stack>
      </Panel>
    </Stack>
  )
}

function lead(finished: boolean, working: boolean, failures: number): string {
  if (finished) return t('services.states.finished')
  if (working) return t('services.states.working')
  if (failures > 0) return t('services.states.failed', { count: failures })
  return t('services.states.waiting')
}

function Ready({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  return (
    <section className={classes.ready} aria-labelledby="ready">
      <IconConfetti size={32} stroke={1.5} aria-hidden className={classes.readyIcon} />
      <div>
        <h2 id="ready" className={classes.readyTitle}>
          {t('ready.title', { tenant: tenant.name })}
        </h2>
        <Text size="sm" mb="sm">
          {t('ready.hint')}
        </Text>
        <Group gap="xs">
          <LinkButton {...links.members(tenant.slug)} size="xs">
            {t('ready.members')}
          </LinkButton>
          {maySeeSettings(tenant.role) && (
            <LinkButton {...links.settings(tenant.slug)} size="xs" variant="default">
              {t('ready.colour')}
            </LinkButton>
          )}
          <Button size="xs" variant="subtle" onClick={onClose}>
            {t('ready.dismiss')}
          </Button>
        </Group>
      </div>
    </section>
  )
}
