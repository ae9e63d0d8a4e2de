import type { HostView } from '@atrium/core/scheduling/hosts'
import type { Assignment, RescheduleHost } from '@atrium/core/scheduling/scheduling'
import { Checkbox, NativeSelect, NumberInput, Radio, Stack, Text } from '@mantine/core'
import type { GroupProps } from './event-type-groups.tsx'
import { assignmentNames } from './time-text.ts'

interface Props extends GroupProps {
  host: HostView
  hosts: readonly HostView[]
  /** Whether the person may put others into an event type. */
  forAll: boolean
}

const notes: Readonly<Record<Assignment, string>> = {
  host: '',
  round_robin: 'Every time that one of them has free. Whoever has the fewest bookings takes it.',
  collective: 'Only times that all of them have free.',
}

const moveNotes: Readonly<Record<RescheduleHost, string>> = {
  same: 'It can be moved only to times at which its host is free.',
  any: 'Its host keeps it when free at the new time. Otherwise another host gets it, and visitor and hosts are told by mail.',
}

/** Who takes the bookings, and how many visitors share one. */
export function TeamGroup({ form, disabled, host, hosts, forAll }: Props) {
  const { values, errors } = form
  const others = hosts.filter(
    ({ id, active }) => id !== host.id && (active || values.hostIds.includes(id)),
  )
  const fixed = disabled || !forAll
  return (
    <Stack>
      <Radio.Group
        label="Who takes a booking"
        value={values.assignment}
        error={errors.assignment}
        onChange={(kind) => {
          const chosen = kind as Assignment
          form.setFieldValue('assignment', chosen)
          form.clearFieldError('hostIds')
          if (chosen === 'host') form.setFieldValue('hostIds', [host.id])
          else form.setFieldValue('seats', 1)
        }}
      >
        <Stack gap="xs" mt={6}>
          {(Object.keys(assignmentNames) as Assignment[]).map((kind) => (
            <Radio
              key={kind}
              value={kind}
              label={kind === 'host' ? `${host.name} alone` : assignmentNames[kind]}
              description={notes[kind] || undefined}
              disabled={fixed || (kind !== 'host' && others.length === 0)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {!forAll && (
        <Text size="sm" c="dimmed">
          Event types of several hosts are put together by an admin.
        </Text>
      )}
      {values.assignment !== 'host' && (
        <Checkbox.Group
          label="Hosts"
          value={values.hostIds}
          error={errors.hostIds}
          onChange={(ids) =>
            form.setFieldValue('hostIds', [host.id, ...ids.filter((id) => id !== host.id)])
          }
        >
          <Stack gap="xs" mt={6} data-path="hostIds" tabIndex={-1}>
            <Checkbox value={host.id} label={host.name} disabled />
            {others.map(({ id, name, credential }) => (
              <Checkbox
                key={id}
                value={id}
                label={name}
                description={
                  credential.present
                    ? undefined
                    : 'Calendar not connected: offers nothing until it is.'
                }
                disabled={fixed}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      {values.assignment === 'round_robin' && (
        <NativeSelect
          label="When a booking is moved"
          description={moveNotes[values.rescheduleHost]}
          data={[
            { value: 'same', label: 'it keeps its host' },
            { value: 'any', label: 'any free host can get it' },
          ]}
          disabled={disabled}
          value={values.rescheduleHost}
          error={errors.rescheduleHost}
          data-path="rescheduleHost"
          onChange={(event) =>
            form.setFieldValue(
              'rescheduleHost',
              event.currentTarget.value === 'any' ? 'any' : 'same',
            )
          }
        />
      )}
      {values.assignment === 'host' && (
        <NumberInput
          label="Places"
          description="More than one: several visitors book the same start."
          min={1}
          max={1_000}
          allowDecimal={false}
          w={220}
          disabled={disabled}
          value={values.seats}
          error={errors.seats}
          data-path="seats"
          onChange={(value) => form.setFieldValue('seats', typeof value === 'number' ? value : '')}
        />
      )}
    </Stack>
  )
}
