import { ProblemAlert } from '@atrium/ui/data-states'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useTransition } from 'react'

interface Props {
  /** On the button, and what the dialog is for: "Edit details". */
  label: string
  /** Heads the dialog; the label when left out. */
  title?: string
  /** The form; gets what closes the dialog. Mounted with each opening, so that nothing typed before is left in it. */
  children: (close: () => void) => ReactNode
}

/** A button that opens a form over the page. A form that is loaded on demand shows on the button until it is there. */
export function EditDialog({ label, title = label, children }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const [loading, startLoading] = useTransition()
  return (
    <>
      <Button variant="default" size="xs" loading={loading} onClick={() => startLoading(open)}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} size="md">
        {opened && children(close)}
      </Modal>
    </>
  )
}

interface FooterProps {
  error: unknown
  /** A friendlier sentence for a failure that the form knows. */
  message?: string | undefined
  submitLabel: string
  pending: boolean
  disabled?: boolean
  onCancel: () => void
}

/** The end of a form: the failure in place, Cancel, and the button that sends. */
export function FormFooter({ error, message, submitLabel, pending, disabled = false, onCancel }: FooterProps) {
  return (
    <>
      {error !== null && error !== undefined && <ProblemAlert error={error} message={message ?? refusedFields(error)} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel} disabled={pending}>
          Cancel
        </Button>
        <Button type="submit" loading={pending} disabled={disabled}>
          {submitLabel}
        </Button>
      </Group>
    </>
  )
}

/** Input that was refused is explained on its fields; here it is only said where to look. */
function refusedFields(error: unknown): string | undefined {
  const { code, issues } = problemOf(error)
  return code === 'invalid_input' && issues.some((issue) => issue.path !== '')
    ? 'Some fields were refused. Each says what is wrong.'
    : undefined
}
