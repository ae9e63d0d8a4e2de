import type { UserView } from '@atrium/core/users/users'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Panel } from '@atrium/ui/panel'
import { Box, Button, Group, List, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useDeactivateUser, useDeleteUser, useReactivateUser, useUpdateUser } from './mutations.ts'

type Act = 'grant' | 'revoke' | 'deactivate' | 'reactivate' | 'delete'

/**
 * What an operator can do to an account: the platform right, shutting out, deleting. Each is
 * confirmed and recorded.
 */
export function UserAccess({ user }: { user: UserView }) {
  const [act, setAction] = useState<Act>()
  const { data: me } = useSuspenseQuery(useTRPC().users.me.queryOptions())
  const self = me.id === user.id
  return (
    <Panel
      title="Access"
      description={
        self ? 'This is your own account. You cannot deactivate or delete yourself.' : undefined
      }
    >
      <Stack gap="md">
        <Line
          title="Platform administration"
          text={
            user.platformAdmin
              ? 'May see and change every tenant, user and entry of the log.'
              : 'Has no rights on the platform as a whole.'
          }
          action={
            user.platformAdmin ? (
              <Button variant="default" onClick={() => setAction('revoke')}>
                Revoke platform admin
              </Button>
            ) : (
              <Button
                variant="default"
                onClick={() => setAction('grant')}
                disabled={user.status === 'deactivated'}
              >
                Grant platform admin
              </Button>
            )
          }
        />
        <Line
          title="Account"
          text={
            user.status === 'active'
              ? 'Deactivating shuts this person out everywhere at once and ends every session.'
              : 'This person is shut out. Reactivating lets them sign in again; roles and memberships are as they were.'
          }
          action={
            user.status === 'active' ? (
              <Button variant="default" onClick={() => setAction('deactivate')} disabled={self}>
                Deactivate
              </Button>
            ) : (
              <Group gap="xs">
                <Button onClick={() => setAction('reactivate')}>Reactivate</Button>
                <Button variant="default" onClick={() => setAction('deactivate')}>
                  End sessions again
                </Button>
              </Group>
            )
          }
        />
        <Line
          title="Record"
          text="Deleting removes the record and its memberships. Owners of tenants must hand them over first."
          action={
            <Button
              variant="outline"
              color="red"
              onClick={() => setAction('delete')}
              disabled={self}
            >
              Delete user
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
  const again = user.status === 'deactivated'
  return (
    <>
      <ConfirmDialog
        opened={act === 'grant'}
        onClose={onClose}
        title={`Make ${name} a platform admin?`}
        confirmLabel="Grant platform admin"
        destructive={false}
        onConfirm={async () => {
          await update.mutateAsync({ id, platformAdmin: true })
          done(`${name} is a platform admin.`)
        }}
      >
        {email} will be able to see and change every tenant, user and entry of the audit log, and
        joins the administrators' group of the identity provider. They use it by signing in to this
        portal.
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'revoke'}
        onClose={onClose}
        title={self ? 'Give up your own right?' : `Revoke the right of ${name}?`}
        confirmLabel="Revoke platform admin"
        onConfirm={async () => {
          await update.mutateAsync({ id, platformAdmin: false })
          done(`${name} is no platform admin any more.`)
        }}
      >
        {self
          ? 'You lose this portal at once, and only another operator can let you in again.'
          : `${email} loses this portal at once, also with a session that is open now. Memberships in tenants stay.`}
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'deactivate'}
        onClose={onClose}
        title={again ? `End the sessions of ${name} again?` : `Deactivate ${name}?`}
        confirmLabel={again ? 'End sessions' : 'Deactivate'}
        reason="optional"
        onConfirm={async (reason) => {
          await deactivate.mutateAsync({ id, reason })
          done(again ? `The sessions of ${name} are ended.` : `${name} is deactivated.`)
        }}
      >
        {again ? (
          `The identity of ${email} is made inactive once more and every session of it is ended. Use this when the first time was cut off.`
        ) : (
          <>
            <Text inherit mb={6}>
              What happens to {email}:
            </Text>
            <List size="sm" spacing={4}>
              <List.Item>Every request is refused from now on.</List.Item>
              <List.Item>The identity is made inactive, and every session ends.</List.Item>
              <List.Item>Roles, memberships and data stay as they are.</List.Item>
            </List>
          </>
        )}
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'reactivate'}
        onClose={onClose}
        title={`Reactivate ${name}?`}
        confirmLabel="Reactivate"
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          await reactivate.mutateAsync({ id, reason })
          done(`${name} can sign in again.`)
        }}
      >
        {email} can sign in again, with the roles and memberships that are stored.
      </ConfirmDialog>
      <ConfirmDialog
        opened={act === 'delete'}
        onClose={onClose}
        title={`Delete ${name}?`}
        confirmLabel="Delete user"
        typedWord={email}
        onConfirm={async () => {
          await remove.mutateAsync({ id })
          done(`${name} is deleted.`)
          await navigate({ to: '/users' })
        }}
      >
        What is removed: the record of {email}
        {membershipsOf(user)}. The audit log keeps what the person did. This cannot be undone.
      </ConfirmDialog>
    </>
  )
}

function membershipsOf({ tenants }: UserView): string {
  if (tenants.length === 0) return ''
  return tenants.length === 1
    ? ' and the membership in one tenant'
    : ` and the memberships in ${tenants.length} tenants`
}
