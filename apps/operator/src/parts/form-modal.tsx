import { useReturnedFocus } from '@atrium/ui/returned-focus'
import { Modal } from '@mantine/core'
import type { ReactNode, RefObject } from 'react'

interface Props {
  opened: boolean
  onClose: () => void
  title: string
  /** The button that opened it. */
  opener: RefObject<HTMLElement | null>
  children: ReactNode
}

/** The dialog of `EditDialog`. */
export default function FormModal({ opened, onClose, title, opener, children }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="md">
      {opened && <Form opener={opener}>{children}</Form>}
    </Modal>
  )
}

function Form({ opener, children }: Pick<Props, 'opener' | 'children'>) {
  useReturnedFocus(opener)
  return children
}
