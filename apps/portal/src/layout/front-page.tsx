import { BrandMark } from '@atrium/ui/brand'
import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './front-page.module.css'

/** The frame of pages outside the portal: sign-in, signed out, access denied. */
export function FrontPage({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className={classes.page} data-split={aside ? true : undefined}>
      <main className={classes.main}>
        <Group gap="sm" className={classes.brand}>
          <BrandMark size={36} />
          <Text fw={650} size="xl">
            Atrium
          </Text>
        </Group>
        <div className={classes.body}>{children}</div>
      </main>
      {aside && <aside className={classes.aside}>{aside}</aside>}
    </div>
  )
}
