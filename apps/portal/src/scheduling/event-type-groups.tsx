import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Radio,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { FormErrors, UseFormReturnType } from '@mantine/form'
import { IconPlus, IconX } from '@tabler/icons-react'
import { type EventTypeFormValues, freeKey, type Typed } from './event-type-form.ts'
import { LocationFields } from './location-fields.tsx'
import { MinutesField } from './minutes-field.tsx'
import { durationText } from './time-text.ts'

export type EventTypeFormState = UseFormReturnType<
  EventTypeFormValues,
  EventTypeFormValues,
  (values: EventTypeFormValues) => FormErrors
>

export interface GroupProps {
  form: EventTypeFormState
  disabled: boolean
}

const typed = (value: string | number): Typed => (typeof value === 'number' ? value : '')

/** What it is called, how long it takes and where. */
export function BasicsGroup({ form, disabled, address }: GroupProps & { address: string | null }) {
  const { values, errors } = form
  return (
    <Stack>
      <TextInput
        label="Title"
        required
        maxLength={100}
        disabled={disabled}
        {...form.getInputProps('title')}
      />
      <TextInput
        label="Address"
        description={
          address === null
            ? 'The last part of its link.'
            : `The last part of its link: ${address}/…`
        }
        required
        maxLength={63}
        autoCapitalize="none"
        spellCheck={false}
        disabled={disabled}
        {...form.getInputProps('eventSlug')}
      />
      <Textarea
        label="Description"
        description="Optional. Visitors read it before they choose a time."
        autosize
        minRows={2}
        maxRows={8}
        maxLength={2_000}
        disabled={disabled}
        {...form.getInputProps('description')}
      />
      <Lengths form={form} disabled={disabled} />
      <LocationFields
        kind={values.locationKind}
        location={values.location}
        errors={errors}
        disabled={disabled}
        onKind={(kind) => {
          form.setFieldValue('locationKind', kind)
          form.clearFieldError('location')
          // Whoever calls the visitor needs the number.
          const asked = values.fields.some((field) => field.kind === 'phone' && field.required)
          if (kind === 'visitor_phone' && !asked) {
            const number = {
              key: freeKey(values.fields),
              label: 'Your phone number',
              kind: 'phone' as const,
              required: true,
              options: '',
            }
            form.setFieldValue('fields', [number, ...values.fields])
          }
        }}
        onLocation={(location) => form.setFieldValue('location', location)}
      />
    </Stack>
  )
}

function Lengths({ form, disabled }: GroupProps) {
  const { durations } = form.values
  return (
    <Stack gap={6} role="group" aria-label="Length">
      {durations.map((_, index) => (
        // A position is the only name that a row has: values may repeat while they are being typed.
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <NumberInput
            label={index === 0 ? 'Length in minutes' : `Other length ${index}`}
            {...(index === 0 && durations.length > 1
              ? { description: 'Visitors get this one unless they choose another.' }
              : {})}
            required
            min={5}
            max={1_440}
            step={5}
            allowDecimal={false}
            w={220}
            disabled={disabled}
            {...form.getInputProps(`durations.${index}`)}
          />
          {durations.length > 1 && !disabled && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove length ${index + 1}`}
              onClick={() => form.removeListItem('durations', index)}
            >
              <IconX size={18} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {durations.length < 10 && !disabled && (
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => form.insertListItem('durations', nextLength(durations))}
          >
            Let visitors choose another length
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function nextLength(durations: readonly Typed[]): number {
  return [15, 30, 45, 60, 90, 120].find((minutes) => !durations.includes(minutes)) ?? 20
}

const buffers = [0, 5, 10, 15, 20, 30, 45, 60, 90, 120]
const steps = [5, 10, 15, 20, 30, 45, 60, 120]
const choicesOf = (known: readonly number[], value: Typed) =>
  [...new Set([...known, ...(value === '' ? [] : [value])])]
    .sort((a, b) => a - b)
    .map((minutes) => ({ value: String(minutes), label: durationText(minutes) }))

/** Which of the host's free hours are offered. */
export function TimesGroup({
  form,
  disabled,
  schedules,
}: GroupProps & { schedules: readonly { id: string; name: string; standard: boolean }[] }) {
  const { values, errors } = form
  const standard = schedules.find((schedule) => schedule.standard)
  return (
    <Stack>
      <NativeSelect
        label="Hours"
        data={[
          {
            value: '',
            label: standard ? `Standard schedule (${standard.name})` : 'Standard schedule',
          },
          ...schedules.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        disabled={disabled}
        value={values.scheduleId ?? ''}
        error={errors.scheduleId}
        data-path="scheduleId"
        onChange={(event) => form.setFieldValue('scheduleId', event.currentTarget.value || null)}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NativeSelect
          label="A start every"
          data={[{ value: '', label: 'its length' }, ...choicesOf(steps, values.stepMinutes)]}
          disabled={disabled}
          value={String(values.stepMinutes)}
          error={errors.stepMinutes}
          data-path="stepMinutes"
          onChange={(event) =>
            form.setFieldValue(
              'stepMinutes',
              event.currentTarget.value === '' ? '' : Number(event.currentTarget.value),
            )
          }
        />
        {(['beforeMinutes', 'afterMinutes'] as const).map((path) => (
          <NativeSelect
            key={path}
            label={path === 'beforeMinutes' ? 'Free before' : 'Free after'}
            data={choicesOf(buffers, values[path])}
            disabled={disabled}
            value={String(values[path])}
            error={errors[path]}
            data-path={path}
            onChange={(event) => form.setFieldValue(path, Number(event.currentTarget.value))}
          />
        ))}
      </SimpleGrid>
      <MinutesField
        label="Notice"
        description="How long before the start a booking must come at the latest."
        value={values.noticeMinutes}
        error={errors.noticeMinutes}
        disabled={disabled}
        path="noticeMinutes"
        onChange={(minutes) => form.setFieldValue('noticeMinutes', minutes)}
      />
      <WindowFields form={form} disabled={disabled} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} role="group" aria-label="Most bookings">
        {(['day', 'week', 'month'] as const).map((period) => (
          <NumberInput
            key={period}
            label={`Most per ${period}`}
            placeholder="any number"
            min={1}
            max={1_000}
            allowDecimal={false}
            disabled={disabled}
            value={values.limits[period]}
            error={errors[`limits.${period}`]}
            data-path={`limits.${period}`}
            onChange={(value) => form.setFieldValue(`limits.${period}`, typed(value))}
          />
        ))}
      </SimpleGrid>
      {values.assignment === 'round_robin' && (
        <NativeSelect
          label="Limits apply to"
          data={[
            { value: 'host', label: 'each host' },
            { value: 'event_type', label: 'all hosts together' },
          ]}
          disabled={disabled}
          value={values.limitsScope}
          error={errors.limitsScope}
          data-path="limitsScope"
          onChange={(event) =>
            form.setFieldValue(
              'limitsScope',
              event.currentTarget.value === 'event_type' ? 'event_type' : 'host',
            )
          }
        />
      )}
      <NumberInput
        label="Upcoming bookings per visitor"
        description="How many bookings one e-mail address can have with the host at a time."
        placeholder="any number"
        min={1}
        max={100}
        allowDecimal={false}
        w={220}
        disabled={disabled}
        value={values.bookingsPerVisitor}
        error={errors.bookingsPerVisitor}
        data-path="bookingsPerVisitor"
        onChange={(value) => form.setFieldValue('bookingsPerVisitor', typed(value))}
      />
    </Stack>
  )
}

function WindowFields({ form, disabled }: GroupProps) {
  const { values, errors } = form
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Which days can be booked"
        value={values.windowKind}
        onChange={(kind) =>
          form.setFieldValue('windowKind', kind as EventTypeFormValues['windowKind'])
        }
      >
        <Stack gap="xs" mt={6}>
          <Radio value="rolling" label="Today and the days that follow" disabled={disabled} />
          <Radio value="fixed" label="From one date to another" disabled={disabled} />
          <Radio value="open" label="Any day to come" disabled={disabled} />
        </Stack>
      </Radio.Group>
      {values.windowKind === 'rolling' && (
        <NumberInput
          label="Days that follow"
          min={0}
          max={730}
          allowDecimal={false}
          w={220}
          disabled={disabled}
          value={values.windowDays}
          error={errors.windowDays}
          data-path="windowDays"
          onChange={(value) => form.setFieldValue('windowDays', typed(value))}
        />
      )}
      {values.windowKind === 'fixed' && (
        <Group gap="xs" align="flex-start">
          <TextInput
            type="date"
            label="First date"
            required
            disabled={disabled}
            {...form.getInputProps('windowFrom')}
          />
          <TextInput
            type="date"
            label="Last date"
            required
            {...(values.windowFrom ? { min: values.windowFrom } : {})}
            disabled={disabled}
            {...form.getInputProps('windowTo')}
          />
        </Group>
      )}
    </Stack>
  )
}

const reminderChoices = [10_080, 2_880, 1_440, 240, 60, 15]

/** Confirmation, the last moment for changes, and reminders. */
export function RulesGroup({ form, disabled }: GroupProps) {
  const { values, errors } = form
  const known = [...new Set([...reminderChoices, ...values.reminders])].sort((a, b) => b - a)
  return (
    <Stack>
      <Switch
        label="Each booking waits until the host confirms it"
        description="The time is held meanwhile."
        disabled={disabled}
        {...form.getInputProps('requiresConfirmation', { type: 'checkbox' })}
      />
      {values.requiresConfirmation && (
        <NumberInput
          label="Hours to confirm"
          description="After that the request ends and the time is free again."
          min={1}
          max={720}
          allowDecimal={false}
          w={220}
          disabled={disabled}
          value={values.approvalHours}
          error={errors.approvalHours}
          data-path="approvalHours"
          onChange={(value) => form.setFieldValue('approvalHours', typed(value))}
        />
      )}
      <MinutesField
        label="Visitors may cancel until"
        description="Before the start; 0 up to the last moment."
        value={values.cancelCutoffMinutes}
        error={errors.cancelCutoffMinutes}
        disabled={disabled}
        path="cancelCutoffMinutes"
        onChange={(minutes) => form.setFieldValue('cancelCutoffMinutes', minutes)}
      />
      <MinutesField
        label="Visitors may move it until"
        value={values.rescheduleCutoffMinutes}
        error={errors.rescheduleCutoffMinutes}
        disabled={disabled}
        path="rescheduleCutoffMinutes"
        onChange={(minutes) => form.setFieldValue('rescheduleCutoffMinutes', minutes)}
      />
      <Stack gap={6} role="group" aria-label="Reminders">
        <Text size="sm" fw={600}>
          Reminders by mail
        </Text>
        <Group gap="xs">
          {known.map((minutes) => {
            const on = values.reminders.includes(minutes)
            return (
              <Button
                key={minutes}
                size="compact-sm"
                variant={on ? 'filled' : 'default'}
                aria-pressed={on}
                disabled={disabled || (!on && values.reminders.length >= 5)}
                onClick={() =>
                  form.setFieldValue(
                    'reminders',
                    on
                      ? values.reminders.filter((one) => one !== minutes)
                      : [...values.reminders, minutes],
                  )
                }
              >
                {durationText(minutes)} before
              </Button>
            )
          })}
        </Group>
        {errors.reminders !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {errors.reminders}
          </Text>
        )}
      </Stack>
    </Stack>
  )
}
