import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { translations } from '@atrium/ui/messages'
import { Button } from '@mantine/core'
import { IconMailPlus } from '@tabler/icons-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useInvite } from './use-invite.ts'

const t = translations('ui.invitations')

const InviteDialog = lazyOnInput(() => import('@atrium/ui/invite-dialog'))
const InviteMembersDialog = lazyOnInput(() => import('@atrium/ui/invite-members-dialog'))

interface Opening {
  opened: boolean
  onClose: () => void
}

/** Invites members, or the owner, of a tenant. */
export function InviteMembers({ slug }: { slug: string }) {
  const invite = useInvite()
  return (
    <OpeningButton
      dialog={(opening) => (
        <InviteMembersDialog
          {...opening}
          onInvite={(input) => invite.members({ slug, ...input })}
        />
      )}
    />
  )
}

/** Invites operators. */
export function InviteOperators() {
  const invite = useInvite()
  return (
    <OpeningButton
      dialog={(opening) => <InviteDialog {...opening} onInvite={invite.operators} />}
    />
  )
}

function OpeningButton({ dialog }: { dialog: (opening: Opening) => ReactNode }) {
  // Undefined until the first opening: the dialog stays mounted from then on, so that closing is
  // seen.
  const [opened, setOpened] = useState<boolean>()
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconMailPlus size={17} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        {t('dialog.open')}
      </Button>
      <Suspense>
        {opened !== undefined && dialog({ opened, onClose: () => setOpened(false) })}
      </Suspense>
    </>
  )
}
