import { plans } from '@atrium/core/billing/plans'
import { CreatePrice } from '@atrium/core/billing/prices'
import { billingCycle, billingCycles } from '@atrium/core/billing/subscriptions'
import { plan as planOf } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import { Box, Input, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { useCreatePrice } from './mutations.ts'
import { AmountFields, TermsFields } from './price-fields.tsx'
import { emptyPrice, inputOf, type PriceForm, toCreatePrice, validatePrice } from './price-form.ts'

export const Route = createLazyRoute('/authenticated/prices/new')({ component: CreatePricePage })

const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const cycleChoices = () => billingCycles.map((value) => ({ value, label: cycleName(value) }))

/** Always a draft at first: what goes on sale is looked at once more. */
function CreatePricePage() {
  const navigate = useNavigate()
  const create = useCreatePrice()
  const cycleLabel = useId()
  const form = useForm<PriceForm>({
    initialValues: emptyPrice(),
    validate: validatePrice(CreatePrice, (values) => toCreatePrice(values, 'draft')),
  })
  const send = form.onSubmit(
    (values) =>
      create.mutate(toCreatePrice(values, 'draft'), {
        onSuccess: (price) => {
          done('The draft is saved. Put it on sale when it is right.')
          void navigate({ to: '/prices/$id', params: { id: price.id } })
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
        title="New price"
        description="A draft: nobody can buy it until you put it on sale."
      />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title="What it is for">
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select
                label="Plan"
                data={planChoices()}
                allowDeselect={false}
                withScrollArea={false}
                value={form.values.plan}
                onChange={(value) => form.setFieldValue('plan', planOf.parse(value))}
              />
              <Input.Wrapper label="Cycle" labelProps={{ id: cycleLabel }} labelElement="div">
                <SegmentedControl
                  aria-labelledby={cycleLabel}
                  transitionDuration={0}
                  fullWidth
                  data={cycleChoices()}
                  value={form.values.cycle}
                  onChange={(value) => form.setFieldValue('cycle', billingCycle.parse(value))}
                />
              </Input.Wrapper>
            </SimpleGrid>
          </Panel>
          <Panel title="Amounts">
            <AmountFields form={form} />
          </Panel>
          <Panel title="Terms" description="Can be left as they are.">
            <TermsFields form={form} />
          </Panel>
          <FormFooter
            error={create.error}
            submitLabel="Save draft"
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/prices' })}
          />
        </Stack>
      </Box>
    </>
  )
}
