import { Card, Group, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface Props {
  title: string
  /** A sentence under the title. */
  description?: ReactNode
  /** At the end of the title's line: buttons. */
  actions?: ReactNode
  children: ReactNode
}

/** A titled part of a page; a landmark, so that people who hear the page can jump to it. */
export function Panel({ title, description, actions, children }: Props) {
  const id = useId()
  return (
    <Card component="section" aria-labelledby={id} bg="var(--atrium-surface)">
      <Group justify="space-between" align="flex-start" mb="md" gap="xs">
        <div>
          <Title order={2} size="h3" id={id}>
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed" mt={4} component="div">
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Card>
  )
}
