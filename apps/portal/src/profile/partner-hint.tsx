import type { UserView } from '@atrium/core/users/users'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Alert } from '@mantine/core'
import { IconBriefcase } from '@tabler/icons-react'
import * as links from '../links.ts'

const t = translations('portal.profile')

/** Shows partner staff that they are known as such. */
export function PartnerHint({ me }: { me: UserView }) {
  if (!me.partner) return null
  return (
    <Alert
      variant="light"
      icon={<IconBriefcase aria-hidden />}
      mb="lg"
      title={t('partner.title', { partner: me.partner.name })}
    >
      {t(`partner.hints.${me.partner.status}`)}{' '}
      {me.partner.status !== 'terminated' && (
        <LinkAnchor {...links.partner} inherit>
          {t('partner.open')}
        </LinkAnchor>
      )}
    </Alert>
  )
}
