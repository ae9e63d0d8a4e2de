import { Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './drawer-part.module.css'

/** A titled part of a drawer; a landmark. */
export function DrawerPart({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={classes.part} aria-labelledby={id}>
      <Title order={3} size="h3" mb="sm" id={id}>
        {title}
      </Title>
      {children}
    </section>
  )
}
