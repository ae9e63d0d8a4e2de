import { CredentialsPanel } from '@atrium/ui/account/credentials-panel'
import { OwnNotifications } from '@atrium/ui/account/own-notifications'
import { OwnSessions } from '@atrium/ui/account/own-sessions'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'
import { AppPasswords } from './app-passwords.tsx'
import { Workplaces } from './workplaces.tsx'

const t = translations('ui.account')

/** How a person signs in, and where they are signed in. */
export function SecurityPage() {
  const trpc = useTRPC()
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Stack gap="lg">
        <CredentialsPanel query={useQuery(trpc.account.secondFactors.queryOptions())} />
        <OwnSessions
          sessions={trpc.account.sessions.queryOptions()}
          endSession={trpc.account.endSession.mutationOptions()}
          endSignIn={trpc.account.endSignIn.mutationOptions()}
          endOthers={trpc.account.endOtherSessions.mutationOptions()}
        />
        <OwnAppPasswords />
        <OwnNotifications
          notifications={trpc.account.notifications.queryOptions()}
          update={trpc.account.updateNotification.mutationOptions()}
        />
        <Workplaces />
      </Stack>
    </>
  )
}

/** One part for each workplace in which the person has a mailbox. */
function OwnAppPasswords() {
  const { me, tenants } = useProfile()
  if (tenants.length === 0) return null
  return (
    <Panel title={t('appPasswords.title')} description={t('appPasswords.description')}>
      <Stack gap="xl">
        {tenants.map(({ id, slug, name }) => (
          <AppPasswords key={id} slug={slug} tenantName={name} userId={me.id} own />
        ))}
      </Stack>
    </Panel>
  )
}
