import type { UserView } from '@atrium/core/users/users'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Text } from '@mantine/core'
import { IconFolders, IconKey, IconMailbox } from '@tabler/icons-react'
import * as links from '../links.ts'
import { PartnerHint } from '../profile/partner-hint.tsx'
import classes from './home-page.module.css'

const gives = [
  {
    Icon: IconKey,
    name: 'One sign-in',
    text: 'An account for each of your people, good for every service.',
  },
  {
    Icon: IconMailbox,
    name: 'Mail on your domain',
    text: 'Start under an address of ours and add your own when you like.',
  },
  {
    Icon: IconFolders,
    name: 'A shared file space',
    text: 'Ready for the whole team, with storage by plan.',
  },
] as const

/** The first page of somebody who belongs to no workplace yet. */
export function FirstRun({ me }: { me: UserView }) {
  const name = me.firstName ?? me.name.split(' ')[0]
  return (
    <>
      <PartnerHint me={me} />
      <div className={classes.first}>
        <div>
          <PageHeader
            title={name ? `Welcome, ${name}` : 'Welcome'}
            description="You do not belong to a workplace yet. Create one now; it takes a minute."
          />
          <LinkButton {...links.newTenant} size="md">
            Create your workplace
          </LinkButton>
        </div>
        <ul className={classes.steps}>
          {gives.map(({ Icon, name: what, text }) => (
            <li key={what} className={classes.step}>
              <Icon size={28} stroke={1.5} aria-hidden />
              <Text fw={600}>{what}</Text>
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            </li>
          ))}
        </ul>
        <Text size="sm" c="dimmed">
          Waiting for an invitation instead? As soon as your administrator adds {me.email} to a
          workplace, it appears here.
        </Text>
      </div>
    </>
  )
}
