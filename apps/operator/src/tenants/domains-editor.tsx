import { type TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { formatList } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Stack, TagsInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { domainSteps } from './domain-steps.ts'
import { useChangeDomains } from './mutations.ts'

const t = translations('operator.tenants')

/**
 * The domains of a tenant as a form. Each change is a request of its own, so that domains that
 * others add or remove meanwhile stay as they are.
 */
export function DomainsEditor({ tenant, onClose }: { tenant: TenantView; onClose: () => void }) {
  const change = useChangeDomains(tenant.slug)
  const form = useForm({
    initialValues: { domains: tenant.domains },
    validate: (values) =>
      values.domains.length === 0
        ? { domains: t('domains.required') }
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
        done(t('domains.saved', { tenant: tenant.name }))
        onClose()
      },
    })
  }, onInvalid)
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TagsInput
          label={t('fields.domains')}
          description={t('domains.hint')}
          placeholder={t('domains.placeholder')}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('domains')}
        />
        {removed.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('domains.removed', { domains: formatList(removed) })}
          </Text>
        )}
        <FormFooter
          error={change.error}
          submitLabel={t('domains.save')}
          pending={change.isPending}
          disabled={!form.isDirty()}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
