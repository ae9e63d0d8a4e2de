import type { ScheduleView } from '@atrium/core/scheduling/schedules'
import { isTimeZone } from '@atrium/core/scheduling/time-zones'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.scheduling-availability')

interface Props {
  schedule: ScheduleView
  editable: boolean
  onRemoved: () => void
}

/** Everything about one schedule, with the week that it makes. */
export function ScheduleEditor({ schedule, editable, onRemoved }: Props) {
  const { slug } = useTenant()
  const replace = useReplaceSchedule()
  const [rejected, setRejected] = useState<unknown>()
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
          done(t('edit.saved'))
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
            <Panel title={t('edit.title')}>
              <Stack>
                <TextInput
                  label={t('edit.name')}
                  required
                  maxLength={100}
                  disabled={disabled}
                  {...form.getInputProps('name')}
                />
                <ZoneSelect
                  label={t('edit.zone')}
                  description={t('edit.zoneHint')}
                  required
                  disabled={disabled}
                  value={values.timeZone}
                  error={errors.timeZone}
                  data-path="timeZone"
                  onChange={(zone) => form.setFieldValue('timeZone', zone)}
                />
                <Switch
                  label={t('edit.standard')}
                  description={t(schedule.standard ? 'edit.standardIs' : 'edit.standardWouldBe')}
                  disabled={disabled || schedule.standard}
                  {...form.getInputProps('standard', { type: 'checkbox' })}
                />
              </Stack>
            </Panel>
            <Panel title={t('weekly.title')} description={t('weekly.description')}>
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
            <Panel title={t('dates.title')} description={t('dates.description')}>
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
            {rejected !== undefined && <Rejection error={rejected} />}
            {affected && affected.affectedCount > 0 && (
              <AffectedBookings slug={slug} affected={affected} />
            )}
            {editable && (
              <div className={layout.save} data-dirty={form.isDirty() || undefined}>
                <SaveButtons
                  label={t('edit.save')}
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
              title={t('week.title')}
              description={t('week.description', { zone: values.timeZone.replaceAll('_', ' ') })}
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
      title={t('edit.failed')}
      error={error}
      message={stale ? t('edit.conflict') : explain(error)}
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
        {t('remove.inUse', { count: schedule.eventTypeCount })}
      </Text>
    )
  }
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {t('remove.button')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={t('remove.title', { name: schedule.name })}
        confirmLabel={t('remove.button')}
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, scheduleId: schedule.id })
          done(t('remove.done', { name: schedule.name }))
          onRemoved()
        }}
      >
        {t('remove.effect')}
      </ConfirmDialog>
    </>
  )
}
