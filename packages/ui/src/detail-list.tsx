import type { ReactNode } from 'react'
import classes from './detail-list.module.css'

/** Names and values of a record. */
export function DetailList({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>
}

/** One of them; nothing is shown as a dash, so that an empty field is seen to be empty. */
export function DetailItem({ label, children }: { label: string; children?: ReactNode }) {
  const empty = children === undefined || children === null || children === ''
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{empty ? '–' : children}</dd>
    </div>
  )
}
