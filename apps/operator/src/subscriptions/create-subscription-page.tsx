import {
  CreateSubscription,
  subscriptionSource,
  subscriptionSources,
} from '@atrium/core/billing/subscriptions'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { Autocomplete, Box, NumberInput, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { useTenantSuggestions } from '../parts/tenant-suggestions.ts'
import { showRejection } from '../parts/validation.ts'
import { useCreateSubscription } from './mutations.ts'
import { PlanFields, PricingFields } from './subscription-fields.tsx'
import {
  emptySubscription,
  inputOf,
  type SubscriptionForm,
  toCreateSubscription,
  validateSubscription,
} from './subscription-form.ts'

const t = translations('operator.subscriptions')

const route = getRouteApi('/authenticated/subscriptions/new')

export const Route = createLazyRoute('/authenticated/subscriptions/new')({
  component: CreateSubscriptionPage,
})

function CreateSubscriptionPage() {
  const navigate = route.useNavigate()
  const { tenantSlug = '' } = route.useSearch()
  const create = useCreateSubscription()
  const form = useForm<SubscriptionForm>({
    initialValues: emptySubscription(tenantSlug),
    validate: validateSubscription(CreateSubscription, toCreateSubscription),
  })
  const { source } = form.values
  const send = form.onSubmit(
    (values) =>
      create.mutate(toCreateSubscription(values), {
        onSuccess: (made) => {
          done(t('create.done', { tenant: made.tenantName }))
          void navigate({ to: '/subscriptions/$id', params: { id: made.id } })
        },
        onError: (error) => showRejection(form, error, inputOf),
      }),
    focusFirstError,
  )
  return (
    <>
      <PageHeader title={t('new')} description={t('create.description')} />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title={t('create.for')}>
            <Stack>
              <TenantInput form={form} />
              <Radio.Group
                label={t('sources.label')}
                value={source}
                onChange={(value) => form.setFieldValue('source', subscriptionSource.parse(value))}
              >
                <Stack gap="xs" mt={6}>
                  {subscriptionSources.map((value) => (
                    <Radio
                      key={value}
                      value={value}
                      label={t(`sources.${value}.name`)}
                      description={t(`sources.${value}.hint`)}
                    />
                  ))}
                </Stack>
              </Radio.Group>
            </Stack>
          </Panel>
          <Panel title={t('create.plan')}>
            <PlanFields form={form} />
          </Panel>
          <Panel title={t('create.price')}>
            <Stack>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput
                  label={t('create.currency')}
                  maxLength={3}
                  autoComplete="off"
                  spellCheck={false}
                  styles={{ input: { textTransform: 'uppercase' } }}
                  {...form.getInputProps('currency')}
                />
                <NumberInput
                  label={t('create.trial')}
                  min={0}
                  max={730}
                  allowDecimal={false}
                  suffix={` ${t('create.days')}`}
                  {...form.getInputProps('trialDays')}
                />
              </SimpleGrid>
              {source === 'manual' && (
                <>
                  <PricingFields form={form} />
                  <TextInput
                    label={t('create.start')}
                    description={t('create.startHint')}
                    type="datetime-local"
                    {...form.getInputProps('startAt')}
                  />
                </>
              )}
            </Stack>
          </Panel>
          <FormFooter
            error={create.error}
            submitLabel={t('create.submit')}
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/subscriptions' })}
          />
        </Stack>
      </Box>
    </>
  )
}

/** The slug of a tenant, suggested while it is typed. */
function TenantInput({ form }: { form: UseFormReturnType<SubscriptionForm> }) {
  const found = useTenantSuggestions(form.values.tenantSlug)
  return (
    <Autocomplete
      label={t('create.tenant')}
      placeholder={t('create.tenantPlaceholder')}
      autoCapitalize="none"
      spellCheck={false}
      withScrollArea={false}
      data={found.map(({ slug }) => slug)}
      filter={({ options }) => options}
      renderOption={({ option }) =>
        t('create.tenantOption', {
          slug: option.value,
          name: found.find(({ slug }) => slug === option.value)?.name ?? '',
        })
      }
      {...form.getInputProps('tenantSlug')}
    />
  )
}
