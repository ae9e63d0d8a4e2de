import { plans } from '@atrium/core/billing/plans'
import type { PartnerSettingsView } from '@atrium/core/partners/partners'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
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

const labels = translations('ui.labels')

/** How the partner is reached, and what its new customers begin with. */
export function PartnerSettingsPage() {
  const partner = usePartner()
  const trpc = useTRPC()
  const query = useQuery(trpc.partners.settings.queryOptions({ slug: partner.slug }))
  return (
    <>
      <PageHeader
        title="Partner settings"
        tabTitle={`Settings of ${partner.name}`}
        description="How you work with your customers."
      />
      {query.isPending && <LoadingRows label="Loading the settings" />}
      {query.error && (
        <ErrorState
          title="The settings could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <SettingsPanel settings={query.data} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <RecordPanel />
          </Grid.Col>
        </Grid>
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
        done('The settings are saved.')
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
    <Panel title="Settings">
      <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
        <Stack>
          <Fieldset legend="Support for your customers" disabled={!editable}>
            <Stack>
              <TextInput
                label="E-mail"
                type="email"
                autoComplete="off"
                maxLength={254}
                {...form.getInputProps('supportEmail')}
              />
              <TextInput
                label="Phone"
                type="tel"
                autoComplete="off"
                maxLength={32}
                {...form.getInputProps('supportPhone')}
              />
              <TextInput
                label="Web page"
                type="url"
                placeholder="https://help.example.com"
                autoComplete="off"
                maxLength={500}
                {...form.getInputProps('supportUrl')}
              />
            </Stack>
          </Fieldset>
          <Fieldset legend="New customers" disabled={!editable}>
            <Stack>
              <NativeSelect
                label="Plan"
                description="When your staff choose none."
                data={plans.map((plan) => ({ value: plan, label: labels(`plans.${plan}`) }))}
                {...form.getInputProps('defaultPlan')}
              />
              <NumberInput
                label="Seats"
                min={0}
                max={1_000_000}
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps('defaultSeats')}
              />
            </Stack>
          </Fieldset>
          <Fieldset legend="Mails to you" disabled={!editable}>
            <TextInput
              label="E-mail"
              description={`Empty: ${partner.contactInfo.email ?? 'the address of your contact'}.`}
              type="email"
              autoComplete="off"
              maxLength={254}
              {...form.getInputProps('noticeEmail')}
            />
          </Fieldset>
          {unplaced !== undefined && (
            <ProblemAlert
              title="The settings were not saved."
              error={unplaced}
              message={explain(unplaced)}
            />
          )}
          {editable && (
            <SaveButtons
              label="Save settings"
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
    <Panel
      title="Your record"
      description="Kept by the operator of the platform, who changes it for you."
    >
      <DetailList>
        <DetailItem label="Name">{partner.name}</DetailItem>
        <DetailItem label="Domain">{partner.domain}</DetailItem>
        <DetailItem label="Contact">
          {[contactInfo.name, contactInfo.email, contactInfo.phone].filter(Boolean).join(', ')}
        </DetailItem>
        <DetailItem label="Invoiced as">
          {[billingInfo.company, billingInfo.country].filter(Boolean).join(', ')}
        </DetailItem>
        <DetailItem label="VAT number">{billingInfo.vatNumber}</DetailItem>
        {maySee(partner, 'finance') && (
          <DetailItem label="Margin">
            {`${partner.marginPct ?? 0} %`}
            {nextMargin && `, ${nextMargin.marginPct} % from ${nextMargin.effectiveFrom}`}
          </DetailItem>
        )}
      </DetailList>
    </Panel>
  )
}
