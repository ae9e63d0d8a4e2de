import type { CheckedBillingInfo } from '@atrium/core/billing/billing-info'
import { ProblemAlert, QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { StatusBadge } from '@atrium/ui/status-badge'
import { useMutation } from '@atrium/ui/use-mutation'
import { Warnings } from '@atrium/ui/warnings'
import { zodForm } from '@atrium/ui/zod-form'
import { Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countryName, countryOptions } from '../tenants/countries.ts'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AddressPanel } from './address-panel.tsx'
import {
  BillingForm,
  type BillingFormValues,
  changesOf,
  fromBillingInfo,
  vatMeta,
} from './billing-form.ts'
import { VatCheckDetails } from './vat-check-details.tsx'

const t = translations('portal.billing-info')
const a = translations('portal.billing-address')

/** Whom invoices go to. */
export function BillingInfoPage() {
  const tenant = useTenant()
  const trpc = useTRPC()
  const query = useQuery(trpc.billingInfo.get.queryOptions({ slug: tenant.slug }))
  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      <Stack gap="lg" maw={760}>
        {query.data && <BillingPanel key={tenant.id} checked={query.data} />}
        <TenantAddress key={`address ${tenant.id}`} />
      </Stack>
    </>
  )
}

function BillingPanel({ checked }: { checked: CheckedBillingInfo }) {
  const tenant = useTenant()
  const { slug } = tenant
  // A suspension may be about a bill, so these can be changed while it lasts.
  const editable = maySeeSettings(tenant.role) && tenant.status !== 'deleted'
  const update = useUpdateBillingInfo(slug)
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<BillingFormValues>({
    initialValues: fromBillingInfo(checked.billingInfo),
    validate: zodForm(BillingForm),
  })
  useFollowRecord(form, fromBillingInfo(checked.billingInfo))
  const vatStatusMeta = vatMeta(checked.vatStatus)
  const touched = form.isDirty('vatNumber') || form.isDirty('country')

  function submit(values: BillingFormValues) {
    const changes = changesOf(slug, checked, values)
    setUnplaced(undefined)
    if (!changes) return form.reset()
    update.mutate(changes, {
      onSuccess: ({ billingInfo }) => {
        form.setInitialValues(fromBillingInfo(billingInfo))
        form.setValues(fromBillingInfo(billingInfo))
        done(t('saved'))
      },
      onError: (error) => {
        if (!showRejection(form, error)) setUnplaced(error)
      },
    })
  }

  return (
    <Stack gap="lg">
      <Warnings title={t('warnings')} messages={checked.warnings.map(({ message }) => message)} />
      <Panel title={t('form.title')}>
        <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
          <Stack>
            <TextInput
              label={t('form.company')}
              description={t('form.companyHint')}
              autoComplete="organization"
              maxLength={200}
              disabled={!editable}
              {...form.getInputProps('company')}
            />
            <NativeSelect
              label={t('form.country')}
              autoComplete="country"
              data={countryData(form.values.country)}
              disabled={!editable}
              {...form.getInputProps('country')}
            />
            <div>
              <TextInput
                label={t('form.vatNumber')}
                description={t('form.vatNumberHint')}
                placeholder="DE123456789"
                autoCapitalize="characters"
                spellCheck={false}
                maxLength={32}
                disabled={!editable}
                {...form.getInputProps('vatNumber')}
              />
              <Group gap="xs" mt={8} role="status" aria-live="polite">
                {touched ? (
                  <Text size="sm" c="dimmed">
                    {t('form.vatOnSave')}
                  </Text>
                ) : (
                  <>
                    <StatusBadge label={vatStatusMeta.label} tone={vatStatusMeta.tone} />
                    <Text size="sm" c="dimmed">
                      {vatStatusMeta.text}
                    </Text>
                  </>
                )}
              </Group>
              {!touched && checked.vatCheck && <VatCheckDetails check={checked.vatCheck} />}
            </div>
            <TextInput
              label={t('form.email')}
              description={t('form.emailHint')}
              type="email"
              disabled={!editable}
              {...form.getInputProps('email')}
            />
            {unplaced !== undefined && (
              <ProblemAlert title={t('form.failed')} error={unplaced} message={explain(unplaced)} />
            )}
            {editable && (
              <SaveButtons
                label={t('form.save')}
                saving={update.isPending}
                dirty={form.isDirty()}
                onDiscard={form.reset}
              />
            )}
          </Stack>
        </form>
      </Panel>
    </Stack>
  )
}

function TenantAddress() {
  const { slug, role, status } = useTenant()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const query = useQuery(trpc.documents.tenantAddress.queryOptions({ slug }))
  const save = useMutation(
    trpc.documents.setTenantAddress.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.documents.tenantAddress.queryKey({ slug }), saved)
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      },
    }),
  )
  return (
    <>
      <QueryState query={query} loading={a('loading')} failed={a('loadFailed')} />
      {query.data && (
        <AddressPanel
          on="invoices"
          address={query.data.address}
          editable={maySeeSettings(role) && status !== 'deleted'}
          saving={save.isPending}
          onSave={(address) => save.mutateAsync({ slug, ...address })}
        />
      )}
    </>
  )
}

function countryData(chosen: string): { value: string; label: string }[] {
  const options = countryOptions()
  return chosen === '' || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: countryName(chosen) }]
}

function useUpdateBillingInfo(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.billingInfo.update.mutationOptions({
      onSuccess: (checked) => {
        queryClient.setQueryData(trpc.billingInfo.get.queryKey({ slug }), checked)
        void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      },
    }),
  )
}
