import type { HostView } from '@atrium/core/scheduling/hosts'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { DrawerPart } from '../layout/drawer-part.tsx'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { HostCalendar } from './host-calendar.tsx'
import { HostForm } from './host-form.tsx'
import { useRemoveHost } from './host-mutations.ts'
import { calendarMeta, hindrance } from './host-status-meta.ts'

const t = translations('portal.scheduling-hosts')
const area = translations('portal.scheduling')

interface Props {
  hostId: string
  onClose: () => void
}

/** One host: the calendar, the public page, what visitors read, and the removal. */
export default function HostDrawer({ hostId, onClose }: Props) {
  const { slug } = useTenant()
  const query = useQuery(useTRPC().scheduling.hosts.get.queryOptions({ slug, hostId }))
  return (
    <SideDrawer opened onClose={onClose} title={query.data?.name ?? t('drawer.title')}>
      <QueryState query={query} loading={t('drawer.loading')} failed={t('drawer.failed')} />
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
          title={t('drawer.hindered')}
        >
          {against}
        </Alert>
      )}
      <DrawerPart title={t('drawer.publicPage')}>
        {host.publicUrl ? (
          <Stack gap="xs" align="flex-start">
            <CopyValue label={t('drawer.link')} value={host.publicUrl} hideLabel />
            <Anchor href={host.publicUrl} target="_blank" rel="noreferrer" size="sm">
              {t('drawer.openPage')} <IconExternalLink size={14} aria-hidden />
            </Anchor>
          </Stack>
        ) : (
          <Text size="sm">{area('noBookingPages')}</Text>
        )}
      </DrawerPart>
      <DrawerPart title={t('drawer.calendar')}>
        <HostCalendar host={host} changing={changing} />
      </DrawerPart>
      {changing ? (
        <DrawerPart title={t('drawer.visitorsRead')}>
          {/* Keyed by the version, so that a change made elsewhere does not stay behind the form. */}
          <HostForm key={host.version} host={host} />
        </DrawerPart>
      ) : (
        <DetailList>
          <DetailItem label={t('drawer.jobTitle')}>{host.title}</DetailItem>
          <DetailItem label={t('drawer.mailAddress')}>{host.mailAddress}</DetailItem>
        </DetailList>
      )}
      <DrawerPart title={t('drawer.bookings')}>
        <Text size="sm">
          <LinkAnchor {...links.bookings(slug, { host: host.id })}>
            {t('drawer.upcoming', { count: host.comingBookings })}
          </LinkAnchor>
        </Text>
      </DrawerPart>
      {changing && (
        <DrawerPart title={t('drawer.removal')}>
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
        {t('remove.hint')}
      </Text>
      <Button variant="light" color="red" onClick={open}>
        {t('remove.button')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('remove.title', { host: host.name })}
        confirmLabel={
          coming > 0 ? t('remove.buttonCancelling', { count: coming }) : t('remove.button')
        }
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, hostId: host.id, cancelBookings: coming > 0 })
          onGone()
          done(t('remove.done', { host: host.name }))
        }}
      >
        <Stack gap="xs">
          <Text inherit>{t('remove.effect', { host: host.name })}</Text>
          {coming > 0 && (
            <Text inherit fw={600}>
              {t('remove.cancelled', { count: coming })}
            </Text>
          )}
          {host.credential.source === 'minted' && <Text inherit>{t('remove.revoked')}</Text>}
        </Stack>
      </ConfirmDialog>
    </>
  )
}
