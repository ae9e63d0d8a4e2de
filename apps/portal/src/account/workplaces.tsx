import type { UserView } from '@atrium/core/users/users'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useProfile } from '../profile/use-profile.ts'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('ui.account')
const labels = translations('ui.labels')

type Workplace = UserView['tenants'][number]

/** The workplaces of a person, and the way out of each. */
export function Workplaces() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const { tenants } = useProfile()
  const [leaving, setLeaving] = useState<Workplace>()
  const leave = useMutation(
    trpc.members.leave.mutationOptions({ onSettled: () => queryClient.invalidateQueries() }),
  )
  return (
    <Panel title={t('leave.title')} description={t('leave.description')}>
      <Stack>
        {tenants.length === 0 && <Text size="sm">{t('leave.none')}</Text>}
        {tenants.map((tenant) => (
          <Group key={tenant.id} justify="space-between">
            <div>
              <Text fw={550}>{tenant.name}</Text>
              <Text size="sm" c="dimmed">
                {tenant.role === 'owner' ? t('leave.owner') : labels(`roles.${tenant.role}`)}
              </Text>
            </div>
            {tenant.role !== 'owner' && (
              <Button
                variant="light"
                color="red"
                size="xs"
                aria-label={t('leave.named', { tenant: tenant.name })}
                onClick={() => setLeaving(tenant)}
              >
                {t('leave.action')}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t('leave.question', { tenant: leaving?.name ?? '' })}
        confirmLabel={t('leave.confirm')}
        typedWord={leaving?.slug ?? ''}
        explain={explain}
        onConfirm={async () => {
          if (!leaving) return
          await leave.mutateAsync({ slug: leaving.slug })
          done(t('leave.done', { tenant: leaving.name }))
        }}
      >
        {t('leave.text', { tenant: leaving?.name ?? '' })}
      </ConfirmDialog>
    </Panel>
  )
}
