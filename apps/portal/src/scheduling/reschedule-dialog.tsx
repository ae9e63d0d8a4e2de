import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { formatMinutes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { useAction } from '@atrium/ui/use-action'
import {
  Button,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import type { BookingActions } from './booking-mutations.ts'
import { minutesOf, spanIn } from './booking-times.ts'
import { SlotPicker } from './slot-picker.tsx'

const t = translations('portal.scheduling-bookings')
const frame = translations('ui.frame')

interface Props {
  booking: TenantBooking
  actions: BookingActions
  onClose: () => void
}

/** Moves a booking to a time on offer, or to any time at which the host is free. */
export default function RescheduleDialog({ booking, actions, onClose }: Props) {
  const { slug } = useTenant()
  const now = minutesOf(booking)
  const [duration, setDuration] = useState(now)
  const [start, setStart] = useState<string>()
  const [anyTime, setAnyTime] = useState(false)
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const { pending, error, run } = useAction()
  const requested = anyTime ? instantOf(typed) : start
  const durations = [...new Set([now, ...booking.eventType.durations])].sort(
    (one, other) => one - other,
  )

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!requested || pending) return
    await run(async () => {
      const { hosts } = await actions.reschedule({
        start: requested,
        duration,
        reason: reason.trim() || undefined,
        anyTime,
      })
      onClose()
      const newHost = hosts.find(({ id }) => !booking.hosts.some((host) => host.id === id))
      done(newHost ? t('move.doneToHost', { host: newHost.name }) : t('move.done'))
    })
  }

  return (
    <Modal opened onClose={onClose} title={t('move.title')} size="lg" closeOnClickOutside={false}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            {t('move.now', {
              event: booking.title,
              visitor: booking.attendee.name,
              time: spanIn(booking),
            })}
          </Text>
          {booking.eventType.hostMayChange && (
            <Text size="sm" c="dimmed">
              {t('move.hostMayChange', { host: booking.hosts[0]?.name ?? '' })}
            </Text>
          )}
          {durations.length > 1 && (
            <NativeSelect
              label={t('move.length')}
              data={durations.map((minutes) => ({
                value: String(minutes),
                label: formatMinutes(minutes),
              }))}
              value={String(duration)}
              onChange={(event) => {
                setDuration(Number(event.currentTarget.value))
                setStart(undefined)
              }}
            />
          )}
          <Switch
            label={t('move.anyTime')}
            description={t('move.anyTimeHint')}
            checked={anyTime}
            onChange={(event) => setAnyTime(event.currentTarget.checked)}
          />
          {anyTime ? (
            <TextInput
              label={t('move.newTime')}
              description={t('move.newTimeHint')}
              type="datetime-local"
              step={60}
              required
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          ) : (
            <SlotPicker
              slug={slug}
              booking={booking}
              duration={duration}
              value={start}
              onChange={setStart}
            />
          )}
          <Textarea
            label={t('move.reason')}
            description={t('move.reasonHint')}
            autosize
            minRows={2}
            maxLength={schedulingLimits.reasonCharacters}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {error !== undefined && (
            <ProblemAlert title={t('move.failed')} error={error} message={explain(error)} />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={pending}>
              {frame('cancel')}
            </Button>
            <Button type="submit" loading={pending} disabled={!requested}>
              {t('move.button')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** What a date-and-time field holds, as the instant that it is on this device. */
function instantOf(typed: string): string | undefined {
  const at = Date.parse(typed)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
