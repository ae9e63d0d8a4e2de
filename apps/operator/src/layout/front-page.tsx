import { BrandMark } from '@atrium/ui/brand'
import { translations } from '@atrium/ui/messages'
import { Badge, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './front-page.module.css'

const t = translations('operator.layout')

/** The frame of pages outside the portal, such as sign-in and rejection. */
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
            {t('mark')}
          </Badge>
        </Group>
        {children}
      </Paper>
    </main>
  )
}
