import { plans } from '@atrium/core/billing/plans'
import type { PartnerSettingsView } from '@atrium/core/partners/partners'
import { ProblemAlert, QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { formatDay, formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Fieldset, Grid, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AddressPanel } from '../billing-info/address-panel.tsx'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import {
  changesOf,
  fromSettings,
  PartnerSettingsForm,
  type PartnerSettingsValues,
} from './settings-form.ts'
import { explain } from './status-meta.ts'
import { mayDo, maySee, usePartner } from './use-partner.ts'

const t = translations('portal.partner-settings')
const a = translations('portal.billing-address')
const labels = translations('ui.labels')

/** How the partner is reached, and what its new customers begin with. */
export function PartnerSettingsPage() {
  const partner = usePartner()
  const trpc = useTRPC()
  const query = useQuery(trpc.partners.settings.queryOptions({ slug: partner.slug }))
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { partner: partner.name })}
        description={t('description')}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="lg">
              <SettingsPanel settings={query.data} />
              <PartnerAddress />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <RecordPanel />
          </Grid.Col>
        </Grid>
      )}
    </>
  )
}

/** Shown to those who may read the partner's finances. */
function PartnerAddress() {
  const partner = usePartner()
  const { slug } = partner
  const allowed = maySee(partner, 'finance')
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const query = useQuery(trpc.documents.partnerAddress.queryOptions({ slug }, { enabled: allowed }))
  const save = useMutation(
    trpc.documents.setPartnerAddress.mutationOptions({
      onSuccess: (saved) =>
        queryClient.setQueryData(trpc.documents.partnerAddress.queryKey({ slug }), saved),
    }),
  )
  if (!allowed) return null
  return (
    <>
      <QueryState query={query} loading={a('loading')} failed={a('loadFailed')} />
      {query.data && (
        <AddressPanel
          on="statements"
          address={query.data.address}
          editable={mayDo(partner, 'manageStaff')}
          saving={save.isPending}
          onSave={(address) => save.mutateAsync({ slug, ...address })}
        />
      )}
    </>
  )
}

function SettingsPanel({ settings }: { settings: PartnerSettingsView }) {
  const partner = usePartner()
  const editable = mayDo(partner, 'manageCustomers')
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<PartnerSettingsValues>({
    initialValues: fromSettings(settings),
    validate: zodForm(PartnerSettingsForm),
  })
  useFollowRecord(form, fromSettings(settings))
  const update = useMutation(
    trpc.partners.updateSettings.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.partners.settings.queryKey({ slug: partner.slug }), saved)
        form.setInitialValues(fromSettings(saved))
        form.setValues(fromSettings(saved))
        done(t('saved'))
      },
      onError: (error) => {
        if (!showRejection(form, error)) setUnplaced(error)
      },
    }),
  )

  function submit(values: PartnerSettingsValues) {
    const changes = changesOf(partner.slug, settings, values)
    setUnplaced(undefined)
    if (!changes) return form.reset()
    update.mutate(changes)
  }

  return (
    <Panel title={t('form.title')}>
      <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
        <Stack>
          <Fieldset legend={t('form.support')} disabled={!editable}>
            <Stack>
              <TextInput
                label={t('form.email')}
                type="email"
                autoComplete="off"
                maxLength={254}
                {...form.getInputProps('supportEmail')}
              />
              <TextInput
                label={t('form.phone')}
                type="tel"
                autoComplete="off"
                maxLength={32}
                {...form.getInputProps('supportPhone')}
              />
              <TextInput
                label={t('form.url')}
                type="url"
                placeholder="https://help.example.com"
                autoComplete="off"
                maxLength={500}
                {...form.getInputProps('supportUrl')}
              />
            </Stack>
          </Fieldset>
          <Fieldset legend={t('form.newCustomers')} disabled={!editable}>
            <Stack>
              <NativeSelect
                label={t('form.plan')}
                description={t('form.planHint')}
                data={plans.map((plan) => ({ value: plan, label: labels(`plans.${plan}`) }))}
                {...form.getInputProps('defaultPlan')}
              />
              <NumberInput
                label={t('form.seats')}
                min={0}
                max={1_000_000}
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps('defaultSeats')}
              />
            </Stack>
          </Fieldset>
          <Fieldset legend={t('form.notices')} disabled={!editable}>
            <TextInput
              label={t('form.email')}
              description={
                partner.contactInfo.email
                  ? t('form.noticeEmailHint', { address: partner.contactInfo.email })
                  : t('form.noticeEmailOfContact')
              }
              type="email"
              autoComplete="off"
              maxLength={254}
              {...form.getInputProps('noticeEmail')}
            />
          </Fieldset>
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
  )
}

/** What the operator of the platform keeps about the partner. */
function RecordPanel() {
  const partner = usePartner()
  const { contactInfo, billingInfo, nextMargin } = partner
  return (
    <Panel title={t('record.title')} description={t('record.description')}>
      <DetailList>
        <DetailItem label={t('record.name')}>{partner.name}</DetailItem>
        <DetailItem label={t('record.domain')}>{partner.domain}</DetailItem>
        <DetailItem label={t('record.contact')}>
          {[contactInfo.name, contactInfo.email, contactInfo.phone].filter(Boolean).join(', ')}
        </DetailItem>
        <DetailItem label={t('record.invoicedAs')}>
          {[billingInfo.company, billingInfo.country].filter(Boolean).join(', ')}
        </DetailItem>
        <DetailItem label={t('record.vatNumber')}>{billingInfo.vatNumber}</DetailItem>
        {maySee(partner, 'finance') && (
          <DetailItem label={t('record.margin')}>
            {nextMargin
              ? t('record.marginThen', {
                  now: formatPercent(partner.marginPct ?? 0),
                  next: formatPercent(nextMargin.marginPct),
                  day: formatDay(nextMargin.effectiveFrom),
                })
              : formatPercent(partner.marginPct ?? 0)}
          </DetailItem>
        )}
      </DetailList>
    </Panel>
  )
}
