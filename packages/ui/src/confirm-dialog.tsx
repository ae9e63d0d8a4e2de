import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ProblemAlert } from './data-states.tsx'
import { translations } from './messages.ts'
import { useReturnedFocus } from './returned-focus.ts'
import { useAction } from './use-action.ts'

const t = translations('ui.frame')

export interface ConfirmProps {
  opened: boolean
  onClose: () => void
  title: string
  /** What will happen, and to what. */
  children: ReactNode
  /** The act in a word or two: "Delete workplace". */
  confirmLabel: string
  /** The person types this word before the button works. */
  typedWord?: string
  /** Asks for a reason, which is passed to `onConfirm`. */
  reason?: 'optional' | 'required'
  /** Who reads the reason, where it is not for the audit log: "The visitor reads it." */
  reasonNote?: string
  /** The act is not possible yet, such as before a confirmation among `children`. */
  disabled?: boolean
  /** Destructive acts are red; set false for acts that can be undone. */
  destructive?: boolean
  /** Does the act. The dialog closes when it is done and shows the failure when it is rejected. */
  onConfirm: (reason: string | undefined) => Promise<unknown>
  /** A friendlier sentence for a failure that the page knows. */
  explain?: (error: unknown) => string | undefined
}

/** The dialog of `ConfirmDialog`. */
export default function ConfirmModal(props: ConfirmProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} size="md">
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {props.opened && <ConfirmForm {...props} />}
    </Modal>
  )
}

function ConfirmForm({
  onClose,
  children,
  confirmLabel,
  typedWord,
  reason,
  reasonNote = t('confirm.reasonKept'),
  disabled = false,
  destructive = true,
  onConfirm,
  explain,
}: ConfirmProps) {
  useReturnedFocus()
  const [typed, setTyped] = useState('')
  const [why, setWhy] = useState('')
  const { pending, error, run } = useAction()
  const ready =
    !disabled &&
    (typedWord === undefined || typed.trim() === typedWord) &&
    (reason !== 'required' || why.trim() !== '')

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!ready || pending) return
    await run(async () => {
      await onConfirm(why.trim() || undefined)
      onClose()
    })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {reason && (
          <Textarea
            label={t('confirm.reason')}
            description={
              reason === 'optional' ? t('confirm.reasonOptional', { note: reasonNote }) : reasonNote
            }
            required={reason === 'required'}
            maxLength={500}
            autosize
            minRows={2}
            value={why}
            onChange={(event) => setWhy(event.currentTarget.value)}
          />
        )}
        {typedWord !== undefined && (
          <TextInput
            label={t('confirm.typeWord', { word: typedWord })}
            styles={{ label: { overflowWrap: 'anywhere' } }}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {error !== undefined && <ProblemAlert error={error} message={explain?.(error)} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending}>
            {t('cancel')}
          </Button>
          <Button
            type="submit"
            {...(destructive ? { color: 'red' } : {})}
            disabled={!ready}
            loading={pending}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
