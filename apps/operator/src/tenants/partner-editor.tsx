import { type TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { PartnerInput } from '../partners/partner-input.tsx'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useUpdateTenant } from './mutations.ts'

const t = translations('operator.tenants')

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
      validateAs(UpdateTenant, toInput)(values).partnerId
        ? { partnerId: t('partner.required') }
        : {},
  })
  const { onInvalid, onRejected } = rejections(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(
            t('partner.saved', {
              tenant: saved.name,
              partner: saved.partnerSlug ?? values.partnerId,
            }),
          )
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
          label={t('fields.partner')}
          description={t('partner.hint')}
          withAsterisk
          {...form.getInputProps('partnerId')}
        />
        <FormFooter
          error={update.error}
          submitLabel={t('partner.save')}
          pending={update.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
