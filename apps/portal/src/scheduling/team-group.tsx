import type { HostView } from '@atrium/core/scheduling/hosts'
import { type Assignment, assignments } from '@atrium/core/scheduling/scheduling'
import { translations } from '@atrium/ui/messages'
import { Checkbox, NativeSelect, NumberInput, Radio, Stack, Text } from '@mantine/core'
import type { GroupProps } from './event-type-groups.tsx'

const t = translations('portal.scheduling-event-types')

interface Props extends GroupProps {
  host: HostView
  hosts: readonly HostView[]
  /** Whether the person may put others into an event type. */
  forAll: boolean
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
        label={t('team.who')}
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
          {assignments.map((kind) => (
            <Radio
              key={kind}
              value={kind}
              label={t(`assignments.${kind}`, { host: host.name })}
              description={kind === 'host' ? undefined : t(`team.notes.${kind}`)}
              disabled={fixed || (kind !== 'host' && others.length === 0)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {!forAll && (
        <Text size="sm" c="dimmed">
          {t('team.adminsOnly')}
        </Text>
      )}
      {values.assignment !== 'host' && (
        <Checkbox.Group
          label={t('team.hosts')}
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
                description={credential.present ? undefined : t('team.notConnected')}
                disabled={fixed}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      {values.assignment === 'round_robin' && (
        <NativeSelect
          label={t('team.moved')}
          description={t(`team.movedNotes.${values.rescheduleHost}`)}
          data={[
            { value: 'same', label: t('team.movedSame') },
            { value: 'any', label: t('team.movedAny') },
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
          label={t('team.places')}
          description={t('team.placesHint')}
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
