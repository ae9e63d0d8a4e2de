import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './reports.module.css'
import type { FigureQuery } from './source.ts'

interface Props {
  /** Says what opens: "Show the tenants behind churn in Nov 2026". */
  label: string
  figureQuery: FigureQuery
  onAsk: (figureQuery: FigureQuery) => void
  children: ReactNode
}

/** A figure that opens the tenants it is made of. */
export function FigureButton({ label, figureQuery, onAsk, children }: Props) {
  return (
    <UnstyledButton className={classes.figure} title={label} onClick={() => onAsk(figureQuery)}>
      {children}
      <VisuallyHidden>. {label}</VisuallyHidden>
    </UnstyledButton>
  )
}
