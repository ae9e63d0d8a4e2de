import { provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type { ProvisioningStatus } from '@atrium/core/tenants/tenants'
import { StatusBadge, ToneIcon } from '@atrium/ui/status-badge'
import { stepMeta } from '@atrium/ui/tones'
import { Group, VisuallyHidden } from '@mantine/core'
import { stepNames } from './labels.ts'
import classes from './provisioning-summary.module.css'

/** Every step in one line: a single word when all are done, else each step with its state. */
export function ProvisioningSummary({ status }: { status: ProvisioningStatus }) {
  const failed = provisioningSteps.filter((step) => status[step] === 'error')
  if (failed.length > 0)
    return (
      <StatusBadge
        tone="bad"
        label={`${failed.map((step) => stepNames[step]).join(', ')} failed`}
      />
    )
  if (provisioningSteps.every((step) => status[step] !== 'pending'))
    return <StatusBadge tone="good" label="Complete" />
  return (
    <Group component="span" gap={8} wrap="nowrap" className={classes.steps}>
      {provisioningSteps.map((step) => {
        const { label, tone } = stepMeta(status[step], false)
        return (
          <span key={step} className={classes.step}>
            <ToneIcon tone={tone} size={15} />
            {stepNames[step]}
            <VisuallyHidden>: {label}</VisuallyHidden>
          </span>
        )
      })}
    </Group>
  )
}
