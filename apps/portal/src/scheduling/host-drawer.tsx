import type { HostView } from '@atrium/core/scheduling/hosts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { DrawerPart } from './drawer-part.tsx'
import { HostCalendar } from './host-calendar.tsx'
import { HostForm } from './host-form.tsx'
import { useRemoveHost } from './host-mutations.ts'
import { calendarMeta, hindrance } from './host-status-meta.ts'

interface Props {
  hostId: string
  onClose: () => void
}

/** One host: the calendar, the public page, what visitors read, and the removal. */
export default function HostDrawer({ hostId, onClose }: Props) {
  const { slug } = useTenant()
  const query = useQuery(useTRPC().scheduling.hosts.get.queryOptions({ slug, hostId }))
  return (
    <SideDrawer opened onClose={onClose} title={query.data?.name ?? 'Host'}>
      {query.isPending && <LoadingRows label="Loading the host" />}
      {query.error && (
        <ErrorState
          title="The host could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && !query.error && <Details host={query.data} onGone={onClose} />}
    </SideDrawer>
  )
}

function Details({ host, onGone }: { host: HostView; onGone: () => void }) {
  const { slug, status } = useTenant()
  const changing = host.mayEdit && status !== 'suspended' && status !== 'deleted'
  const against = hindrance(host)
  return (
    <>
      <Group gap="sm" mb="md">
        <StatusBadge {...calendarMeta(host)} />
        <Text size="sm" c="dimmed">
          {host.zone.replaceAll('_', ' ')}
        </Text>
      </Group>
      {against && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          mb="md"
          title="Cannot be booked at the moment"
        >
          {against}
        </Alert>
      )}
      <DrawerPart title="Public page">
        {host.publicUrl ? (
          <Stack gap="xs" align="flex-start">
            <CopyValue label="Link" value={host.publicUrl} hideLabel />
            <Anchor href={host.publicUrl} target="_blank" rel="noreferrer" size="sm">
              Open the page <IconExternalLink size={14} aria-hidden />
            </Anchor>
          </Stack>
        ) : (
          <Text size="sm">This installation has no booking pages.</Text>
        )}
      </DrawerPart>
      <DrawerPart title="Calendar">
        <HostCalendar host={host} changing={changing} />
      </DrawerPart>
      {changing ? (
        <DrawerPart title="What visitors read">
          {/* Keyed by the version, so that a change made elsewhere does not stay behind the form. */}
          <HostForm key={host.version} host={host} />
        </DrawerPart>
      ) : (
        <DetailList>
          <DetailItem label="Title">{host.title}</DetailItem>
          <DetailItem label="Mail address">{host.mailAddress}</DetailItem>
        </DetailList>
      )}
      <DrawerPart title="Bookings">
        <Text size="sm">
          <LinkAnchor {...links.bookings(slug, { host: host.id })}>
            {host.comingBookings === 1
              ? '1 booking to come'
              : `${formatCount(host.comingBookings)} bookings to come`}
          </LinkAnchor>
        </Text>
      </DrawerPart>
      {changing && (
        <DrawerPart title="Removal">
          <Removal host={host} onGone={onGone} />
        </DrawerPart>
      )}
    </>
  )
}

function Removal({ host, onGone }: { host: HostView; onGone: () => void }) {
  const { slug } = useTenant()
  const remove = useRemoveHost(slug)
  const [asking, { open, close }] = useDisclosure(false)
  const { comingBookings: coming } = host
  return (
    <>
      <Text size="sm" mb="sm">
        The host's event types go with it. Bookings that are over stay on record.
      </Text>
      <Button variant="light" color="red" onClick={open}>
        Remove host
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Remove ${host.name} as a host?`}
        confirmLabel={
          coming > 0
            ? `Cancel ${coming === 1 ? 'the booking' : `${coming} bookings`} and remove`
            : 'Remove host'
        }
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, hostId: host.id, cancelBookings: coming > 0 })
          onGone()
          done(`${host.name} is no longer a host.`)
        }}
      >
        <Stack gap="xs">
          <Text inherit>
            Nobody can book {host.name} any more, and the public page is gone. The person stays a
            member.
          </Text>
          {coming > 0 && (
            <Text inherit fw={600}>
              {coming === 1 ? 'The booking to come is' : `All ${coming} bookings to come are`}{' '}
              cancelled. The visitors are told by mail.
            </Text>
          )}
          {host.credential.source === 'minted' && (
            <Text inherit>The app password that was made for scheduling is revoked.</Text>
          )}
        </Stack>
      </ConfirmDialog>
    </>
  )
}
