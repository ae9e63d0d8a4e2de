import { provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type { ProvisioningStatus } from '@atrium/core/tenants/tenants'
import { formatList } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { StatusBadge, ToneIcon } from '@atrium/ui/status-badge'
import { stepMeta } from '@atrium/ui/tones'
import { Group, VisuallyHidden } from '@mantine/core'
import classes from './provisioning-summary.module.css'

const labels = translations('ui.labels')

/** All steps in one line: a single badge when all are done or one failed, else each state. */
export function ProvisioningSummary({ status }: { status: ProvisioningStatus }) {
  const failed = provisioningSteps.filter((step) => status[step] === 'error')
  if (failed.length > 0) {
    const steps = formatList(failed.map((step) => labels(`provisioning.${step}`)))
    return <StatusBadge tone="bad" label={labels('provisioning.failed', { steps })} />
  }
  if (provisioningSteps.every((step) => status[step] !== 'pending'))
    return <StatusBadge tone="good" label={labels('provisioning.complete')} />
  return (
    <Group component="span" gap={8} wrap="nowrap" className={classes.steps}>
      {provisioningSteps.map((step) => {
        const { label, tone } = stepMeta(status[step], false)
        return (
          <span key={step} className={classes.step}>
            <ToneIcon tone={tone} size={15} />
            {labels(`provisioning.${step}`)}
            <VisuallyHidden>: {label}</VisuallyHidden>
          </span>
        )
      })}
    </Group>
  )
}
