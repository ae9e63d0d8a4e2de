import {
  type SubscriptionView,
  subscriptionStatus,
  UpdateSubscription,
} from '@atrium/core/billing/subscriptions'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { subscriptionStatusMeta } from '@atrium/ui/subscription-status-meta'
import { Alert, Button, Select, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconInfoCircle, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { useUpdateSubscription } from './mutations.ts'
import { PlanFields, PricingFields } from './subscription-fields.tsx'
import {
  changesSubscription,
  inputOf,
  reachableStatuses,
  type SubscriptionForm,
  toSubscriptionForm,
  toUpdateSubscription,
  validateSubscription,
} from './subscription-form.ts'

interface Props {
  subscription: SubscriptionView
}

/** A correction by an operator: at once, and for a manual one without any proration. */
export function EditSubscription({ subscription }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={17} aria-hidden />} onClick={open}>
        Change
      </Button>
      <SideDrawer
        opened={opened}
        onClose={close}
        title={`Subscription of ${subscription.tenantName}`}
        size="md"
      >
        {opened && <EditForm subscription={subscription} onClose={close} />}
      </SideDrawer>
    </>
  )
}

function EditForm({ subscription: current, onClose }: Props & { onClose: () => void }) {
  const [subscription] = useState(current)
  const update = useUpdateSubscription()
  const toInput = (values: SubscriptionForm) => toUpdateSubscription(subscription, values)
  const form = useForm<SubscriptionForm>({
    initialValues: toSubscriptionForm(subscription),
    validate: validateSubscription(UpdateSubscription, toInput),
  })
  const manual = subscription.source === 'manual'
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          onClose()
          done(`The subscription of ${saved.tenantName} is changed.`)
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
  const conflict = update.error !== null && problemOf(update.error).code === 'version_conflict'
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <PlanFields form={form} />
        {manual && <PricingFields form={form} />}
        {manual && <StatusFields form={form} subscription={subscription} />}
        <Alert icon={<IconInfoCircle aria-hidden />}>
          {manual
            ? 'Takes effect immediately. Nothing is charged or refunded.'
            : 'Takes effect immediately. The next invoice includes the charge or credit for the rest of the period.'}
        </Alert>
        <FormFooter
          error={update.error}
          message={
            conflict
              ? 'It was changed meanwhile. Cancel, look at it, and make your change again.'
              : undefined
          }
          submitLabel="Save changes"
          pending={update.isPending}
          disabled={!changesSubscription(subscription, form.values)}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

function StatusFields({
  form,
  subscription,
}: Props & { form: UseFormReturnType<SubscriptionForm> }) {
  const choices = reachableStatuses(subscription).map((value) => ({
    value,
    label: subscriptionStatusMeta(value).label,
  }))
  return (
    <>
      <Select
        label="Status"
        data={choices}
        allowDeselect={false}
        withScrollArea={false}
        {...form.getInputProps('status')}
        onChange={(value) => form.setFieldValue('status', subscriptionStatus.parse(value))}
      />
      {form.values.status === 'trialing' && (
        <TextInput
          label="The trial ends"
          type="datetime-local"
          {...form.getInputProps('trialEnd')}
        />
      )}
    </>
  )
}
