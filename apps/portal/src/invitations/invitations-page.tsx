import { tenantInvitationKinds } from '@atrium/core/platform/choices'
import { everyInvitation, InvitationList } from '@atrium/ui/invitation-list'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { translations, withMessages } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { currentCursor } from '@atrium/ui/paging'
import { oneOf } from '@atrium/ui/search-params'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button } from '@mantine/core'
import { IconMailPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { mayChange, maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { useInvalidateInvitations } from './use-invalidate-invitations.ts'

const t = translations('ui.invitations')

const InviteMembersDialog = lazyOnInput(() =>
  withMessages(import('./invite-members-dialog.tsx'), 'portal.subscriptions'),
)

/** Who is invited to a workplace, for its admins: send again, revoke, invite more. */
export function InvitationsPage() {
  const tenant = useTenant()
  const { slug } = tenant
  const trpc = useTRPC()
  const [choice, setChoice] = useState(everyInvitation)
  const [inviting, setInviting] = useState<boolean>()
  const { q, state, kind, cursors } = choice
  const query = useQuery(
    trpc.invitations.ofTenant.queryOptions(
      {
        slug,
        q,
        state,
        kind: kind && oneOf(tenantInvitationKinds)(kind),
        cursor: currentCursor(cursors),
        limit: 20,
      },
      { enabled: maySeeSettings(tenant.role), placeholderData: keepPreviousData },
    ),
  )
  const onSuccess = useInvalidateInvitations()
  const resend = useMutation(trpc.invitations.resendOfTenant.mutationOptions({ onSuccess }))
  const revoke = useMutation(trpc.invitations.revokeOfTenant.mutationOptions({ onSuccess }))
  if (!maySeeSettings(tenant.role)) return <NoAccess slug={slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { place: tenant.name })}
        actions={
          mayChange(tenant) && (
            <Button
              leftSection={<IconMailPlus size={17} aria-hidden />}
              onClick={() => setInviting(true)}
            >
              {t('dialog.open')}
            </Button>
          )
        }
      />
      <InvitationList
        query={query}
        choice={choice}
        onChoose={setChoice}
        kinds={tenantInvitationKinds}
        changes={
          mayChange(tenant)
            ? {
                resend: ({ id }) => resend.mutateAsync({ slug, invitationId: id }),
                revoke: ({ id }) => revoke.mutateAsync({ slug, invitationId: id }),
                explain,
              }
            : undefined
        }
      />
      <Suspense>
        {inviting !== undefined && (
          <InviteMembersDialog
            tenant={tenant}
            opened={inviting}
            onClose={() => setInviting(false)}
          />
        )}
      </Suspense>
    </>
  )
}
