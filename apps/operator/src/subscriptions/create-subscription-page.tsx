import { CreateSubscription, subscriptionSource } from '@atrium/core/billing/subscriptions'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { Autocomplete, Box, NumberInput, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { useTRPC } from '../trpc.ts'
import { useCreateSubscription } from './mutations.ts'
import { PlanFields, PricingFields } from './subscription-fields.tsx'
import {
  emptySubscription,
  inputOf,
  type SubscriptionForm,
  toCreateSubscription,
  validateSubscription,
} from './subscription-form.ts'

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
          done(`${made.tenantName} is subscribed.`)
          void navigate({ to: '/subscriptions/$id', params: { id: made.id } })
        },
        onError: (error) => {
          const rejected = Object.entries(fieldErrors(problemOf(error))).map(([path, message]) => [
            inputOf(path),
            message,
          ])
          form.setErrors(Object.fromEntries(rejected))
          focusFirstError(Object.fromEntries(rejected))
        },
      }),
    focusFirstError,
  )
  return (
    <>
      <PageHeader
        title="New subscription"
        description="Plan and seats of the tenant follow it from then on."
      />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title="For whom">
            <Stack>
              <TenantInput form={form} />
              <Radio.Group
                label="Kept by"
                value={source}
                onChange={(value) => form.setFieldValue('source', subscriptionSource.parse(value))}
              >
                <Stack gap="xs" mt={6}>
                  <Radio
                    value="manual"
                    label="Us alone"
                    description="Nothing is charged. For tenants that pay an invoice of ours."
                  />
                  <Radio
                    value="stripe"
                    label="Stripe"
                    description="Charged to the tenant's card. Without one it waits for its payment."
                  />
                </Stack>
              </Radio.Group>
            </Stack>
          </Panel>
          <Panel title="Plan">
            <PlanFields form={form} />
          </Panel>
          <Panel title="Price">
            <Stack>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput
                  label="Currency"
                  maxLength={3}
                  autoComplete="off"
                  spellCheck={false}
                  styles={{ input: { textTransform: 'uppercase' } }}
                  {...form.getInputProps('currency')}
                />
                <NumberInput
                  label="Trial"
                  min={0}
                  max={730}
                  allowDecimal={false}
                  suffix=" days"
                  {...form.getInputProps('trialDays')}
                />
              </SimpleGrid>
              {source === 'manual' && (
                <>
                  <PricingFields form={form} />
                  <TextInput
                    label="Began"
                    description="Now when it is empty. An earlier moment counts in the reports of that time."
                    type="datetime-local"
                    {...form.getInputProps('startAt')}
                  />
                </>
              )}
            </Stack>
          </Panel>
          <FormFooter
            error={create.error}
            submitLabel="Make subscription"
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/subscriptions' })}
          />
        </Stack>
      </Box>
    </>
  )
}

const suggested = 8

/** The slug of a tenant, suggested while it is typed. */
function TenantInput({ form }: { form: UseFormReturnType<SubscriptionForm> }) {
  const [q] = useDebouncedValue(form.values.tenantSlug.trim(), 250)
  const tenants = useQuery(
    useTRPC().tenants.list.queryOptions(
      { q, limit: suggested },
      { enabled: q !== '', placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  const found = q === '' ? [] : (tenants.data?.items ?? [])
  return (
    <Autocomplete
      label="Tenant"
      placeholder="Slug of a tenant"
      autoCapitalize="none"
      spellCheck={false}
      withScrollArea={false}
      data={found.map(({ slug }) => slug)}
      filter={({ options }) => options}
      renderOption={({ option }) =>
        `${option.value} · ${found.find(({ slug }) => slug === option.value)?.name ?? ''}`
      }
      {...form.getInputProps('tenantSlug')}
    />
  )
}
