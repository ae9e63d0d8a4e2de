import type { ScheduleView } from '@atrium/core/scheduling/schedules'
import { isTimeZone } from '@atrium/core/scheduling/time-zones'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Grid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { type Affected, AffectedBookings } from './affected-bookings.tsx'
import layout from './offer-layout.module.css'
import { useRemoveSchedule, useReplaceSchedule } from './offer-mutations.ts'
import { OverridesEditor } from './overrides-editor.tsx'
import { fromSchedule, ScheduleForm, type ScheduleFormValues } from './schedule-form.ts'
import { todayIn } from './time-text.ts'
import { WeekFields } from './week-fields.tsx'
import { WeekPicture } from './week-picture.tsx'
import { ZoneSelect } from './zone-select.tsx'

interface Props {
  schedule: ScheduleView
  editable: boolean
  onRemoved: () => void
}

/** Everything about one schedule, with the week that it makes. */
export function ScheduleEditor({ schedule, editable, onRemoved }: Props) {
  const { slug } = useTenant()
  const replace = useReplaceSchedule()
  const [refused, setRejected] = useState<unknown>()
  const [affected, setAffected] = useState<Affected>()
  const form = useForm<ScheduleFormValues>({
    initialValues: fromSchedule(schedule),
    validate: zodForm(ScheduleForm),
  })
  const { values, errors } = form
  const disabled = !editable

  function submit(requested: ScheduleFormValues) {
    setRejected(undefined)
    setAffected(undefined)
    replace.mutate(
      { slug, scheduleId: schedule.id, version: schedule.version, ...requested },
      {
        onSuccess: (saved) => {
          done('The hours are saved.')
          setAffected(saved)
        },
        onError: (error) => {
          if (!showRejection(form, error)) setRejected(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            <Panel title="Schedule">
              <Stack>
                <TextInput
                  label="Name"
                  required
                  maxLength={100}
                  disabled={disabled}
                  {...form.getInputProps('name')}
                />
                <ZoneSelect
                  label="Time zone"
                  description="All hours below are in this zone. Visitors see them in their own."
                  required
                  disabled={disabled}
                  value={values.timeZone}
                  error={errors.timeZone}
                  data-path="timeZone"
                  onChange={(zone) => form.setFieldValue('timeZone', zone)}
                />
                <Switch
                  label="Standard schedule"
                  description={
                    schedule.standard
                      ? 'Event types follow it unless they name another one. To change that, make another schedule the standard.'
                      : 'Event types would follow it unless they name another one.'
                  }
                  disabled={disabled || schedule.standard}
                  {...form.getInputProps('standard', { type: 'checkbox' })}
                />
              </Stack>
            </Panel>
            <Panel title="Weekly hours" description="An end before its start is on the next day.">
              <WeekFields
                weekly={values.weekly}
                errors={errors}
                disabled={disabled}
                onChange={(weekly) => {
                  form.clearErrors()
                  form.setFieldValue('weekly', weekly)
                }}
              />
            </Panel>
            <Panel
              title="Single dates"
              description="Holidays, and days with other hours than usual."
            >
              <OverridesEditor
                overrides={values.overrides}
                weekly={values.weekly}
                today={todayIn(isTimeZone(values.timeZone) ? values.timeZone : 'UTC')}
                errors={errors}
                disabled={disabled}
                onChange={(overrides) => {
                  form.clearErrors()
                  form.setFieldValue('overrides', overrides)
                }}
              />
            </Panel>
            {refused !== undefined && <Rejection error={refused} />}
            {affected && affected.affectedCount > 0 && (
              <AffectedBookings slug={slug} affected={affected} />
            )}
            {editable && (
              <div className={layout.save} data-dirty={form.isDirty() || undefined}>
                <SaveButtons
                  label="Save hours"
                  saving={replace.isPending}
                  dirty={form.isDirty()}
                  onDiscard={form.reset}
                >
                  <RemoveSchedule schedule={schedule} onRemoved={onRemoved} />
                </SaveButtons>
              </div>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <div className={layout.beside}>
            <Panel
              title="The week"
              description={`Open hours in ${values.timeZone.replaceAll('_', ' ')}.`}
            >
              <WeekPicture weekly={values.weekly} />
            </Panel>
          </div>
        </Grid.Col>
      </Grid>
    </form>
  )
}

function Rejection({ error }: { error: unknown }) {
  const stale = problemOf(error).code === 'version_conflict'
  return (
    <ProblemAlert
      title="The hours were not saved."
      error={error}
      message={
        stale
          ? 'Somebody else changed this schedule meanwhile. Load the page again, then repeat your change.'
          : explain(error)
      }
    />
  )
}

function RemoveSchedule({ schedule, onRemoved }: Pick<Props, 'schedule' | 'onRemoved'>) {
  const { slug } = useTenant()
  const remove = useRemoveSchedule()
  const [asking, { open, close }] = useDisclosure(false)
  if (schedule.standard) return null
  if (schedule.eventTypeCount > 0) {
    return (
      <Text size="sm" c="dimmed">
        {schedule.eventTypeCount === 1
          ? 'One event type uses'
          : `${schedule.eventTypeCount} event types use`}{' '}
        this schedule, so it cannot be deleted.
      </Text>
    )
  }
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        Delete schedule
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Delete ${schedule.name}?`}
        confirmLabel="Delete schedule"
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, scheduleId: schedule.id })
          done(`${schedule.name} has been deleted.`)
          onRemoved()
        }}
      >
        Its hours and dates are permanently deleted. No event type uses it, and existing bookings do
        not change.
      </ConfirmDialog>
    </>
  )
}
