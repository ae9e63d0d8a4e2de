import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  /** The act in two words: "Save changes". */
  label: string
  saving: boolean
  /** Something was changed: it can be saved, and discarded. */
  dirty: boolean
  onDiscard: () => void
  disabled?: boolean
  /** Further buttons, at the end. */
  children?: ReactNode
}

/** The end of a form that edits what is there. */
export function SaveButtons({ label, saving, dirty, onDiscard, disabled = false, children }: Props) {
  return (
    <Group>
      <Button type="submit" loading={saving} disabled={disabled || !dirty}>
        {label}
      </Button>
      {dirty && (
        <Button variant="subtle" color="gray" onClick={onDiscard}>
          Discard
        </Button>
      )}
      {children}
    </Group>
  )
}
