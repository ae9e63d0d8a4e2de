import type { InvitationOutcomes } from '@atrium/core/invitations/invitations'
import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { partnerAccesses } from '@atrium/core/partners/partner-rights'
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import InviteDialog, { type InviteInput } from './invite-dialog.tsx'
import { translations } from './messages.ts'
import { accessLabel } from './partner-status-meta.ts'
import { oneOf } from './search-params.ts'

const t = translations('ui.invitations')

interface Props {
  opened: boolean
  onClose: () => void
  /** Chosen at first. */
  access?: PartnerAccess
  onInvite: (input: InviteInput & { access: PartnerAccess }) => Promise<InvitationOutcomes>
  explain?: (error: unknown) => string | undefined
}

/** Invites people to the staff of a partner, with an access level. */
export default function InviteStaffDialog({ access: first = 'viewer', onInvite, ...props }: Props) {
  const [access, setAccess] = useState<PartnerAccess>(first)
  return (
    <InviteDialog {...props} onInvite={(input) => onInvite({ access, ...input })}>
      <Radio.Group
        label={t('dialog.access')}
        value={access}
        onChange={(chosen) => setAccess(oneOf(partnerAccesses)(chosen) ?? first)}
      >
        <Stack gap={8} mt={6}>
          {partnerAccesses.map((one) => (
            <Radio
              key={one}
              value={one}
              label={accessLabel(one).name}
              description={accessLabel(one).may}
            />
          ))}
        </Stack>
      </Radio.Group>
    </InviteDialog>
  )
}
