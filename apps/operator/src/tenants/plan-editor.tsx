import { fileQuotaBytes } from '@atrium/core/billing/plans'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { formatBytes } from '@atrium/ui/format'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { useUpdateTenant } from './mutations.ts'
import { PlanChoice } from './plan-choice.tsx'

/** The plan of a tenant as a form. */
export function PlanEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const update = useUpdateTenant()
  const [plan, setPlan] = useState(tenant.plan)
  const smaller = fileQuotaBytes[plan] < fileQuotaBytes[tenant.plan]
  function save(event: FormEvent) {
    event.preventDefault()
    update.mutate(
      { slug: tenant.slug, plan, expectedVersion: tenant.editVersion },
      {
        onSuccess: (saved) => {
          done(`${saved.name} is on ${planName(saved.plan)}.`)
          onClose()
        },
      },
    )
  }
  return (
    <form onSubmit={save}>
      <Stack>
        <PlanChoice value={plan} onChange={setPlan} />
        <Text size="sm" c="dimmed">
          {plan === tenant.plan
            ? `Now on ${planName(tenant.plan)}.`
            : `The file space goes from ${formatBytes(fileQuotaBytes[tenant.plan])} to ${formatBytes(fileQuotaBytes[plan])}.${smaller ? ' Files that no longer fit are kept, but nothing can be added until there is room.' : ''} The tenant has it without a subscription; the grant is recorded.`}
        </Text>
        <FormFooter
          error={update.error}
          submitLabel="Change plan"
          pending={update.isPending}
          disabled={plan === tenant.plan}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
