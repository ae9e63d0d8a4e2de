import type { OwnSessions, PortalSession, ProviderSession } from '@atrium/core/account/sessions'
import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconLogout } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../confirm.tsx'
import { QueryState } from '../data-states.tsx'
import { done } from '../done.ts'
import { translations } from '../messages.ts'
import { Panel } from '../panel.tsx'
import { ResponsiveTable } from '../responsive-table.tsx'
import { deviceLabel, sessionColumns, signInColumns } from './session-columns.tsx'

const t = translations('ui.account')

interface Props {
  query: UseQueryResult<OwnSessions, unknown>
  /** Each rejects with the failure, which the dialog shows. */
  endSession: (id: string) => Promise<unknown>
  endSignIn: (id: string) => Promise<unknown>
  endOthers: () => Promise<unknown>
}

type Ending =
  | { kind: 'session'; session: PortalSession }
  | { kind: 'signIn'; session: ProviderSession }
  | { kind: 'others' }

/** Where a person is signed in, and the way to end it. */
export function SessionsPanel({ query, endSession, endSignIn, endOthers }: Props) {
  const [ending, setEnding] = useState<Ending>()
  const [opened, setOpened] = useState(false)
  const ask = (next: Ending) => {
    setEnding(next)
    setOpened(true)
  }
  const own = query.data
  const others =
    own &&
    own.sessions.filter(({ current }) => !current).length +
      (own.signIns?.filter(({ current }) => !current).length ?? 0)

  async function confirm() {
    if (!ending) return
    if (ending.kind === 'session') await endSession(ending.session.id)
    else if (ending.kind === 'signIn') await endSignIn(ending.session.id)
    else await endOthers()
    done(t(`sessions.ended.${ending.kind}`))
  }

  return (
    <Panel
      title={t('sessions.title')}
      description={t('sessions.description')}
      actions={
        !!others && (
          <Button
            variant="default"
            leftSection={<IconLogout size={17} aria-hidden />}
            onClick={() => ask({ kind: 'others' })}
          >
            {t('sessions.endOthers')}
          </Button>
        )
      }
    >
      <QueryState
        query={query}
        loading={t('sessions.loading')}
        failed={t('sessions.loadFailed')}
        rows={3}
      />
      {own && !query.error && (
        <Stack gap="lg">
          <ResponsiveTable
            caption={t('sessions.portals')}
            columns={sessionColumns((session) => ask({ kind: 'session', session }))}
            rows={own.sessions}
            rowKey={({ id }) => id}
          />
          <div>
            <Text fw={550}>{t('signIns.title')}</Text>
            <Text size="sm" c="dimmed" mb="sm">
              {t('signIns.description')}
            </Text>
            {own.signIns === null ? (
              <Alert variant="light" color="yellow" icon={<IconInfoCircle aria-hidden />}>
                {t('signIns.failed', { reason: own.reason ?? '' })}
              </Alert>
            ) : own.signIns.length === 0 ? (
              <Text size="sm">{t('signIns.none')}</Text>
            ) : (
              <ResponsiveTable
                caption={t('signIns.title')}
                columns={signInColumns((session) => ask({ kind: 'signIn', session }))}
                rows={own.signIns}
                rowKey={({ id }) => id}
              />
            )}
          </div>
        </Stack>
      )}
      {ending && (
        <ConfirmDialog
          opened={opened}
          onClose={() => setOpened(false)}
          title={t(`sessions.confirm.${ending.kind}.title`)}
          confirmLabel={t(`sessions.confirm.${ending.kind}.action`)}
          onConfirm={confirm}
        >
          {ending.kind === 'others'
            ? t('sessions.confirm.others.text')
            : t(`sessions.confirm.${ending.kind}.text`, {
                device: deviceLabel(ending.session.userAgent),
              })}
        </ConfirmDialog>
      )}
    </Panel>
  )
}
