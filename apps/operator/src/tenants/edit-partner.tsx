import { type TenantView, UpdateTenant } from '@atrium/core/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { EditDialog, FormFooter } from '../parts/edit-dialog.tsx'
import { refusals, validateAs } from '../parts/validation.ts'
import { useUpdateTenant } from './mutations.ts'

/** Attaching a tenant to a partner, or detaching it. */
export function EditPartner({ tenant }: { tenant: TenantView }) {
  return (
    <>
      <EditDialog
        label={tenant.partnerId ? 'Change partner' : 'Attach partner'}
        title={tenant.partnerId ? `Change the partner of ${tenant.name}` : `Attach ${tenant.name} to a partner`}
      >
        {(close) => <PartnerEditor tenant={tenant} onClose={close} />}
      </EditDialog>
      {tenant.partnerId && <DetachPartner tenant={tenant} />}
    </>
  )
}

function PartnerEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
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

function DetachPartner({ tenant }: { tenant: TenantView }) {
  const update = useUpdateTenant()
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Detach
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Detach ${tenant.name} from ${tenant.partnerSlug ?? 'its partner'}?`}
        confirmLabel="Detach partner"
        onConfirm={async () => {
          await update.mutateAsync({ slug: tenant.slug, partnerId: null })
          done(`${tenant.name} has no partner any more.`)
        }}
      >
        The staff of the partner no longer see this tenant. Its people, mail and files are not touched.
      </ConfirmDialog>
    </>
  )
}
