import { BrandMark } from '@atrium/ui/brand'
import { Badge, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './front-page.module.css'

/**
 * The frame of pages that stand before the portal: signing in, being turned away. Says that this is
 * the operators' door.
 */
export function FrontPage({ children }: { children: ReactNode }) {
  return (
    <main className={classes.page}>
      <Paper p={{ base: 'lg', sm: 'xl' }} radius="lg" className={classes.card}>
        <Group gap="sm" mb="xl">
          <BrandMark size={36} />
          <Text fw={650} size="lg">
            Atrium
          </Text>
          <Badge variant="outline" radius="xl">
            Operator
          </Badge>
        </Group>
        {children}
      </Paper>
    </main>
  )
}
