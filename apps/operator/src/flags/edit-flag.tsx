import type { FlagView } from '@atrium/core/flags/flags'
import { translations } from '@atrium/ui/messages'
import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { FlagEditor } from './flag-editor.tsx'
import { AboutFields, ConditionFields, RolloutFields, TargetingFields } from './flag-fields.tsx'
import { GuardFields } from './guard-fields.tsx'
import { lossSentence } from './labels.ts'

const t = translations('operator.flags')

interface Props {
  flag: FlagView
}

/** State and percentage, with a warning when tenants would lose the flag. */
export function EditRollout({ flag }: Props) {
  return (
    <EditDialog label={t('edit.rollout.action')} title={t('edit.rollout.title', { key: flag.key })}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel={t('edit.rollout.save')} onClose={close}>
          {(form) => {
            const { state, percentage } = form.values
            const loss = lossSentence(flag, state, typeof percentage === 'number' ? percentage : 0)
            return (
              <>
                <RolloutFields form={form} />
                {loss && (
                  <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
                    {loss}
                  </Alert>
                )}
              </>
            )
          }}
        </FlagEditor>
      )}
    </EditDialog>
  )
}

export function EditTargeting({ flag }: Props) {
  return (
    <EditDialog label={t('edit.lists.action')} title={t('edit.lists.title', { key: flag.key })}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel={t('edit.lists.save')} onClose={close}>
          {(form) => <TargetingFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}

export function EditConditions({ flag }: Props) {
  return (
    <EditDialog
      label={t('edit.conditions.action')}
      title={t('edit.conditions.title', { key: flag.key })}
    >
      {(close) => (
        <FlagEditor flag={flag} submitLabel={t('edit.conditions.save')} onClose={close}>
          {(form) => <ConditionFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}

export function EditGuards({ flag }: Props) {
  return (
    <EditDialog label={t('edit.guards.action')} title={t('edit.guards.title', { key: flag.key })}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel={t('edit.guards.save')} onClose={close}>
          {(form) => <GuardFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}

export function EditAbout({ flag }: Props) {
  return (
    <EditDialog label={t('edit.about.action')} title={t('edit.about.title', { key: flag.key })}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel={t('edit.about.save')} onClose={close}>
          {(form) => <AboutFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}
