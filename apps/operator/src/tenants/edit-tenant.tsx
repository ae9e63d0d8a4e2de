import type { TenantLimit } from '@atrium/core/tenants/tenant-limits'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { translations, withMessages } from '@atrium/ui/messages'
import { lazy } from 'react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { DetachPartner } from './detach-partner.tsx'

const t = translations('operator.tenants')

// Forms bring inputs that nothing else on the page needs; each loads when its button is pressed.
const DetailsEditor = lazy(() =>
  withMessages(import('./details-editor.tsx'), 'ui.issues').then((part) => ({
    default: part.DetailsEditor,
  })),
)
const PlanEditor = lazy(() =>
  import('./plan-editor.tsx').then((part) => ({ default: part.PlanEditor })),
)
const DomainsEditor = lazy(() =>
  withMessages(import('./domains-editor.tsx'), 'ui.issues').then((part) => ({
    default: part.DomainsEditor,
  })),
)
const LimitsEditor = lazy(() =>
  import('./limits-editor.tsx').then((part) => ({ default: part.LimitsEditor })),
)
const PartnerEditor = lazy(() =>
  withMessages(import('./partner-editor.tsx'), 'operator.partners', 'ui.issues').then((part) => ({
    default: part.PartnerEditor,
  })),
)

/** The limits of one tenant, from what is read of them. */
export function EditLimits({ tenant, items }: Props & { items: readonly TenantLimit[] }) {
  return (
    <EditDialog label={t('limits.edit')} title={t('limits.editTitle', { tenant: tenant.name })}>
      {(close) => <LimitsEditor slug={tenant.slug} items={items} onClose={close} />}
    </EditDialog>
  )
}

interface Props {
  tenant: TenantView
}

/** Name, seats, industry and brand colour. */
export function EditDetails({ tenant }: Props) {
  return (
    <EditDialog label={t('details.edit')}>
      {(close) => <DetailsEditor tenant={tenant} onClose={close} />}
    </EditDialog>
  )
}

export function EditPlan({ tenant }: Props) {
  return (
    <EditDialog label={t('plan.edit')} title={t('plan.editTitle', { tenant: tenant.name })}>
      {(close) => <PlanEditor tenant={tenant} onClose={close} />}
    </EditDialog>
  )
}

export function EditDomains({ tenant }: Props) {
  return (
    <EditDialog label={t('domains.edit')} title={t('domains.editTitle', { tenant: tenant.name })}>
      {(close) => <DomainsEditor tenant={tenant} onClose={close} />}
    </EditDialog>
  )
}

/** Attaching a tenant to a partner, or detaching it. */
export function EditPartner({ tenant }: Props) {
  return (
    <>
      <EditDialog
        label={t(tenant.partnerId ? 'partner.change' : 'partner.attach')}
        title={t(tenant.partnerId ? 'partner.changeTitle' : 'partner.attachTitle', {
          tenant: tenant.name,
        })}
      >
        {(close) => <PartnerEditor tenant={tenant} onClose={close} />}
      </EditDialog>
      {tenant.partnerId && <DetachPartner tenant={tenant} />}
    </>
  )
}
