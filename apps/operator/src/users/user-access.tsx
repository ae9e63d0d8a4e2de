import type { UserView } from '@atrium/core/users/users'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Box, Button, Group, List, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useDeactivateUser, useDeleteUser, useReactivateUser, useUpdateUser } from './mutations.ts'

const t = translations('operator.users')

type Act = 'grant' | 'revoke' | 'deactivate' | 'reactivate' | 'delete'

/**
 * Actions on an account: grant or revoke platform admin, deactivate, reactivate, delete. Each asks
 * for confirmation and is recorded in the audit log.
 */
export function UserAccess({ user }: { user: UserView }) {
  const [act, setAction] = useState<Act>()
  const { data: me } = useSuspenseQuery(useTRPC().users.me.queryOptions())
  const self = me.id === user.id
  return (
    <Panel title={t('access.title')} description={self ? t('access.self') : undefined}>
      <Stack gap="md">
        <Line
          title={t('access.platformAdmin.title')}
          text={t(
            user.platformAdmin ? 'access.platformAdmin.granted' : 'access.platformAdmin.notGranted',
          )}
          action={
            user.platformAdmin ? (
              <Button variant="default" onClick={() => setAction('revoke')}>
                {t('revoke.action')}
              </Button>
            ) : (
              <Button
                variant="default"
                onClick={() => setAction('grant')}
                disabled={user.status === 'deactivated'}
              >
                {t('grant.action')}
              </Button>
            )
          }
        />
        <Line
          title={t('access.account.title')}
          text={t(`access.account.${user.status}`)}
          action={
            user.status === 'active' ? (
              <Button variant="default" onClick={() => setAction('deactivate')} disabled={self}>
                {t('deactivate.action')}
              </Button>
            ) : (
              <Group gap="xs">
                <Button onClick={() => setAction('reactivate')}>{t('reactivate.action')}</Button>
                <Button variant="default" onClick={() => setAction('deactivate')}>
                  {t('endSessions.action')}
                </Button>
              </Group>
            )
          }
        />
        <Line
          title={t('access.record.title')}
          text={t('access.record.hint')}
          action={
            <Button
              variant="outline"
              color="red"
              onClick={() => setAction('delete')}
              disabled={self}
            >
              {t('delete.action')}
            </Button>
          }
        />
      </Stack>
      <Dialogs user={user} self={self} act={act} onClose={() => setAction(undefined)} />
    </Panel>
  )
}

function Line({ title, text, action }: { title: string; text: string; action: ReactNode }) {
  return (
    <Group justify="space-between" gap="sm">
      <Box flex="1 1 240px">
        <Text fw={550} size="sm">
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Box>
      {action}
    </Group>
  )
}

interface DialogsProps {
  user: UserView
  self: boolean
  act: Act | undefined
  onClose: () => void
}

function Dialogs({ user, self, act, onClose }: DialogsProps) {
  const navigate = useNavigate()
  const update = useUpdateUser()
  const deactivate = useDeactivateUser()
  const reactivate = useReactivateUser()
  const remove = useDeleteUser()
  const { id, name, email } = user
  const deactivation = user.status === 'deactivated' ? 'endSessions' : 'deactivate'
  return (
    <>
      <ConfirmDialog
        opened={act === 'grant'}
        onClose={onClose}
        title={t('grant.question', { user: name })}
        confirmLabel={t('grant.action')}
        destructive={false}
        onConfirm={async () => {
          await update.mutateAsync({ id, platformAdmin: true })
          done(t('grant.done', { user: name }))
        }}
      >
        {t('grant.effects', { email })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'revoke'}
        onClose={onClose}
        title={self ? t('revoke.questionSelf') : t('revoke.question', { user: name })}
        confirmLabel={t('revoke.action')}
        onConfirm={async () => {
          await update.mutateAsync({ id, platformAdmin: false })
          done(t('revoke.done', { user: name }))
        }}
      >
        {self ? t('revoke.effectsSelf') : t('revoke.effects', { email })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'deactivate'}
        onClose={onClose}
        title={t(`${deactivation}.question`, { user: name })}
        confirmLabel={t(`${deactivation}.submit`)}
        reason="optional"
        onConfirm={async (reason) => {
          await deactivate.mutateAsync({ id, reason })
          done(t(`${deactivation}.done`, { user: name }))
        }}
      >
        {deactivation === 'endSessions' ? (
          t('endSessions.effects', { email })
        ) : (
          <>
            <Text inherit mb={6}>
              {t('deactivate.lead', { email })}
            </Text>
            <List size="sm" spacing={4}>
              <List.Item>{t('deactivate.effects.requests')}</List.Item>
              <List.Item>{t('deactivate.effects.identity')}</List.Item>
              <List.Item>{t('deactivate.effects.data')}</List.Item>
            </List>
          </>
        )}
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'reactivate'}
        onClose={onClose}
        title={t('reactivate.question', { user: name })}
        confirmLabel={t('reactivate.action')}
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          await reactivate.mutateAsync({ id, reason })
          done(t('reactivate.done', { user: name }))
        }}
      >
        {t('reactivate.effects', { email })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'delete'}
        onClose={onClose}
        title={t('delete.question', { user: name })}
        confirmLabel={t('delete.action')}
        typedWord={email}
        onConfirm={async () => {
          await remove.mutateAsync({ id })
          done(t('delete.done', { user: name }))
          await navigate({ to: '/users' })
        }}
      >
        {t('delete.effects', { email, count: user.tenants.length })}
      </ConfirmDialog>
    </>
  )
}
