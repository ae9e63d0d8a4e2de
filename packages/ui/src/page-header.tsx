import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface Props {
  title: string
  /** Title of the browser tab when it says more than the heading; the product's name is added. */
  tabTitle?: string
  description?: ReactNode
  /** Beside the title: badges. */
  marks?: ReactNode
  /** At the end of the line: buttons. */
  actions?: ReactNode
}

/**
 * The one `h1` of a page. It takes the focus after navigation (see shell.tsx), hence the tab index.
 */
export function PageHeader({ title, tabTitle, description, marks, actions }: Props) {
  useDocumentTitle(`${tabTitle ?? title} · Atrium`)
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg">
      <Stack gap={6} flex="1 1 320px" miw={0}>
        <Group gap="sm">
          <Title order={1} tabIndex={-1}>
            {title}
          </Title>
          {marks}
        </Group>
        {description && (
          <Text c="dimmed" maw="68ch" component="div">
            {description}
          </Text>
        )}
      </Stack>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}
