import type { UserView } from '@atrium/core/users/users'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Text } from '@mantine/core'
import { IconFolders, IconKey, IconMailbox } from '@tabler/icons-react'
import { OwnInvitations } from '../invitations/own-invitations.tsx'
import * as links from '../links.ts'
import { PartnerHint } from '../profile/partner-hint.tsx'
import classes from './home-page.module.css'

const t = translations('portal.tenants')

const parts = [
  { part: 'identity', Icon: IconKey },
  { part: 'mail', Icon: IconMailbox },
  { part: 'files', Icon: IconFolders },
] as const

/** The first page of a person who belongs to no workplace yet. */
export function FirstRun({ me }: { me: UserView }) {
  const name = me.firstName ?? me.name.split(' ')[0]
  return (
    <>
      <PartnerHint me={me} />
      <OwnInvitations />
      <div className={classes.first}>
        <div>
          <PageHeader
            title={name ? t('firstRun.greeting', { name }) : t('firstRun.greetingWithoutName')}
            description={t('firstRun.hint')}
          />
          <LinkButton {...links.newTenant} size="md">
            {t('firstRun.create')}
          </LinkButton>
        </div>
        <ul className={classes.steps}>
          {parts.map(({ part, Icon }) => (
            <li key={part} className={classes.step}>
              <Icon size={28} stroke={1.5} aria-hidden />
              <Text fw={600}>{t(`firstRun.parts.${part}.name`)}</Text>
              <Text size="sm" c="dimmed">
                {t(`firstRun.parts.${part}.text`)}
              </Text>
            </li>
          ))}
        </ul>
        <Text size="sm" c="dimmed">
          {t('firstRun.invitation', { email: me.email })}
        </Text>
      </div>
    </>
  )
}
