import type { TenantView } from '@atrium/core/tenants/tenants'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Alert } from '@mantine/core'
import { IconLock, IconTrash } from '@tabler/icons-react'

const t = translations('portal.layout')

function restore({ restoreUntil }: TenantView): string {
  if (restoreUntil === null) return t('deleted.restore.open')
  if (Date.parse(restoreUntil) <= Date.now()) return t('deleted.restore.over')
  return t('deleted.restore.until', { day: formatDay(restoreUntil) })
}

/** Says on every page of a workplace that it does not run as usual, and why. */
export function StatusBanner({ tenant }: { tenant: TenantView }) {
  if (tenant.status === 'suspended') {
    return (
      <Alert color="yellow" icon={<IconLock aria-hidden />} title={t('suspended.title')} mb="lg">
        {tenant.suspendedReason && t('suspended.reason', { reason: tenant.suspendedReason })}{' '}
        {t(`suspended.modes.${tenant.suspensionMode ?? 'none'}`)} {t('suspended.hint')}
      </Alert>
    )
  }
  if (tenant.status === 'deleted') {
    return (
      <Alert color="red" icon={<IconTrash aria-hidden />} title={t('deleted.title')} mb="lg">
        {t('deleted.hint')} {restore(tenant)}
      </Alert>
    )
  }
  return null
}
