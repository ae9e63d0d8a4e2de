import type { GrantView } from '@atrium/core/access-grants/access-grants'
import type { AuditEvent } from '@atrium/core/audit/audit'
import { holderName } from '@atrium/ui/access-grant-labels'
import { AuditEntryDrawer } from '@atrium/ui/audit-entry'
import { AuditTable } from '@atrium/ui/audit-table'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useAcknowledgeGrant, useApproveGrant, useDeclineGrant, useEndGrant } from './mutations.ts'

const t = translations('portal.access-grants')
const shared = translations('ui.access-grants')

/** What the owner decides about a request. */
export function DecideGrant({ grant }: { grant: GrantView }) {
  const [approving, approval] = useDisclosure(false)
  const [declining, declineDialog] = useDisclosure(false)
  const approve = useApproveGrant()
  const decline = useDeclineGrant()
  const { id, tenantSlug: slug } = grant
  const person = holderName(grant)
  return (
    <>
      <Button size="xs" onClick={approval.open}>
        {t('approve.open')}
      </Button>
      <Button size="xs" variant="default" onClick={declineDialog.open}>
        {t('decline.open')}
      </Button>
      <ConfirmDialog
        opened={approving}
        onClose={approval.close}
        title={t('approve.title')}
        confirmLabel={t('approve.open')}
        destructive={false}
        onConfirm={async () => {
          await approve.mutateAsync({ slug, id })
          done(t('approve.done'))
        }}
      >
        {t('approve.effect', { person, day: formatDay(grant.endsAt) })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={declining}
        onClose={declineDialog.close}
        title={t('decline.title')}
        confirmLabel={t('decline.open')}
        reason="optional"
        reasonNote={t('decline.reasonNote', { person })}
        onConfirm={async (reason) => {
          await decline.mutateAsync({ slug, id, ...(reason !== undefined && { reason }) })
          done(t('decline.done'))
        }}
      >
        {t('decline.effect', { person })}
      </ConfirmDialog>
    </>
  )
}

/** Ends an access, or takes a request back. */
export function EndGrant({ grant }: { grant: GrantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const end = useEndGrant()
  const texts = grant.status === 'pending' ? 'withdraw' : 'end'
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
          await end.mutateAsync({ slug: grant.tenantSlug, id: grant.id })
          done(shared(`${texts}.done`))
        }}
      >
        {shared(`${texts}.effect`)}
      </ConfirmDialog>
    </>
  )
}

/** Confirms that the owner has seen an emergency access. */
export function AcknowledgeGrant({ grant }: { grant: GrantView }) {
  const acknowledge = useAcknowledgeGrant()
  return (
    <Button
      size="xs"
      loading={acknowledge.isPending}
      onClick={() =>
        acknowledge.mutate(
          { slug: grant.tenantSlug, id: grant.id },
          { onSuccess: () => done(t('acknowledge.done')) },
        )
      }
    >
      {t('acknowledge.open')}
    </Button>
  )
}

/** What was done under an access, from the audit log. */
export function GrantEntries({ grant }: { grant: GrantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {shared('entries.open')}
      </Button>
      <Modal opened={opened} onClose={close} title={shared('entries.title')} size="xl">
        {opened && <Entries grant={grant} />}
      </Modal>
    </>
  )
}

function Entries({ grant }: { grant: GrantView }) {
  const [event, setEvent] = useState<AuditEvent>()
  const query = useQuery(
    useTRPC().accessGrants.entries.queryOptions({
      slug: grant.tenantSlug,
      id: grant.id,
      limit: 50,
    }),
  )
  const items = query.data?.items ?? []
  return (
    <Stack>
      <QueryState
        query={query}
        loading={shared('entries.loading')}
        failed={shared('entries.failed')}
      />
      {query.data && items.length === 0 && <Text c="dimmed">{shared('entries.none')}</Text>}
      {items.length > 0 && (
        <AuditTable
          caption={shared('entries.title')}
          events={items}
          onOpen={setEvent}
          tenantNoun="workplace"
        />
      )}
      {query.data?.nextCursor && (
        <Text size="sm" c="dimmed">
          {shared('entries.more')}
        </Text>
      )}
      <AuditEntryDrawer tenantNoun="workplace" event={event} onClose={() => setEvent(undefined)} />
    </Stack>
  )
}
