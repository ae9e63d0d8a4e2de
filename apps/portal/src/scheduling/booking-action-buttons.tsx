import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { type BookingActions, useBookingActions } from './booking-mutations.ts'
import { spanIn } from './booking-times.ts'

const RescheduleDialog = lazy(() => import('./reschedule-dialog.tsx'))

interface ActionProps {
  booking: TenantBooking
  acts: BookingActions
}

/** What may be done to the booking now, as the server says. */
export function BookingActionButtons({ booking }: { booking: TenantBooking }) {
  const { slug, status } = useTenant()
  const acts = useBookingActions(slug, booking)
  const allowed = new Set(
    status === 'suspended' || status === 'deleted' ? [] : booking.allowedActions,
  )
  if (allowed.size === 0) return null
  const props = { booking, acts }
  return (
    <Group gap="xs" mb="md" role="group" aria-label="What can be done">
      {allowed.has('confirm') && <Confirm {...props} />}
      {allowed.has('decline') && <Decline {...props} />}
      {allowed.has('reschedule') && <Move {...props} />}
      {allowed.has('new_link') && <NewLink {...props} />}
      {allowed.has('no_show') && <NoShow {...props} />}
      {allowed.has('cancel') && !allowed.has('decline') && <Cancel {...props} />}
    </Group>
  )
}

function Confirm({ acts }: ActionProps) {
  const [pending, setPending] = useState(false)
  const [refused, setRejected] = useState<unknown>()
  async function confirm() {
    setPending(true)
    setRejected(undefined)
    try {
      await acts.confirm()
      done('The booking is confirmed. The visitor is told by mail.')
    } catch (error) {
      setRejected(error)
    } finally {
      setPending(false)
    }
  }
  return (
    <Stack gap="xs">
      {refused !== undefined && (
        <ProblemAlert
          title="The booking was not confirmed."
          error={refused}
          message={explain(refused)}
        />
      )}
      <Button loading={pending} onClick={() => void confirm()}>
        Confirm
      </Button>
    </Stack>
  )
}

function Decline({ booking, acts }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Decline
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title="Decline the request?"
        confirmLabel="Decline"
        reason="optional"
        reasonNote="The visitor reads it."
        explain={explain}
        onConfirm={async (reason) => {
          await acts.decline(reason)
          done('The request is declined. The visitor is told by mail.')
        }}
      >
        {booking.attendee.name} asked for {spanIn(booking)}. The time is free again at once.
      </ConfirmDialog>
    </>
  )
}

function Cancel({ booking, acts }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        Cancel booking
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title="Cancel the booking?"
        confirmLabel="Cancel booking"
        reason="required"
        reasonNote="The visitor reads it."
        explain={explain}
        onConfirm={async (reason) => {
          await acts.cancel(reason ?? '')
          done('The booking is cancelled. The visitor is told by mail.')
        }}
      >
        <Text inherit>
          {booking.attendee.name} is told by mail that {booking.title} on {spanIn(booking)} is not
          held. The entry leaves the calendars, and the time is free again at once. This cannot be
          undone.
        </Text>
      </ConfirmDialog>
    </>
  )
}

function Move({ booking, acts }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Move
      </Button>
      <Suspense>
        {asking && <RescheduleDialog booking={booking} acts={acts} onClose={close} />}
      </Suspense>
    </>
  )
}

function NoShow({ booking, acts }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Did not come
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`${booking.attendee.name} did not come?`}
        confirmLabel="Did not come"
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          await acts.noShow()
          done('It is noted.')
        }}
      >
        It is noted at the booking. The visitor is not told.
      </ConfirmDialog>
    </>
  )
}

function NewLink({ booking, acts }: ActionProps) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Send a new link
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title="Send a new link?"
        confirmLabel="Send"
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          await acts.newLink()
          done('A new link is on its way. The old one opens nothing any more.')
        }}
      >
        {booking.attendee.email} gets a mail with a new link to move or cancel the booking. The old
        link stops working at once.
      </ConfirmDialog>
    </>
  )
}
