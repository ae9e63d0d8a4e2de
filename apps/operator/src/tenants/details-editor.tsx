import { type TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { translations } from '@atrium/ui/messages'
import { ColorInput, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { type DetailsForm, toDetailsForm, toDetailsUpdate } from './details-form.ts'
import { useUpdateTenant } from './mutations.ts'

const t = translations('operator.tenants')

/** The general fields of a tenant as a form. */
export function DetailsEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const update = useUpdateTenant()
  const toInput = (values: DetailsForm) => toDetailsUpdate(tenant, values)
  const form = useForm<DetailsForm>({
    initialValues: toDetailsForm(tenant),
    validate: validateAs(UpdateTenant, toInput),
    validateInputOnBlur: true,
  })
  useFollowRecord(form, toDetailsForm(tenant))
  const { onInvalid, onRejected } = rejections(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(t('details.saved', { tenant: saved.name }))
          onClose()
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TextInput
          label={t('fields.name')}
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NumberInput
          label={t('fields.seats')}
          description={t('details.seatsHint')}
          min={0}
          max={1_000_000}
          allowDecimal={false}
          {...form.getInputProps('seats')}
        />
        <NativeSelect
          label={t('details.seatMode.label')}
          data={[
            { value: 'fixed', label: t('details.seatMode.fixed') },
            { value: 'auto', label: t('details.seatMode.auto') },
          ]}
          {...form.getInputProps('seatMode')}
        />
        <TextInput label={t('fields.industry')} {...form.getInputProps('industry')} />
        <ColorInput
          label={t('fields.colour')}
          placeholder="#1f6feb"
          format="hex"
          withEyeDropper={false}
          {...form.getInputProps('brandColor')}
        />
        <FormFooter
          error={update.error}
          submitLabel={t('details.save')}
          pending={update.isPending}
          disabled={!form.isDirty()}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
