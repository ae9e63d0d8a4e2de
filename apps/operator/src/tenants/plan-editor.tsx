import { fileQuotaBytes } from '@atrium/core/billing/plans'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { formatBytes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { useUpdateTenant } from './mutations.ts'
import { PlanChoice } from './plan-choice.tsx'

const t = translations('operator.tenants')

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
          done(t('plan.saved', { tenant: saved.name, plan: planName(saved.plan) }))
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
            ? t('plan.current', { plan: planName(tenant.plan) })
            : t(smaller ? 'plan.grantedSmaller' : 'plan.granted', {
                before: formatBytes(fileQuotaBytes[tenant.plan]),
                after: formatBytes(fileQuotaBytes[plan]),
              })}
        </Text>
        <FormFooter
          error={update.error}
          submitLabel={t('plan.save')}
          pending={update.isPending}
          disabled={plan === tenant.plan}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
