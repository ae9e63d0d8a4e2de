import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { ProvisioningSteps } from '@atrium/ui/provisioning-steps'
import { Button, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useReconcileTenant } from './mutations.ts'
import { RecentRuns } from './recent-runs.tsx'

const t = translations('operator.tenants')

interface Props {
  tenant: TenantView
  events: { running: boolean; live: boolean }
}

/** The provisioning steps with their current state, and a button that runs them again. */
export function ProvisioningPanel({ tenant, events }: Props) {
  const reconcile = useReconcileTenant()
  const { slug, status } = tenant
  const running = events.running || reconcile.isPending
  const busy =
    reconcile.error !== null && problemOf(reconcile.error).code === 'provisioning_in_progress'
  return (
    <Panel
      title={t('provisioning.title')}
      description={events.live ? t('provisioning.live') : undefined}
      actions={
        status !== 'deleted' && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={reconcile.isPending}
            disabled={events.running}
            onClick={() =>
              reconcile.mutate(
                { slug },
                {
                  onSuccess: ({ results }) => {
                    const failed = Object.values(results).filter(
                      ({ state }) => state === 'error',
                    ).length
                    if (failed === 0) done(t('provisioning.done'))
                  },
                },
              )
            }
          >
            {t('provisioning.reconcile')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        <ProvisioningSteps progress={{ ...tenant, running }} />
        {reconcile.error && !(busy && !events.running) && (
          <ProblemAlert
            error={reconcile.error}
            message={busy ? t('provisioning.busy') : undefined}
          />
        )}
        {status === 'suspended' && (
          <Text size="sm" c="dimmed">
            {t('provisioning.suspendedHint')}
          </Text>
        )}
        <RecentRuns slug={slug} />
      </Stack>
    </Panel>
  )
}
