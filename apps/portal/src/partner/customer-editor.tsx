import { plans } from '@atrium/core/billing/plans'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { NativeSelect, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { planStorage } from '../tenants/plans.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import { CustomerForm, type CustomerFormValues, changesOf, fromCustomer } from './customer-form.ts'
import { useInvalidatePartner } from './mutations.ts'
import { explain } from './status-meta.ts'
import { usePartner } from './use-partner.ts'

const t = translations('portal.partner-customers')
const labels = translations('ui.labels')

/** What a partner sells to a customer: plan and seats, with its name and industry. */
export function CustomerEditor({ tenant }: { tenant: TenantView }) {
  const partner = usePartner()
  const trpc = useTRPC()
  const forget = useInvalidatePartner()
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<CustomerFormValues>({
    initialValues: fromCustomer(tenant),
    validate: zodForm(CustomerForm),
  })
  useFollowRecord(form, fromCustomer(tenant))
  const update = useMutation(
    trpc.partners.updateCustomer.mutationOptions({
      onSuccess: (saved) => {
        done(t('edit.saved', { customer: saved.name }))
        forget()
      },
      onError: (error) => {
        if (!showRejection(form, error)) setUnplaced(error)
      },
    }),
  )
  function submit(values: CustomerFormValues) {
    const changes = changesOf(partner.slug, tenant, values)
    setUnplaced(undefined)
    if (changes) update.mutate(changes)
  }
  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput
          label={t('edit.name')}
          required
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label={t('edit.plan')}
            description={t('edit.storage', { size: planStorage(form.values.plan) })}
            data={plans.map((plan) => ({ value: plan, label: labels(`plans.${plan}`) }))}
            {...form.getInputProps('plan')}
          />
          <NumberInput
            label={t('edit.seats')}
            description={t('edit.taken', { count: tenant.memberCount })}
            min={0}
            max={1_000_000}
            allowDecimal={false}
            allowNegative={false}
            {...form.getInputProps('seats')}
          />
        </SimpleGrid>
        <TextInput label={t('edit.industry')} maxLength={100} {...form.getInputProps('industry')} />
        {unplaced !== undefined && (
          <ProblemAlert title={t('edit.failed')} error={unplaced} message={explain(unplaced)} />
        )}
        <SaveButtons
          label={t('edit.save')}
          saving={update.isPending}
          dirty={form.isDirty()}
          onDiscard={form.reset}
        />
      </Stack>
    </form>
  )
}
