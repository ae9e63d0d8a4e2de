import { type TenantView, UpdateTenant } from '@atrium/core/tenants'
import { done } from '@atrium/ui/done'
import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { refusals, validateAs } from '../parts/validation.ts'
import { useUpdateTenant } from './mutations.ts'

/** The partner of a tenant as a form. */
export function PartnerEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const update = useUpdateTenant()
  const toInput = (values: { partnerId: string }) => ({ slug: tenant.slug, partnerId: values.partnerId.trim() })
  const form = useForm({
    initialValues: { partnerId: '' },
    validate: (values) => (validateAs(UpdateTenant, toInput)(values).partnerId ? { partnerId: 'This is not a partner id.' } : {}),
  })
  const { onInvalid, onRefused } = refusals(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(`${saved.name} belongs to ${saved.partnerSlug ?? 'the partner'}.`)
          onClose()
        },
        onError: onRefused,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TextInput
          label="Partner id"
          description="The staff of the partner will see this tenant and may change its plan, suspend and resume it."
          placeholder="00000000-0000-0000-0000-000000000000"
          autoComplete="off"
          spellCheck={false}
          withAsterisk
          data-autofocus
          {...form.getInputProps('partnerId')}
        />
        <FormFooter error={update.error} submitLabel="Attach" pending={update.isPending} onCancel={onClose} />
      </Stack>
    </form>
  )
}
