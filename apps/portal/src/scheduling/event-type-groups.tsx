import { formatMinutes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.scheduling-event-types')

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
        label={t('basics.name')}
        required
        maxLength={100}
        disabled={disabled}
        {...form.getInputProps('title')}
      />
      <TextInput
        label={t('basics.slug')}
        description={
          address === null ? t('basics.slugHint') : t('basics.slugHintAfter', { address })
        }
        required
        maxLength={63}
        autoCapitalize="none"
        spellCheck={false}
        disabled={disabled}
        {...form.getInputProps('eventSlug')}
      />
      <Textarea
        label={t('basics.about')}
        description={t('basics.aboutHint')}
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
          // The host calls the visitor, and so needs the number.
          const requested = values.fields.some((field) => field.kind === 'phone' && field.required)
          if (kind === 'visitor_phone' && !requested) {
            const number = {
              key: freeKey(values.fields),
              label: t('questions.phoneNumber'),
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
    <Stack gap={6} role="group" aria-label={t('basics.length')}>
      {durations.map((_, index) => (
        // A position is the only name that a row has: values may repeat while they are being typed.
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <NumberInput
            label={
              index === 0 ? t('basics.lengthMinutes') : t('basics.otherLength', { position: index })
            }
            {...(index === 0 && durations.length > 1
              ? { description: t('basics.lengthHint') }
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
              aria-label={t('basics.removeLength', { position: index + 1 })}
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
            {t('basics.addLength')}
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
    .map((minutes) => ({
      value: String(minutes),
      label: minutes === 0 ? t('times.noBuffer') : formatMinutes(minutes),
    }))

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
        label={t('times.schedule')}
        data={[
          {
            value: '',
            label: standard
              ? t('times.standardNamed', { name: standard.name })
              : t('times.standard'),
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
          label={t('times.step')}
          data={[
            { value: '', label: t('times.stepLength') },
            ...choicesOf(steps, values.stepMinutes),
          ]}
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
            label={t(path === 'beforeMinutes' ? 'times.before' : 'times.after')}
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
        label={t('times.notice')}
        description={t('times.noticeHint')}
        value={values.noticeMinutes}
        error={errors.noticeMinutes}
        disabled={disabled}
        path="noticeMinutes"
        onChange={(minutes) => form.setFieldValue('noticeMinutes', minutes)}
      />
      <WindowFields form={form} disabled={disabled} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} role="group" aria-label={t('times.most')}>
        {(['day', 'week', 'month'] as const).map((period) => (
          <NumberInput
            key={period}
            label={t(`times.mostPer.${period}`)}
            placeholder={t('times.noLimit')}
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
          label={t('times.limitsScope')}
          data={[
            { value: 'host', label: t('times.perHost') },
            { value: 'event_type', label: t('times.allHosts') },
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
        label={t('times.perVisitor')}
        description={t('times.perVisitorHint')}
        placeholder={t('times.noLimit')}
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
        label={t('times.window')}
        value={values.windowKind}
        onChange={(kind) =>
          form.setFieldValue('windowKind', kind as EventTypeFormValues['windowKind'])
        }
      >
        <Stack gap="xs" mt={6}>
          <Radio value="rolling" label={t('times.rolling')} disabled={disabled} />
          <Radio value="fixed" label={t('times.fixed')} disabled={disabled} />
          <Radio value="open" label={t('times.open')} disabled={disabled} />
        </Stack>
      </Radio.Group>
      {values.windowKind === 'rolling' && (
        <NumberInput
          label={t('times.rollingDays')}
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
            label={t('times.firstDate')}
            required
            disabled={disabled}
            {...form.getInputProps('windowFrom')}
          />
          <TextInput
            type="date"
            label={t('times.lastDate')}
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
        label={t('rules.confirm')}
        description={t('rules.confirmHint')}
        disabled={disabled}
        {...form.getInputProps('requiresConfirmation', { type: 'checkbox' })}
      />
      {values.requiresConfirmation && (
        <NumberInput
          label={t('rules.confirmHours')}
          description={t('rules.confirmHoursHint')}
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
        label={t('rules.cancel')}
        description={t('rules.cancelHint')}
        value={values.cancelCutoffMinutes}
        error={errors.cancelCutoffMinutes}
        disabled={disabled}
        path="cancelCutoffMinutes"
        onChange={(minutes) => form.setFieldValue('cancelCutoffMinutes', minutes)}
      />
      <MinutesField
        label={t('rules.move')}
        value={values.rescheduleCutoffMinutes}
        error={errors.rescheduleCutoffMinutes}
        disabled={disabled}
        path="rescheduleCutoffMinutes"
        onChange={(minutes) => form.setFieldValue('rescheduleCutoffMinutes', minutes)}
      />
      <Stack gap={6} role="group" aria-label={t('rules.reminders')}>
        <Text size="sm" fw={600}>
          {t('rules.remindersByMail')}
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
                {t('rules.before', { length: formatMinutes(minutes) })}
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
