import type { AuditPage } from '@atrium/core/audit/audit'
import { Alert, Button, Group, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { translations } from './messages.ts'
import { stepForward } from './paging.ts'
import { Time } from './time.tsx'

const t = translations('ui.audit')

interface Props {
  page: AuditPage
  cursors: string | undefined
  /** Goes on with what was not looked at. */
  onChange: (cursors: string) => void
}

/**
 * Says how far back a search came that stopped before its page was full, and goes on from there.
 * Nothing to say shows nothing.
 */
export function SearchFurtherBack({ page, cursors, onChange }: Props) {
  const { more, nextCursor, items } = page
  if (!more || nextCursor === null) return null
  const [reached = ''] = nextCursor.split('_')
  return (
    <Alert
      mt="md"
      variant="light"
      icon={<IconHistory size={18} aria-hidden />}
      title={t(items.length === 0 ? 'further.nothingYet' : 'further.more')}
      role="status"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {t.rich('further.reached', { time: () => <Time at={reached} show="absolute" /> })}
        </Text>
        <Button variant="default" onClick={() => onChange(stepForward(cursors, nextCursor))}>
          {t('further.lookBack')}
        </Button>
      </Group>
    </Alert>
  )
}
