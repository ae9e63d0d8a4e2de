import {
  type SubscriptionView,
  subscriptionStatus,
  UpdateSubscription,
} from '@atrium/core/billing/subscriptions'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { subscriptionStatusMeta } from '@atrium/ui/subscription-status-meta'
import { Alert, Button, Select, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconInfoCircle, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { showRejection } from '../parts/validation.ts'
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

const t = translations('operator.subscriptions')

interface Props {
  subscription: SubscriptionView
}

/** A correction by an operator. It applies immediately, to a manual one without proration. */
export function EditSubscription({ subscription }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={17} aria-hidden />} onClick={open}>
        {t('edit.action')}
      </Button>
      <SideDrawer
        opened={opened}
        onClose={close}
        title={t('page.of', { tenant: subscription.tenantName })}
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
          done(t('edit.done', { tenant: saved.tenantName }))
        },
        onError: (error) => showRejection(form, error, inputOf),
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
          {t(manual ? 'edit.effectManual' : 'edit.effectStripe')}
        </Alert>
        <FormFooter
          error={update.error}
          message={conflict ? t('edit.conflict') : undefined}
          submitLabel={t('edit.submit')}
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
        label={t('form.status')}
        data={choices}
        allowDeselect={false}
        withScrollArea={false}
        {...form.getInputProps('status')}
        onChange={(value) => form.setFieldValue('status', subscriptionStatus.parse(value))}
      />
      {form.values.status === 'trialing' && (
        <TextInput
          label={t('form.trialEnd')}
          type="datetime-local"
          {...form.getInputProps('trialEnd')}
        />
      )}
    </>
  )
}
