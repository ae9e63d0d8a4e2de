import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useAction } from '@atrium/ui/use-action'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { type BookingActions, useBookingActions } from './booking-mutations.ts'
import { spanIn } from './booking-times.ts'

const t = translations('portal.scheduling-bookings')

const RescheduleDialog = lazy(() => import('./reschedule-dialog.tsx'))

interface ActionProps {
  booking: TenantBooking
  actions: BookingActions
}

/** What may be done to the booking now, as the server says. */
export function BookingActionButtons({ booking }: { booking: TenantBooking }) {
  const { slug, status } = useTenant()
  const actions = useBookingActions(slug, booking)
  const allowed = new Set(
    status === 'suspended' || status === 'deleted' ? [] : booking.allowedActions,
  )
  if (allowed.size === 0) return null
  const props = { booking, actions }
  return (
    <Group gap="xs" mb="md" role="group" aria-label={t('actions.title')}>
      {allowed.has('confirm') && <Confirm {...props} />}
      {allowed.has('decline') && <Decline {...props} />}
      {allowed.has('reschedule') && <Move {...props} />}
      {allowed.has('new_link') && <NewLink {...props} />}
      {allowed.has('no_show') && <NoShow {...props} />}
      {allowed.has('cancel') && !allowed.has('decline') && <Cancel {...props} />}
    </Group>
  )
}

function Confirm({ actions }: ActionProps) {
  const { pending, error, run } = useAction()
  const confirm = () =>
    run(async () => {
      await actions.confirm()
      done(t('actions.confirm.done'))
    })
  return (
    <Stack gap="xs">
      {error !== undefined && (
        <ProblemAlert title={t('actions.confirm.failed')} error={error} message={explain(error)} />
      )}
      <Button loading={pending} onClick={() => void confirm()}>
        {t('actions.confirm.button')}
      </Button>
    </Stack>
  )
}

function Decline({ booking, actions }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('actions.decline.button')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('actions.decline.title')}
        confirmLabel={t('actions.decline.button')}
        reason="optional"
        reasonNote={t('actions.visitorReads')}
        explain={explain}
        onConfirm={async (reason) => {
          await actions.decline(reason)
          done(t('actions.decline.done'))
        }}
      >
        {t('actions.decline.text', { name: booking.attendee.name, time: spanIn(booking) })}
      </ConfirmDialog>
    </>
  )
}

function Cancel({ booking, actions }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {t('actions.cancel.button')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('actions.cancel.title')}
        confirmLabel={t('actions.cancel.button')}
        reason="required"
        reasonNote={t('actions.visitorReads')}
        explain={explain}
        onConfirm={async (reason) => {
          await actions.cancel(reason ?? '')
          done(t('actions.cancel.done'))
        }}
      >
        <Text inherit>
          {t('actions.cancel.text', {
            name: booking.attendee.name,
            event: booking.title,
            time: spanIn(booking),
          })}
        </Text>
      </ConfirmDialog>
    </>
  )
}

function Move({ booking, actions }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('actions.move')}
      </Button>
      <Suspense>
        {asking && <RescheduleDialog booking={booking} actions={actions} onClose={close} />}
      </Suspense>
    </>
  )
}

function NoShow({ booking, actions }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('actions.noShow.button')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('actions.noShow.title', { name: booking.attendee.name })}
        confirmLabel={t('actions.noShow.button')}
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          await actions.noShow()
          done(t('actions.noShow.done'))
        }}
      >
        {t('actions.noShow.text')}
      </ConfirmDialog>
    </>
  )
}

function NewLink({ booking, actions }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('actions.newLink.button')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('actions.newLink.title')}
        confirmLabel={t('actions.newLink.confirm')}
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          await actions.newLink()
          done(t('actions.newLink.done'))
        }}
      >
        {t('actions.newLink.text', { email: booking.attendee.email })}
      </ConfirmDialog>
    </>
  )
}
