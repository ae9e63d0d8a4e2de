import type { TenantView } from '@atrium/core/tenants/tenants'
import { formatDay } from '@atrium/ui/format'
import { Alert } from '@mantine/core'
import { IconLock, IconTrash } from '@tabler/icons-react'

const what = {
  no_sign_in:
    'Members cannot sign in, and their mailboxes, files and apps are closed. Only owner and admins can sign in here. Mail keeps arriving.',
  read_only:
    'Members can sign in and read. Nobody can send mail or change files. Mail keeps arriving.',
} as const

function restore({ restoreUntil }: TenantView): string {
  if (restoreUntil === null) return 'Your provider can restore it.'
  if (Date.parse(restoreUntil) <= Date.now()) return 'It cannot be restored any more.'
  return `Your provider can restore it until ${formatDay(restoreUntil)}.`
}

/** Says on every page of a workplace that it does not run as usual, and why. */
export function StatusBanner({ tenant }: { tenant: TenantView }) {
  if (tenant.status === 'suspended') {
    return (
      <Alert
        color="yellow"
        icon={<IconLock aria-hidden />}
        title="This workplace is suspended"
        mb="lg"
      >
        {tenant.suspendedReason ? `Reason: ${tenant.suspendedReason} ` : ''}
        {tenant.suspensionMode === null
          ? 'Everything can still be read.'
          : what[tenant.suspensionMode]}{' '}
        Nothing is lost. Admins can still sign out, suspend and remove members, reset passwords and
        pay. Ask your provider what is needed to resume it.
      </Alert>
    )
  }
  if (tenant.status === 'deleted') {
    return (
      <Alert
        color="red"
        icon={<IconTrash aria-hidden />}
        title="This workplace has been deleted"
        mb="lg"
      >
        Members cannot sign in, and mailboxes, files and apps are closed. What you see here is its
        record. {restore(tenant)}
      </Alert>
    )
  }
  return null
}
