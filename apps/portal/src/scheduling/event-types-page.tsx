import type { EventTypeView } from '@atrium/core/scheduling/event-types'
import type { HostView } from '@atrium/core/scheduling/hosts'
import { CopyValue } from '@atrium/ui/copy'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { failed } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCalendarPlus, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { CreateEventTypeDialog } from './create-event-type-dialog.tsx'
import { EventTypeActions } from './event-type-actions.tsx'
import { stateMeta } from './event-type-status-meta.ts'
import { ChosenHost, HostPicker } from './host-choice.tsx'
import { useUpdateEventType } from './offer-mutations.ts'
import { readOffersSearch } from './search.ts'
import { assignmentNames, durationsText, locationNames } from './time-text.ts'

/** What visitors can book with a host. */
export function EventTypesPage() {
  const { slug, name } = useTenant()
  const router = useRouter()
  const { host: chosen } = readOffersSearch(useSearch({ strict: false }))
  return (
    <>
      <PageHeader
        title="Event types"
        tabTitle={`Event types of ${name}`}
        description="What visitors can book: how long it takes, where you meet and when it is offered."
      />
      <ChosenHost chosen={chosen}>
        {(host, hosts) => (
          <EventTypes
            host={host}
            hosts={hosts}
            onHost={(id) =>
              void router.navigate({ ...links.eventTypes(slug, { host: id }), replace: true })
            }
          />
        )}
      </ChosenHost>
    </>
  )
}

interface Props {
  host: HostView
  hosts: readonly HostView[]
  onHost: (hostId: string) => void
}

function EventTypes({ host, hosts, onHost }: Props) {
  const { slug, status } = useTenant()
  const router = useRouter()
  const query = useQuery(
    useTRPC().scheduling.eventTypes.list.queryOptions({ slug, hostId: host.id, limit: 200 }),
  )
  const [creating, { open, close }] = useDisclosure(false)
  const editable = status !== 'suspended' && status !== 'deleted'
  const items = query.data?.items ?? []
  const create = editable && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      Create event type
    </Button>
  )
  return (
    <Stack gap="lg">
      <Group align="flex-end" justify="space-between" gap="sm">
        <HostPicker host={host} hosts={hosts} onChange={onHost} />
        {items.length > 0 && create}
      </Group>
      {query.isPending && <LoadingRows label="Loading event types" />}
      {query.error && (
        <ErrorState
          title="The event types could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && items.length === 0 && (
        <EmptyState
          icon={<IconCalendarPlus size={32} stroke={1.5} aria-hidden />}
          title="Nothing to book yet"
          action={create}
        >
          Create an event type for {host.name}, such as an introduction call of 30 minutes. It gets
          a link that you can pass on.
        </EmptyState>
      )}
      {items.length > 0 && (
        <ResponsiveTable
          caption={`Event types of ${host.name}`}
          columns={columnsOf(slug, editable)}
          rows={items}
          rowKey={({ id }) => id}
        />
      )}
      <CreateEventTypeDialog
        host={host}
        opened={creating}
        onClose={close}
        onCreated={({ id }) => {
          close()
          void router.navigate(links.eventType(slug, id))
        }}
      />
    </Stack>
  )
}

function columnsOf(slug: string, editable: boolean): Column<EventTypeView>[] {
  return [
    {
      key: 'title',
      header: 'Event type',
      primary: true,
      cell: (eventType) => (
        <Stack gap={2} align="flex-start">
          <LinkAnchor {...links.eventType(slug, eventType.id)} size="sm" fw={550} data-row-link>
            {eventType.title}
          </LinkAnchor>
          <Text size="sm" c="dimmed">
            {durationsText(eventType.durations)} · {locationNames[eventType.locationKind]}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'hosts',
      header: 'Hosts',
      cell: ({ assignment, hostIds, seats }) =>
        assignment === 'host'
          ? seats > 1
            ? `${seats} places`
            : 'One'
          : `${assignmentNames[assignment]} (${hostIds.length})`,
    },
    {
      key: 'link',
      header: 'Link',
      cell: ({ publicUrl, title }) =>
        publicUrl === null ? (
          <Text size="sm" c="dimmed">
            No booking pages here
          </Text>
        ) : (
          <CopyValue label={`link of ${title}`} hideLabel value={publicUrl} />
        ),
    },
    {
      key: 'state',
      header: 'Bookable',
      cell: (eventType) => <ActiveSwitch eventType={eventType} editable={editable} />,
    },
    {
      key: 'acts',
      header: 'Acts',
      hideHeader: true,
      align: 'end',
      cell: (eventType) => editable && <EventTypeActions eventType={eventType} />,
    },
  ]
}

function ActiveSwitch({ eventType, editable }: { eventType: EventTypeView; editable: boolean }) {
  const { slug } = useTenant()
  const update = useUpdateEventType()
  const { id, version, title, active, listed } = eventType
  return (
    <Group gap="xs" wrap="nowrap">
      <Switch
        aria-label={`${title} can be booked`}
        checked={update.isPending ? !active : active}
        disabled={!editable || update.isPending}
        onChange={() =>
          update.mutate(
            { slug, eventTypeId: id, version, active: !active },
            {
              onError: (error) =>
                failed(`${title} was not changed.`, explain(error) ?? problemOf(error).message),
            },
          )
        }
      />
      {active && !listed && <StatusBadge {...stateMeta.unlisted} />}
    </Group>
  )
}
