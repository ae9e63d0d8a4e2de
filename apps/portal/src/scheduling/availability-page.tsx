import type { HostView } from '@atrium/core/scheduling/hosts'
import type { ScheduleView } from '@atrium/core/scheduling/schedules'
import { EmptyState, ProblemAlert, QueryState } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconClock, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { ChosenHost, HostPicker } from './host-choice.tsx'
import { useCreateSchedule } from './offer-mutations.ts'
import { ScheduleEditor } from './schedule-editor.tsx'
import { type OffersSearch, readOffersSearch } from './search.ts'

const t = translations('portal.scheduling-availability')
const frame = translations('ui.frame')
const issues = translations('ui.issues')

/** When hosts can be booked: their schedules, with the hours of a week and single dates. */
export function AvailabilityPage() {
  const { slug, name, status } = useTenant()
  const router = useRouter()
  const search = readOffersSearch(useSearch({ strict: false }))
  const go = (next: OffersSearch) =>
    void router.navigate({ ...links.availability(slug, next), replace: true })
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: name })}
        description={t('description')}
      />
      <ChosenHost chosen={search.host}>
        {(host, hosts) => (
          <Schedules
            key={host.id}
            host={host}
            hosts={hosts}
            chosen={search.schedule}
            editable={status !== 'suspended' && status !== 'deleted'}
            onHost={(id) => go({ host: id })}
            onSchedule={(id) => go({ host: host.id, schedule: id })}
          />
        )}
      </ChosenHost>
    </>
  )
}

interface Props {
  host: HostView
  hosts: readonly HostView[]
  chosen: string | undefined
  editable: boolean
  onHost: (hostId: string) => void
  onSchedule: (scheduleId: string | undefined) => void
}

function Schedules({ host, hosts, chosen, editable, onHost, onSchedule }: Props) {
  const { slug } = useTenant()
  const query = useQuery(
    useTRPC().scheduling.schedules.list.queryOptions({ slug, hostId: host.id, limit: 50 }),
  )
  const [creating, { open, close }] = useDisclosure(false)
  const schedules = query.data?.items ?? []
  const shown =
    schedules.find(({ id }) => id === chosen) ??
    schedules.find(({ standard }) => standard) ??
    schedules[0]
  const create = editable && (
    <Button variant="default" leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      {t('create.open')}
    </Button>
  )
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="sm">
        <HostPicker host={host} hosts={hosts} onChange={onHost} />
        {shown && schedules.length > 1 && (
          <NativeSelect
            label={t('schedule')}
            data={schedules.map(({ id, name, standard }) => ({
              value: id,
              label: standard ? t('standardOption', { name }) : name,
            }))}
            value={shown.id}
            onChange={(event) => onSchedule(event.currentTarget.value)}
            w={{ base: '100%', xs: 240 }}
          />
        )}
        {shown && create}
      </Group>
      <QueryState query={query} loading={t('loading')} failed={t('failed')} rows={7} />
      {query.data && !shown && (
        <EmptyState
          icon={<IconClock size={32} stroke={1.5} aria-hidden />}
          title={t('empty.title')}
          action={create}
        >
          {t('empty.hint', { host: host.name })}
        </EmptyState>
      )}
      {shown && (
        // Again with every version, so that the form begins with what is stored.
        <ScheduleEditor
          key={`${shown.id} ${shown.version}`}
          schedule={shown}
          editable={editable}
          onRemoved={() => onSchedule(undefined)}
        />
      )}
      <Modal opened={creating} onClose={close} title={t('create.title')}>
        {creating && (
          <NewSchedule
            host={host}
            zone={shown?.timeZone ?? host.zone}
            onClose={close}
            onCreated={({ id }) => {
              close()
              onSchedule(id)
            }}
          />
        )}
      </Modal>
    </Stack>
  )
}

interface NewProps {
  host: HostView
  zone: string
  onClose: () => void
  onCreated: (schedule: ScheduleView) => void
}

function NewSchedule({ host, zone, onClose, onCreated }: NewProps) {
  const { slug } = useTenant()
  const create = useCreateSchedule()
  const [rejected, setRejected] = useState<unknown>()
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? issues('empty') : null) },
  })
  const work = () => [{ start: '09:00', end: '17:00' }]

  function submit({ name }: { name: string }) {
    setRejected(undefined)
    create.mutate(
      {
        slug,
        hostId: host.id,
        name,
        timeZone: zone,
        weekly: { mon: work(), tue: work(), wed: work(), thu: work(), fri: work() },
      },
      {
        onSuccess: onCreated,
        onError: (error) => {
          if (!showRejection(form, error)) setRejected(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <TextInput
          label={t('create.name')}
          description={t('create.nameHint')}
          placeholder={t('create.namePlaceholder')}
          required
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        {rejected !== undefined && (
          <ProblemAlert title={t('create.failed')} error={rejected} message={explain(rejected)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('create.button')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
