import { CreateHost, type HostView } from '@atrium/core/scheduling/hosts'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.scheduling-hosts')
const frame = translations('ui.frame')

interface Props {
  onClose: () => void
  onCreated: (host: HostView) => void
}

/** Makes a member a host: admins choose whom, everyone else becomes one. */
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
      title={t(mayChange(tenant) ? 'add.title' : 'add.become')}
      size="md"
      closeOnClickOutside={false}
    >
      {members.error ? (
        <ErrorState
          title={t('add.membersFailed')}
          error={members.error}
          onRetry={() => void members.refetch()}
        />
      ) : !choices ? (
        <LoadingRows label={t('add.membersLoading')} rows={3} />
      ) : choices.length === 0 ? (
        <Text>{t('add.nobodyLeft')}</Text>
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
  const [rejected, setRejected] = useState<unknown>()
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
            label={t('add.member')}
            required
            searchable
            allowDeselect={false}
            data-autofocus
            data={people.map(({ id, name, email }) => ({
              value: id,
              label: t('add.memberOption', { name, email }),
            }))}
            comboboxProps={{ withinPortal: false }}
            {...form.getInputProps('userId')}
          />
        ) : (
          <Text>{t('add.effect', { name: first?.name ?? '' })}</Text>
        )}
        <TextInput
          label={t('add.jobTitle')}
          description={t('add.jobTitleHint')}
          maxLength={100}
          {...form.getInputProps('title')}
        />
        {person && person.mailboxAddress === null && (
          <TextInput
            label={t('add.mailAddress')}
            description={t('add.mailAddressHint')}
            type="email"
            required
            {...form.getInputProps('mailAddress')}
          />
        )}
        <ZoneSelect
          label={t('add.zone')}
          description={t('add.zoneHint')}
          required
          value={form.values.zone}
          onChange={(zone) => form.setFieldValue('zone', zone)}
          error={form.errors.zone}
        />
        {rejected !== undefined && (
          <ProblemAlert title={t('add.failed')} error={rejected} message={explain(rejected)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('add.button')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
