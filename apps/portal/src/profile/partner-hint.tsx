import type { UserView } from '@atrium/core/users'
import { Alert } from '@mantine/core'
import { IconBriefcase } from '@tabler/icons-react'

/** Tells partner staff that they are known as such. */
export function PartnerHint({ me }: { me: UserView }) {
  if (!me.partner) return null
  return (
    <Alert variant="light" icon={<IconBriefcase aria-hidden />} mb="lg" title={`Partner: ${me.partner.name}`}>
      {me.partner.status === 'active'
        ? 'You are on the staff of this partner. Workplaces that you create belong to it.'
        : 'You are on the staff of this partner, which is not active at the moment.'}
    </Alert>
  )
}
