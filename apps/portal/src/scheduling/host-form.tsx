import { CreateHost, type HostView } from '@atrium/core/scheduling/hosts'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { zodForm } from '@atrium/ui/zod-form'
import {
  Fieldset,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useUpdateHost } from './host-mutations.ts'
import { ZoneSelect } from './zone-select.tsx'

const t = translations('portal.scheduling-hosts')

type Count = number | ''

interface Values {
  name: string
  title: string
  description: string
  avatarUrl: string
  hostSlug: string
  zone: string
  mailAddress: string
  listed: boolean
  enabled: boolean
  limits: { day: Count; week: Count; month: Count }
}

const count = (limit: number | null): Count => limit ?? ''

function valuesOf(host: HostView): Values {
  return {
    name: host.name,
    title: host.title ?? '',
    description: host.description ?? '',
    avatarUrl: host.avatarUrl ?? '',
    hostSlug: host.slug,
    zone: host.zone,
    mailAddress: host.mailAddress,
    listed: host.listed,
    enabled: host.enabled,
    limits: {
      day: count(host.limits.day),
      week: count(host.limits.week),
      month: count(host.limits.month),
    },
  }
}

const check = zodForm(
  CreateHost.pick({
    title: true,
    description: true,
    avatarUrl: true,
    zone: true,
    listed: true,
    limits: true,
  }).extend({
    name: CreateHost.shape.name.unwrap(),
    hostSlug: CreateHost.shape.hostSlug.unwrap(),
    mailAddress: CreateHost.shape.mailAddress.unwrap(),
  }),
)
const limitOf = (value: Count) => (value === '' ? null : value)
const textOf = (value: string) => (value.trim() === '' ? null : value)

/** What visitors read of a host, and how many bookings the host takes. */
export function HostForm({ host }: { host: HostView }) {
  const { slug } = useTenant()
  const update = useUpdateHost(slug)
  const [rejected, setRejected] = useState<unknown>()
  const form = useForm<Values>({
    initialValues: valuesOf(host),
    validate: ({ enabled: _, ...values }) => check(values),
  })

  function submit({ title, description, avatarUrl, limits, ...values }: Values) {
    setRejected(undefined)
    update.mutate(
      {
        ...values,
        slug,
        hostId: host.id,
        version: host.version,
        title: textOf(title),
        description: textOf(description),
        avatarUrl: textOf(avatarUrl),
        limits: {
          day: limitOf(limits.day),
          week: limitOf(limits.week),
          month: limitOf(limits.month),
        },
      },
      {
        onSuccess: () => done(t('form.saved')),
        onError: (error) => {
          if (!showRejection(form, error)) setRejected(error)
        },
      },
    )
  }

  const most = {
    min: 1,
    max: schedulingLimits.bookingsPerPeriod,
    allowDecimal: false,
    placeholder: t('form.noLimit'),
  }
  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput
          label={t('form.name')}
          required
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <TextInput label={t('form.jobTitle')} maxLength={100} {...form.getInputProps('title')} />
        <Textarea
          label={t('form.about')}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={2_000}
          {...form.getInputProps('description')}
        />
        <TextInput
          label={t('form.picture')}
          description={t('form.pictureHint')}
          type="url"
          {...form.getInputProps('avatarUrl')}
        />
        <TextInput
          label={t('form.slug')}
          description={t('form.slugHint')}
          required
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('hostSlug')}
        />
        <ZoneSelect
          label={t('form.zone')}
          description={t('form.zoneHint')}
          value={form.values.zone}
          onChange={(zone) => form.setFieldValue('zone', zone)}
          error={form.errors.zone}
        />
        <TextInput
          label={t('form.mailAddress')}
          description={t('form.mailAddressHint')}
          type="email"
          required
          {...form.getInputProps('mailAddress')}
        />
        <Fieldset legend={t('form.most')}>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
            <NumberInput label={t('form.perDay')} {...most} {...form.getInputProps('limits.day')} />
            <NumberInput
              label={t('form.perWeek')}
              {...most}
              {...form.getInputProps('limits.week')}
            />
            <NumberInput
              label={t('form.perMonth')}
              {...most}
              {...form.getInputProps('limits.month')}
            />
          </SimpleGrid>
        </Fieldset>
        <Switch
          label={t('form.listed')}
          description={t('form.listedHint')}
          {...form.getInputProps('listed', { type: 'checkbox' })}
        />
        <Switch
          label={t('form.enabled')}
          description={t('form.enabledHint')}
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        {rejected !== undefined && (
          <ProblemAlert title={t('form.failed')} error={rejected} message={explain(rejected)} />
        )}
        <SaveButtons
          label={t('form.save')}
          saving={update.isPending}
          dirty={form.isDirty()}
          onDiscard={form.reset}
        />
      </Stack>
    </form>
  )
}
