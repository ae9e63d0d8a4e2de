import type { OwnInvitation } from '@atrium/core/invitations/invitations'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { accessLabel } from '@atrium/ui/partner-status-meta'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('ui.invitations')
const labels = translations('ui.labels')

/** Open invitations to the person's own address; nothing when there are none. */
export function OwnInvitations() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [declining, setDeclining] = useState<OwnInvitation>()
  const query = useQuery(trpc.invitations.mine.queryOptions())
  const onSuccess = () => queryClient.invalidateQueries(trpc.invitations.pathFilter())
  const accept = useMutation(
    trpc.invitations.acceptMine.mutationOptions({
      async onSuccess({ joined }) {
        done(t('mine.accepted', { name: joined ?? 'Atrium' }))
        await Promise.all([
          onSuccess(),
          queryClient.invalidateQueries(trpc.users.me.pathFilter()),
          queryClient.invalidateQueries(trpc.tenants.pathFilter()),
        ])
      },
    }),
  )
  const decline = useMutation(trpc.invitations.declineMine.mutationOptions({ onSuccess }))
  const items = query.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Panel title={t('mine.title')} description={t('mine.hint', { email: items[0]?.email ?? '' })}>
      <Stack gap="md">
        {accept.error && (
          <ProblemAlert
            title={t('mine.failed')}
            error={accept.error}
            message={explain(accept.error)}
          />
        )}
        {items.map((invitation) => (
          <Group key={invitation.id} justify="space-between" align="flex-start" gap="sm">
            <div>
              <Text fw={550}>{termsOf(invitation)}</Text>
              <Text size="sm" c="dimmed">
                {t('mine.by', {
                  inviter: invitation.inviter ?? '',
                  date: formatDay(invitation.expiresAt),
                })}
              </Text>
              {invitation.message !== null && (
                <Text size="sm" mt={4} style={{ whiteSpace: 'pre-line' }}>
                  {invitation.message}
                </Text>
              )}
            </div>
            <Group gap="xs">
              <Button
                size="xs"
                loading={accept.isPending && accept.variables.invitationId === invitation.id}
                onClick={() => accept.mutate({ invitationId: invitation.id })}
              >
                {t('mine.accept')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setDeclining(invitation)}>
                {t('mine.decline')}
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
      {declining && (
        <ConfirmDialog
          opened
          onClose={() => setDeclining(undefined)}
          title={t('mine.question', { name: declining.place ?? 'Atrium' })}
          confirmLabel={t('mine.decline')}
          explain={explain}
          onConfirm={async () => {
            await decline.mutateAsync({ invitationId: declining.id })
            done(t('mine.declined'))
          }}
        >
          {t('mine.effect')}
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function termsOf({ kind, place, role, access }: OwnInvitation): string {
  if (kind === 'operator') return t('as.operator')
  const what = access === null ? labels(`roles.${role ?? 'member'}`) : accessLabel(access).name
  return t('as.of', { role: what, place: place ?? '' })
}
