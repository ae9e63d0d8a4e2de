import type { FlagView } from '@atrium/core/flags/flags'
import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { FlagEditor } from './flag-editor.tsx'
import { AboutFields, ConditionFields, RolloutFields, TargetingFields } from './flag-fields.tsx'
import { GuardFields } from './guard-fields.tsx'
import { lossSentence } from './labels.ts'

interface Props {
  flag: FlagView
}

/** State and percentage, with a word about tenants that would lose the flag. */
export function EditRollout({ flag }: Props) {
  return (
    <EditDialog label="Change rollout" title={`Rollout of ${flag.key}`}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel="Save rollout" onClose={close}>
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
    <EditDialog label="Edit lists" title={`Lists of ${flag.key}`}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel="Save lists" onClose={close}>
          {(form) => <TargetingFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}

export function EditConditions({ flag }: Props) {
  return (
    <EditDialog label="Edit conditions" title={`Conditions of ${flag.key}`}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel="Save conditions" onClose={close}>
          {(form) => <ConditionFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}

export function EditGuards({ flag }: Props) {
  return (
    <EditDialog label="Edit guards" title={`Guards of ${flag.key}`}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel="Save guards" onClose={close}>
          {(form) => <GuardFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}

export function EditAbout({ flag }: Props) {
  return (
    <EditDialog label="Edit details" title={`About ${flag.key}`}>
      {(close) => (
        <FlagEditor flag={flag} submitLabel="Save details" onClose={close}>
          {(form) => <AboutFields form={form} />}
        </FlagEditor>
      )}
    </EditDialog>
  )
}
