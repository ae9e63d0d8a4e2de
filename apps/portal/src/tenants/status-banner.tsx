import type { TenantView } from '@atrium/core/tenants'
import { Alert } from '@mantine/core'
import { IconLock, IconTrash } from '@tabler/icons-react'

/** Says on every page of a workplace that it does not run as usual, and why. */
export function StatusBanner({ tenant }: { tenant: TenantView }) {
  if (tenant.status === 'suspended') {
    return (
      <Alert color="yellow" icon={<IconLock aria-hidden />} title="This workplace is suspended" mb="lg">
        {tenant.suspendedReason ? `Reason: ${tenant.suspendedReason} ` : ''}
        Everything can still be read, and nothing is lost. Changes wait until it is resumed; ask your provider what is needed.
      </Alert>
    )
  }
  if (tenant.status === 'deleted') {
    return (
      <Alert color="red" icon={<IconTrash aria-hidden />} title="This workplace has been deleted" mb="lg">
        What you see here is its record. It no longer appears among your workplaces.
      </Alert>
    )
  }
  return null
}
