import type { UserView } from '@atrium/core/users/users'
import { LinkAnchor } from '@atrium/ui/links'
import { Alert } from '@mantine/core'
import { IconBriefcase } from '@tabler/icons-react'
import * as links from '../links.ts'

const hints = {
  active: 'You are on the staff of this partner. Workplaces that you create belong to it.',
  suspended:
    'You are on the staff of this partner. It is suspended: everything can be read, and nothing changed.',
  terminated: 'You were on the staff of this partner. The partnership has ended.',
} as const

/** Tells partner staff that they are known as such. */
export function PartnerHint({ me }: { me: UserView }) {
  if (!me.partner) return null
  return (
    <Alert
      variant="light"
      icon={<IconBriefcase aria-hidden />}
      mb="lg"
      title={`Partner: ${me.partner.name}`}
    >
      {hints[me.partner.status]}{' '}
      {me.partner.status !== 'terminated' && (
        <LinkAnchor {...links.partner} inherit>
          Open the partner area
        </LinkAnchor>
      )}
    </Alert>
  )
}
