import { type TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { Stack, TagsInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { domainSteps } from './domain-steps.ts'
import { useChangeDomains } from './mutations.ts'

/**
 * The domains of a tenant as a form. Each change is sent by itself, so that domains which others
 * add or remove meanwhile are left alone.
 */
export function DomainsEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const change = useChangeDomains(tenant.slug)
  const form = useForm({
    initialValues: { domains: tenant.domains },
    validate: (values) =>
      values.domains.length === 0
        ? { domains: 'A tenant keeps at least one domain.' }
        : validateAs(UpdateTenant, ({ domains }: { domains: string[] }) => ({
            slug: tenant.slug,
            domains,
          }))(values),
  })
  useFollowRecord(form, { domains: tenant.domains })
  const removed = tenant.domains.filter((domain) => !form.values.domains.includes(domain))
  const { onInvalid } = rejections(form)
  const save = form.onSubmit(({ domains }) => {
    change.mutate(domainSteps(tenant.domains, domains), {
      onSuccess: () => {
        done(`The domains of ${tenant.name} are saved.`)
        onClose()
      },
    })
  }, onInvalid)
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TagsInput
          label="Domains"
          description="Type a domain and press Enter. New ones are set up in the mail server right away. The first one is the primary domain."
          placeholder="example.com"
          splitChars={[',', ' ']}
          acceptValueOnBlur
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('domains')}
        />
        {removed.length > 0 && (
          <Text size="sm" c="dimmed">
            {removed.join(', ')} will no longer belong to this tenant. Domains that addresses still
            use cannot be removed.
          </Text>
        )}
        <FormFooter
          error={change.error}
          submitLabel="Save domains"
          pending={change.isPending}
          disabled={!form.isDirty()}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
