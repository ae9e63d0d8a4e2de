import { type TenantView, UpdateTenant } from '@atrium/core/tenants'
import { done } from '@atrium/ui/done'
import { mergeChanges, useFollowRecord } from '@atrium/ui/follow-record'
import { Stack, TagsInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { refusals, validateAs } from '../parts/validation.ts'
import { useTRPC } from '../trpc.ts'
import { useUpdateTenant } from './mutations.ts'

/** The domains of a tenant as a form. */
export function DomainsEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const update = useUpdateTenant()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const toInput = ({ domains }: { domains: string[] }) => ({ slug: tenant.slug, domains })
  const form = useForm({
    initialValues: { domains: tenant.domains },
    validate: (values) =>
      values.domains.length === 0 ? { domains: 'A tenant keeps at least one domain.' } : validateAs(UpdateTenant, toInput)(values),
  })
  useFollowRecord(form, { domains: tenant.domains })
  const removed = tenant.domains.filter((domain) => !form.values.domains.includes(domain))
  const { onInvalid, onRefused } = refusals(form)
  const save = form.onSubmit(async (values) => {
    // The whole list is replaced, so it is put together from the newest one: what others added meanwhile stays.
    const query = trpc.tenants.get.queryOptions({ slug: tenant.slug })
    const newest = await queryClient.fetchQuery({ ...query, staleTime: 0 }).catch(() => tenant)
    const merged = mergeChanges({ domains: tenant.domains }, { domains: newest.domains }, values).values
    update.mutate(toInput(merged), {
      onSuccess: (saved) => {
        done(`The domains of ${saved.name} are saved.`)
        onClose()
      },
      onError: onRefused,
    })
  }, onInvalid)
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
