import { type TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { ColorInput, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { type DetailsForm, toDetailsForm, toDetailsUpdate } from './details-form.ts'
import { useUpdateTenant } from './mutations.ts'

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
          done(`The details of ${saved.name} are saved.`)
          onClose()
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TextInput label="Name" withAsterisk data-autofocus {...form.getInputProps('name')} />
        <NumberInput
          label="Seats"
          description="0 stands for no number of seats."
          min={0}
          max={1_000_000}
          allowDecimal={false}
          {...form.getInputProps('seats')}
        />
        <NativeSelect
          label="When every seat is taken and somebody is added"
          data={[
            { value: 'fixed', label: 'Refuse' },
            {
              value: 'auto',
              label: 'Add a seat, with a subscription after its price is confirmed',
            },
          ]}
          {...form.getInputProps('seatMode')}
        />
        <TextInput label="Industry" {...form.getInputProps('industry')} />
        <ColorInput
          label="Brand colour"
          placeholder="#1f6feb"
          format="hex"
          withEyeDropper={false}
          {...form.getInputProps('brandColor')}
        />
        <FormFooter
          error={update.error}
          submitLabel="Save details"
          pending={update.isPending}
          disabled={!form.isDirty()}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
