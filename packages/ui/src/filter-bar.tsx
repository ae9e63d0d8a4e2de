import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { Children, type ReactNode } from 'react'
import classes from './filter-bar.module.css'
import { translations } from './messages.ts'

const t = translations('ui.frame')

interface Props {
  label: string
  children: ReactNode
  /** Offers to clear the filters; false while none is set. */
  onClear?: (() => void) | false
}

/**
 * Filters of a list in a row. On a phone only the first one is visible and a button expands the
 * others.
 */
export function FilterBar({ label, children, onClear = false }: Props) {
  const [opened, { toggle }] = useDisclosure(false)
  return (
    <search aria-label={label} className={classes.bar} data-opened={opened || undefined}>
      {children}
      {onClear && (
        <Button variant="subtle" color="gray" onClick={onClear}>
          {t('clearFilters')}
        </Button>
      )}
      {Children.toArray(children).length > (onClear ? 1 : 2) && (
        <Button
          className={classes.more}
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={17} aria-hidden />}
          aria-expanded={opened}
          onClick={toggle}
        >
          {t(opened ? 'fewerFilters' : 'moreFilters')}
        </Button>
      )}
    </search>
  )
}
