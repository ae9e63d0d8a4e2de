import { ProblemAlert } from '@atrium/ui/data-states'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group } from '@mantine/core'
import { type ReactNode, useRef, useState, useTransition } from 'react'

const FormModal = lazyOnInput(() => import('./form-modal.tsx'))

interface Props {
  /** On the button, and what the dialog is for: "Edit details". */
  label: string
  /** Heads the dialog; the label when left out. */
  title?: string
  /**
   * The form; gets what closes the dialog. Mounted with each opening, so that nothing typed before
   * is left in it.
   */
  children: (close: () => void) => ReactNode
}

/**
 * A button that opens a form over the page. A form that is loaded on demand shows on the button
 * until it is there.
 */
export function EditDialog({ label, title = label, children }: Props) {
  // Undefined until the first opening: the dialog stays mounted from then on, so that closing is
  // seen.
  const [opened, setOpened] = useState<boolean>()
  const button = useRef<HTMLButtonElement>(null)
  const close = () => setOpened(false)
  const [loading, startLoading] = useTransition()
  return (
    <>
      <Button
        ref={button}
        variant="default"
        size="xs"
        loading={loading}
        onClick={() => startLoading(() => setOpened(true))}
      >
        {label}
      </Button>
      {opened !== undefined && (
        <FormModal opened={opened} onClose={close} title={title} opener={button}>
          {opened && children(close)}
        </FormModal>
      )}
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
export function FormFooter({
  error,
  message,
  submitLabel,
  pending,
  disabled = false,
  onCancel,
}: FooterProps) {
  return (
    <>
      {error !== null && error !== undefined && (
        <ProblemAlert error={error} message={message ?? rejectedFields(error)} />
      )}
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

/** Input that was rejected is explained on its fields; here it is only said where to look. */
function rejectedFields(error: unknown): string | undefined {
  const { code, issues } = problemOf(error)
  return code === 'invalid_input' && issues.some((issue) => issue.path !== '')
    ? 'Some fields were refused. Each says what is wrong.'
    : undefined
}
