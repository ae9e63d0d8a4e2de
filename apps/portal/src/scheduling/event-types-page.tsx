import type { EventTypeView } from '@atrium/core/scheduling/event-types'
import type { HostView } from '@atrium/core/scheduling/hosts'
import { CopyValue } from '@atrium/ui/copy'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { failed } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
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
import { durationsText, locationName } from './time-text.ts'

const t = translations('portal.scheduling-event-types')

/** What visitors can book with a host. */
export function EventTypesPage() {
  const { slug, name } = useTenant()
  const router = useRouter()
  const { host: chosen } = readOffersSearch(useSearch({ strict: false }))
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: name })}
        description={t('description')}
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
      {t('create.button')}
    </Button>
  )
  return (
    <Stack gap="lg">
      <Group align="flex-end" justify="space-between" gap="sm">
        <HostPicker host={host} hosts={hosts} onChange={onHost} />
        {items.length > 0 && create}
      </Group>
      <QueryState query={query} loading={t('loading')} failed={t('failed')} />
      {query.data && items.length === 0 && (
        <EmptyState
          icon={<IconCalendarPlus size={32} stroke={1.5} aria-hidden />}
          title={t('empty.title')}
          action={create}
        >
          {t('empty.hint', { host: host.name })}
        </EmptyState>
      )}
      {items.length > 0 && (
        <ResponsiveTable
          caption={t('caption', { host: host.name })}
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
      header: t('columns.title'),
      primary: true,
      cell: (eventType) => (
        <Stack gap={2} align="flex-start">
          <LinkAnchor {...links.eventType(slug, eventType.id)} size="sm" fw={550} data-row-link>
            {eventType.title}
          </LinkAnchor>
          <Text size="sm" c="dimmed">
            {t('lengthAndPlace', {
              length: durationsText(eventType.durations),
              place: locationName(eventType.locationKind),
            })}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'hosts',
      header: t('columns.hosts'),
      cell: ({ assignment, hostIds, seats }) =>
        assignment === 'host'
          ? seats > 1
            ? t('places', { count: seats })
            : t('oneHost')
          : t('severalHosts', {
              assignment: t(`assignments.${assignment}`),
              count: hostIds.length,
            }),
    },
    {
      key: 'link',
      header: t('columns.link'),
      cell: ({ publicUrl, title }) =>
        publicUrl === null ? (
          <Text size="sm" c="dimmed">
            {t('noLink')}
          </Text>
        ) : (
          <CopyValue label={t('linkOf', { title })} hideLabel value={publicUrl} />
        ),
    },
    {
      key: 'state',
      header: t('columns.bookable'),
      cell: (eventType) => <ActiveSwitch eventType={eventType} editable={editable} />,
    },
    {
      key: 'actions',
      header: t('columns.actions'),
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
        aria-label={t('switch', { title })}
        checked={update.isPending ? !active : active}
        disabled={!editable || update.isPending}
        onChange={() =>
          update.mutate(
            { slug, eventTypeId: id, version, active: !active },
            {
              onError: (error) =>
                failed(t('notChanged', { title }), explain(error) ?? problemOf(error).message),
            },
          )
        }
      />
      {active && !listed && <StatusBadge {...stateMeta('unlisted')} />}
    </Group>
  )
}
