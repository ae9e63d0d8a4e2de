import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { Children, type ReactNode } from 'react'
import classes from './filter-bar.module.css'
import { translations } from './messages.ts'

const t = translations('ui.frame')

/**
 * Filters of a list in a row. On a phone only the first one is visible and a button expands the
 * others.
 */
export function FilterBar({ label, children }: { label: string; children: ReactNode }) {
  const [opened, { toggle }] = useDisclosure(false)
  return (
    <search aria-label={label} className={classes.bar} data-opened={opened || undefined}>
      {children}
      {Children.toArray(children).length > 2 && (
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
