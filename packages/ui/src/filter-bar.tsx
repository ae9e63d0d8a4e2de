import type { ReactNode } from 'react'
import classes from './filter-bar.module.css'

/** Filters of a list in a row; on a phone one under the other. */
export function FilterBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search aria-label={label} className={classes.bar}>
      {children}
    </search>
  )
}
