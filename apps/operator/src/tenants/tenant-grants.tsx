import type { TenantView } from '@atrium/core/tenants/tenants'
import { AccessGrantCard } from '@atrium/ui/access-grant-card'
import { isOpen } from '@atrium/ui/access-grant-labels'
import { AccessGrantRequest } from '@atrium/ui/access-grant-request'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { currentCursor } from '@atrium/ui/paging'
import { Panel } from '@atrium/ui/panel'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, NativeSelect, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.access-grants')
const shared = translations('ui.access-grants')

/** Who has access to the tenant from outside, and the ways to get it. */
export default function TenantGrants({ tenant }: { tenant: TenantView }) {
  const trpc = useTRPC()
  const [cursors, setCursors] = useState<string>()
  const [asking, { open, close }] = useDisclosure(false)
  const { slug } = tenant
  const changed = useGrantsChanged()
  const ask = useMutation(trpc.accessGrants.ask.mutationOptions({ onSuccess: changed }))
  const query = useQuery(
    trpc.accessGrants.list.queryOptions(
      { slug, cursor: currentCursor(cursors), limit: 20 },
      { placeholderData: keepPreviousData },
    ),
  )
  const items = query.data?.items ?? []
  const closed = tenant.status === 'deleted'
  return (
    <Panel
      title={t('title')}
      description={t('description')}
      actions={
        !closed && (
          <>
            {tenant.status !== 'suspended' && (
              <Button size="xs" variant="default" onClick={open}>
                {t('ask')}
              </Button>
            )}
            <BreakGlass tenant={tenant} />
          </>
        )
      }
    >
      <Stack>
        <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
        {query.data && items.length === 0 && (
          <Text c="dimmed">
            {t('none.title')}. {t('none.hint')}
          </Text>
        )}
        {items.map((grant) => (
          <AccessGrantCard
            key={grant.id}
            grant={grant}
            actions={
              <>
                {isOpen(grant) && grant.partner === null && (
                  <EndGrant slug={slug} id={grant.id} pending={grant.status === 'pending'} />
                )}
                <LinkButton to="/audit" search={{ grantId: grant.id }} size="xs" variant="default">
                  {t('acts')}
                </LinkButton>
              </>
            }
          />
        ))}
        {query.data && (
          <Pager
            label={t('pages')}
            cursors={cursors}
            nextCursor={query.data.nextCursor}
            onChange={setCursors}
          />
        )}
      </Stack>
      <AccessGrantRequest
        opened={asking}
        onClose={close}
        tenant={tenant.name}
        onAsk={async (request) => {
          await ask.mutateAsync({ slug, ...request })
          done(shared('ask.done'))
        }}
      />
    </Panel>
  )
}

function useGrantsChanged(): () => void {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    for (const filter of [trpc.accessGrants.pathFilter(), trpc.audit.pathFilter()])
      void queryClient.invalidateQueries(filter)
  }
}

function EndGrant({ slug, id, pending }: { slug: string; id: string; pending: boolean }) {
  const [opened, { open, close }] = useDisclosure(false)
  const changed = useGrantsChanged()
  const end = useMutation(useTRPC().accessGrants.end.mutationOptions({ onSettled: changed }))
  const texts = pending ? 'withdraw' : 'end'
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {shared(`${texts}.open`)}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={shared(`${texts}.title`)}
        confirmLabel={shared(`${texts}.open`)}
        onConfirm={async () => {
          await end.mutateAsync({ slug, id })
          done(shared(`${texts}.done`))
        }}
      >
        {shared(`${texts}.effect`)}
      </ConfirmDialog>
    </>
  )
}

const hours = [1, 2, 3, 4]

function BreakGlass({ tenant }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const [lasts, setLasts] = useState('1')
  const changed = useGrantsChanged()
  const breakGlass = useMutation(
    useTRPC().accessGrants.breakGlass.mutationOptions({ onSuccess: changed }),
  )
  return (
    <>
      <Button
        size="xs"
        color="red"
        variant="outline"
        leftSection={<IconAlertTriangle size={16} aria-hidden />}
        onClick={open}
      >
        {t('breakGlass.open')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('breakGlass.title', { tenant: tenant.name })}
        confirmLabel={t('breakGlass.submit')}
        reason="required"
        reasonNote={t('breakGlass.reasonNote')}
        onConfirm={async (reason = '') => {
          await breakGlass.mutateAsync({ slug: tenant.slug, reason, hours: Number(lasts) })
          done(t('breakGlass.done'))
        }}
      >
        <Stack>
          <Text size="sm">{t('breakGlass.effect')}</Text>
          <NativeSelect
            label={t('breakGlass.hours')}
            value={lasts}
            onChange={(event) => setLasts(event.currentTarget.value)}
            data={hours.map((count) => ({
              value: String(count),
              label: t('breakGlass.inHours', { hours: count }),
            }))}
          />
        </Stack>
      </ConfirmDialog>
    </>
  )
}
