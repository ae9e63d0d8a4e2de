import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { translations } from './messages.ts'
import { UnsavedChanges } from './unsaved-changes.tsx'

const t = translations('ui.frame')

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

/** The buttons of a form that edits a record. Asks before unsaved changes are discarded. */
export function SaveButtons({
  label,
  saving,
  dirty,
  onDiscard,
  disabled = false,
  children,
}: Props) {
  return (
    <Group>
      <Button type="submit" loading={saving} disabled={disabled || !dirty}>
        {label}
      </Button>
      {dirty && (
        <Button variant="subtle" color="gray" onClick={onDiscard}>
          {t('form.discard')}
        </Button>
      )}
      {children}
      <UnsavedChanges present={dirty && !saving} />
    </Group>
  )
}
