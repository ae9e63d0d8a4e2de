import { ProblemAlert } from '@atrium/ui/data-states'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group } from '@mantine/core'
import { type ReactNode, useRef, useState, useTransition } from 'react'

const t = translations('operator.layout')
const frame = translations('ui.frame')

const FormModal = lazyOnInput(() => import('./form-modal.tsx'))

interface Props {
  /** The text of the button: "Edit details". */
  label: string
  /** The title of the dialog; the label by default. */
  title?: string
  /**
   * The form; gets the function that closes the dialog. Mounted on each opening, so that it starts
   * without earlier input.
   */
  children: (close: () => void) => ReactNode
}

/**
 * A button that opens a form over the page. The button shows a loader while a form is loaded on
 * demand.
 */
export function EditDialog({ label, title = label, children }: Props) {
  // Undefined until the first opening. From then on the dialog stays mounted, so that closing is
  // animated.
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
  /** Replaces the server's sentence for a failure that the form knows. */
  message?: string | undefined
  submitLabel: string
  pending: boolean
  disabled?: boolean
  onCancel: () => void
}

/** The end of a form: its failure, Cancel, and the submit button. */
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
          {frame('cancel')}
        </Button>
        <Button type="submit" loading={pending} disabled={disabled}>
          {submitLabel}
        </Button>
      </Group>
    </>
  )
}

/** Rejected input is explained on its fields; this sentence only points to them. */
function rejectedFields(error: unknown): string | undefined {
  const { code, issues } = problemOf(error)
  return code === 'invalid_input' && issues.some((issue) => issue.path !== '')
    ? t('rejectedFields')
    : undefined
}
