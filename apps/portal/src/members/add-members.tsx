import type { CreatedMember, MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { LinkButton } from '@atrium/ui/links'
import { translations, withMessages } from '@atrium/ui/messages'
import { Button } from '@mantine/core'
import { IconFileImport, IconMailPlus, IconUserPlus } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import * as links from '../links.ts'

const t = translations('portal.members')

const CreateMemberDialog = lazyOnInput(() =>
  withMessages(import('./create-member-dialog.tsx'), 'portal.subscriptions', 'ui.issues'),
)
const InviteMembersDialog = lazyOnInput(() =>
  withMessages(
    import('../invitations/invite-members-dialog.tsx'),
    'portal.subscriptions',
    'ui.invitations',
  ),
)
const FirstPassword = lazyOnInput(() => import('./first-password.tsx'))

interface Props {
  tenant: TenantView
  /** Opens the details of a member who has just been made. */
  onOpen: (member: MemberView) => void
}

/** The ways to bring people in: a list of them, by invitation, or one by one. */
export function AddMembers({ tenant, onOpen }: Props) {
  // Undefined until the first opening: the dialog stays mounted from then on, so that closing is
  // seen.
  const [opened, setOpened] = useState<boolean>()
  const close = () => setOpened(false)
  const [inviting, setInviting] = useState<boolean>()
  const [created, setCreated] = useState<CreatedMember>()
  return (
    <>
      <LinkButton
        {...links.memberImport(tenant.slug)}
        variant="default"
        leftSection={<IconFileImport size={17} aria-hidden />}
      >
        {t('add.import')}
      </LinkButton>
      <Button
        variant="default"
        leftSection={<IconMailPlus size={17} aria-hidden />}
        onClick={() => setInviting(true)}
      >
        {t('add.invite')}
      </Button>
      <Button leftSection={<IconUserPlus size={17} aria-hidden />} onClick={() => setOpened(true)}>
        {t('add.action')}
      </Button>
      <Suspense>
        {opened !== undefined && (
          <CreateMemberDialog
            tenant={tenant}
            opened={opened}
            onClose={close}
            onCreated={(result) => {
              close()
              setCreated(result)
              if (result.oneTimePassword === null) onOpen(result.member)
            }}
          />
        )}
        {inviting !== undefined && (
          <InviteMembersDialog
            tenant={tenant}
            opened={inviting}
            onClose={() => setInviting(false)}
          />
        )}
        {created && (
          <FirstPassword
            slug={tenant.slug}
            member={created}
            onClose={() => {
              setCreated(undefined)
              if (created) onOpen(created.member)
            }}
          />
        )}
      </Suspense>
    </>
  )
}
