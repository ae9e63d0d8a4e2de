import type { MailGroup, NotificationSettings } from '@atrium/core/account/notifications'
import { Stack, Switch, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { ProblemAlert, QueryState } from '../data-states.tsx'
import { translations } from '../messages.ts'
import { Panel } from '../panel.tsx'

const t = translations('ui.account')

interface Props {
  query: UseQueryResult<NotificationSettings, unknown>
  saving: boolean
  error: unknown
  onChange: (change: { group: MailGroup; on: boolean }) => void
}

/** Which mails a person gets. */
export function NotificationsPanel({ query, saving, error, onChange }: Props) {
  return (
    <Panel title={t('notifications.title')} description={t('notifications.description')}>
      <Stack>
        <QueryState
          query={query}
          loading={t('notifications.loading')}
          failed={t('notifications.loadFailed')}
          rows={2}
        />
        {query.data?.groups.map(({ group, on }) => (
          <Switch
            key={group}
            label={t(`notifications.groups.${group}.label`)}
            description={t(`notifications.groups.${group}.hint`)}
            checked={on}
            disabled={saving}
            onChange={(event) => onChange({ group, on: event.currentTarget.checked })}
          />
        ))}
        {error !== null && error !== undefined && (
          <ProblemAlert title={t('notifications.failed')} error={error} />
        )}
        <Text size="sm" c="dimmed">
          {t('notifications.always')}
        </Text>
      </Stack>
    </Panel>
  )
}
