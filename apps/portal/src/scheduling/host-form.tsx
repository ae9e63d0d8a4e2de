import { CreateHost, type HostView } from '@atrium/core/scheduling/hosts'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
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
  const [refused, setRejected] = useState<unknown>()
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
        onSuccess: () => done('The host is saved.'),
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
    placeholder: 'Any number',
  }
  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput label="Name" required maxLength={100} {...form.getInputProps('name')} />
        <TextInput label="Title" maxLength={100} {...form.getInputProps('title')} />
        <Textarea
          label="About"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={2_000}
          {...form.getInputProps('description')}
        />
        <TextInput
          label="Picture"
          description="Address of an image, https."
          type="url"
          {...form.getInputProps('avatarUrl')}
        />
        <TextInput
          label="Address of the page"
          description="The last part of the public link. Links that were given out before stop working."
          required
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('hostSlug')}
        />
        <ZoneSelect
          label="Time zone"
          description="What the host's clock shows. Working hours have a zone of their own, under Availability."
          value={form.values.zone}
          onChange={(zone) => form.setFieldValue('zone', zone)}
          error={form.errors.zone}
        />
        <TextInput
          label="Mail address"
          description="Stands as the organizer in invitations."
          type="email"
          required
          {...form.getInputProps('mailAddress')}
        />
        <Fieldset legend="Most bookings, over all event types">
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
            <NumberInput label="In a day" {...most} {...form.getInputProps('limits.day')} />
            <NumberInput label="In a week" {...most} {...form.getInputProps('limits.week')} />
            <NumberInput label="In a month" {...most} {...form.getInputProps('limits.month')} />
          </SimpleGrid>
        </Fieldset>
        <Switch
          label="In the list of hosts"
          description="Off: only who has the link finds the page."
          {...form.getInputProps('listed', { type: 'checkbox' })}
        />
        <Switch
          label="Can be booked"
          description="Off: the page is not there for visitors. Bookings that were made stay."
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        {refused !== undefined && (
          <ProblemAlert
            title="The host was not saved."
            error={refused}
            message={explain(refused)}
          />
        )}
        <SaveButtons
          label="Save changes"
          saving={update.isPending}
          dirty={form.isDirty()}
          onDiscard={form.reset}
        />
      </Stack>
    </form>
  )
}
