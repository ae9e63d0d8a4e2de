import { type TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { PartnerInput } from '../partners/partner-input.tsx'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useUpdateTenant } from './mutations.ts'

/** The partner of a tenant as a form. */
export function PartnerEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const update = useUpdateTenant()
  const toInput = (values: { partnerId: string }) => ({
    slug: tenant.slug,
    partnerId: values.partnerId.trim(),
  })
  const form = useForm({
    initialValues: { partnerId: '' },
    validate: (values) =>
      validateAs(UpdateTenant, toInput)(values).partnerId ? { partnerId: 'Choose a partner.' } : {},
  })
  const { onInvalid, onRejected } = rejections(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(`${saved.name} belongs to ${saved.partnerSlug ?? 'the partner'}.`)
          onClose()
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <PartnerInput
          label="Partner"
          description="Its staff will see this tenant and may change its plan, suspend and resume it."
          withAsterisk
          {...form.getInputProps('partnerId')}
        />
        <FormFooter
          error={update.error}
          submitLabel="Attach"
          pending={update.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
