import { CreateHost, type HostView } from '@atrium/core/scheduling/hosts'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { withoutBlanks, zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useProfile } from '../profile/use-profile.ts'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { mayChange } from '../tenants/roles.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { useCreateHost } from './host-mutations.ts'
import { ownZone, ZoneSelect } from './zone-select.tsx'

interface Props {
  onClose: () => void
  onCreated: (host: HostView) => void
}

/** Makes a member a host: admins choose whom, everybody else becomes one. */
export default function AddHostDialog({ onClose, onCreated }: Props) {
  const tenant = useTenant()
  const trpc = useTRPC()
  const members = useQuery(trpc.tenants.users.queryOptions({ slug: tenant.slug, limit: 200 }))
  const hosts = useQuery(trpc.scheduling.hosts.list.queryOptions({ slug: tenant.slug }))
  const { me } = useProfile()
  const taken = new Set(hosts.data?.items.map(({ userId }) => userId))
  const choices = members.data?.items.filter(
    ({ id, status }) =>
      !taken.has(id) &&
      (status === 'active' || status === 'provisioning') &&
      (mayChange(tenant) || id === me.id),
  )
  return (
    <Modal
      opened
      onClose={onClose}
      title={mayChange(tenant) ? 'Add a host' : 'Become a host'}
      size="md"
      closeOnClickOutside={false}
    >
      {members.error ? (
        <ErrorState
          title="The members could not be loaded."
          error={members.error}
          onRetry={() => void members.refetch()}
        />
      ) : !choices ? (
        <LoadingRows label="Loading members" rows={3} />
      ) : choices.length === 0 ? (
        <Text>Everybody who can be a host is one already. Add a member first.</Text>
      ) : (
        <AddHostForm people={choices} onClose={onClose} onCreated={onCreated} />
      )}
    </Modal>
  )
}

interface Person {
  id: string
  name: string
  email: string
  mailboxAddress: string | null
}

const check = zodForm(CreateHost.pick({ userId: true, zone: true, title: true, mailAddress: true }))

function AddHostForm({ people, onClose, onCreated }: Props & { people: readonly Person[] }) {
  const { slug } = useTenant()
  const { me } = useProfile()
  const create = useCreateHost(slug)
  const [refused, setRejected] = useState<unknown>()
  const first = people.find(({ id }) => id === me.id) ?? people[0]
  const form = useForm({
    initialValues: { userId: first?.id ?? '', zone: ownZone(), title: '', mailAddress: '' },
    validate: check,
  })
  const person = people.find(({ id }) => id === form.values.userId)

  function submit({ userId, zone, ...rest }: typeof form.values) {
    setRejected(undefined)
    create.mutate(
      { slug, userId, zone, ...withoutBlanks(rest) },
      {
        onSuccess: onCreated,
        onError: (error) => {
          if (
            !showRejection(form, error, {
              name: 'userId',
              codes: ['already_exists', 'member_not_active'],
            })
          )
            setRejected(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        {people.length > 1 ? (
          <Select
            label="Member"
            required
            searchable
            allowDeselect={false}
            data-autofocus
            data={people.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))}
            comboboxProps={{ withinPortal: false }}
            {...form.getInputProps('userId')}
          />
        ) : (
          <Text>{first?.name} can be booked by visitors from then on.</Text>
        )}
        <TextInput
          label="Title"
          description="Stands under the name on the booking page: Head of support."
          maxLength={100}
          {...form.getInputProps('title')}
        />
        {person && person.mailboxAddress === null && (
          <TextInput
            label="Mail address"
            description="The member has no mailbox here, so name the one whose calendar is to be used. It stands in invitations."
            type="email"
            required
            {...form.getInputProps('mailAddress')}
          />
        )}
        <ZoneSelect
          label="Time zone"
          description="Working hours, Monday to Friday 9:00 to 17:00 to begin with, are read in it."
          required
          value={form.values.zone}
          onChange={(zone) => form.setFieldValue('zone', zone)}
          error={form.errors.zone}
        />
        {refused !== undefined && (
          <ProblemAlert
            title="The host was not added."
            error={refused}
            message={explain(refused)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Add host
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
