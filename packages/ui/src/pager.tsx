import { Button, Group, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { formatCount } from './format.ts'
import { translations } from './messages.ts'
import { readCursorHistory, stepBack, stepForward } from './paging.ts'

const t = translations('ui.frame')

interface Props {
  /** What is being paged, for people who hear the page: "Pages of tenants". */
  label: string
  cursors: string | undefined
  nextCursor: string | null | undefined
  onChange: (cursors: string | undefined) => void
}

/** Previous and Next of a list that is paged by cursors. Nothing to page shows nothing. */
export function Pager({ label, cursors, nextCursor, onChange }: Props) {
  const page = readCursorHistory(cursors).length + 1
  if (page === 1 && !nextCursor) return null
  return (
    <Group component="nav" aria-label={label} justify="space-between" mt="md">
      <Button
        variant="default"
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        disabled={page === 1}
        onClick={() => onChange(stepBack(cursors))}
      >
        {t('list.previous')}
      </Button>
      <Text size="sm" c="dimmed" aria-live="polite">
        {t('list.page', { page: formatCount(page) })}
      </Text>
      <Button
        variant="default"
        rightSection={<IconChevronRight size={16} aria-hidden />}
        disabled={!nextCursor}
        onClick={() => nextCursor && onChange(stepForward(cursors, nextCursor))}
      >
        {t('list.next')}
      </Button>
    </Group>
  )
}
