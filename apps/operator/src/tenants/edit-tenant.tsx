import type { TenantLimit } from '@atrium/core/tenants/tenant-limits'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { lazy } from 'react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { DetachPartner } from './detach-partner.tsx'

// Forms bring inputs that nothing else on the page needs; each loads when its button is pressed.
const DetailsEditor = lazy(() =>
  import('./details-editor.tsx').then((part) => ({ default: part.DetailsEditor })),
)
const PlanEditor = lazy(() =>
  import('./plan-editor.tsx').then((part) => ({ default: part.PlanEditor })),
)
const DomainsEditor = lazy(() =>
  import('./domains-editor.tsx').then((part) => ({ default: part.DomainsEditor })),
)
const LimitsEditor = lazy(() =>
  import('./limits-editor.tsx').then((part) => ({ default: part.LimitsEditor })),
)
const PartnerEditor = lazy(() =>
  import('./partner-editor.tsx').then((part) => ({ default: part.PartnerEditor })),
)

/** The limits of one tenant, from what is read of them. */
export function EditLimits({ tenant, items }: Props & { items: readonly TenantLimit[] }) {
  return (
    <EditDialog label="Edit limits" title={`Limits of ${tenant.name}`}>
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
    <EditDialog label="Edit details">
      {(close) => <DetailsEditor tenant={tenant} onClose={close} />}
    </EditDialog>
  )
}

export function EditPlan({ tenant }: Props) {
  return (
    <EditDialog label="Change plan" title={`Change the plan of ${tenant.name}`}>
      {(close) => <PlanEditor tenant={tenant} onClose={close} />}
    </EditDialog>
  )
}

export function EditDomains({ tenant }: Props) {
  return (
    <EditDialog label="Edit domains" title={`Domains of ${tenant.name}`}>
      {(close) => <DomainsEditor tenant={tenant} onClose={close} />}
    </EditDialog>
  )
}

/** Attaching a tenant to a partner, or detaching it. */
export function EditPartner({ tenant }: Props) {
  return (
    <>
      <EditDialog
        label={tenant.partnerId ? 'Change partner' : 'Attach partner'}
        title={
          tenant.partnerId
            ? `Change the partner of ${tenant.name}`
            : `Attach ${tenant.name} to a partner`
        }
      >
        {(close) => <PartnerEditor tenant={tenant} onClose={close} />}
      </EditDialog>
      {tenant.partnerId && <DetachPartner tenant={tenant} />}
    </>
  )
}
