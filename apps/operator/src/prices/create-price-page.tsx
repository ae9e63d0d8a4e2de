import { plans } from '@atrium/core/billing/plans'
import { CreatePrice } from '@atrium/core/billing/prices'
import { billingCycle, billingCycles } from '@atrium/core/billing/subscriptions'
import { plan as planOf } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import { Box, Input, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { showRejection } from '../parts/validation.ts'
import { useCreatePrice } from './mutations.ts'
import { AmountFields, TermsFields } from './price-fields.tsx'
import { emptyPrice, inputOf, type PriceForm, toCreatePrice, validatePrice } from './price-form.ts'

const t = translations('operator.prices')

export const Route = createLazyRoute('/authenticated/prices/new')({ component: CreatePricePage })

const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const cycleChoices = () => billingCycles.map((value) => ({ value, label: cycleName(value) }))

/** Creates a draft. Putting it on sale is a second step, so that it is reviewed once more. */
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
          done(t('create.done'))
          void navigate({ to: '/prices/$id', params: { id: price.id } })
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
          <Panel title={t('form.purpose')}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select
                label={t('form.plan')}
                data={planChoices()}
                allowDeselect={false}
                withScrollArea={false}
                value={form.values.plan}
                onChange={(value) => form.setFieldValue('plan', planOf.parse(value))}
              />
              <Input.Wrapper
                label={t('form.cycle')}
                labelProps={{ id: cycleLabel }}
                labelElement="div"
              >
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
          <Panel title={t('amounts.title')}>
            <AmountFields form={form} />
          </Panel>
          <Panel title={t('terms.title')} description={t('create.termsHint')}>
            <TermsFields form={form} />
          </Panel>
          <FormFooter
            error={create.error}
            submitLabel={t('create.submit')}
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/prices' })}
          />
        </Stack>
      </Box>
    </>
  )
}
