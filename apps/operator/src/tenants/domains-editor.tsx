import { type TenantView, UpdateTenant } from '@atrium/core/tenants'
import { done } from '@atrium/ui/done'
import { Stack, TagsInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { refusals, validateAs } from '../parts/validation.ts'
import { useUpdateTenant } from './mutations.ts'

/** The domains of a tenant as a form. */
export function DomainsEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const update = useUpdateTenant()
  const toInput = ({ domains }: { domains: string[] }) => ({ slug: tenant.slug, domains })
  const form = useForm({
    initialValues: { domains: tenant.domains },
    validate: (values) =>
      values.domains.length === 0 ? { domains: 'A tenant keeps at least one domain.' } : validateAs(UpdateTenant, toInput)(values),
  })
  const removed = tenant.domains.filter((domain) => !form.values.domains.includes(domain))
  const { onInvalid, onRefused } = refusals(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(`The domains of ${saved.name} are saved.`)
          onClose()
        },
        onError: onRefused,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TagsInput
          label="Domains"
          description="Type a domain and press Enter. New ones are set up in the mail server right away."
          placeholder="example.com"
          splitChars={[',', ' ']}
          acceptValueOnBlur
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('domains')}
        />
        {removed.length > 0 && (
          <Text size="sm" c="dimmed">
            {removed.join(', ')} will no longer belong to this tenant. This is refused while addresses still use it.
          </Text>
        )}
        <FormFooter
          error={update.error}
          submitLabel="Save domains"
          pending={update.isPending}
          disabled={!form.isDirty()}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
