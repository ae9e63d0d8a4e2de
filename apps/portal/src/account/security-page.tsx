import { CredentialsPanel } from '@atrium/ui/account/credentials-panel'
import { NotificationsPanel } from '@atrium/ui/account/notifications-panel'
import { SessionsPanel } from '@atrium/ui/account/sessions-panel'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { useMutation } from '@atrium/ui/use-mutation'
import { Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
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
        <OwnSessions />
        <OwnAppPasswords />
        <Notifications />
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

function OwnSessions() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const query = useQuery(trpc.account.sessions.queryOptions())
  // Also after a failure: some may have ended.
  const onSettled = () => queryClient.invalidateQueries(trpc.account.sessions.queryFilter())
  const endSession = useMutation(trpc.account.endSession.mutationOptions({ onSettled }))
  const endSignIn = useMutation(trpc.account.endSignIn.mutationOptions({ onSettled }))
  const endOthers = useMutation(trpc.account.endOtherSessions.mutationOptions({ onSettled }))
  return (
    <SessionsPanel
      query={query}
      endSession={(id) => endSession.mutateAsync({ id })}
      endSignIn={(id) => endSignIn.mutateAsync({ id })}
      endOthers={() => endOthers.mutateAsync()}
    />
  )
}

function Notifications() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const query = useQuery(trpc.account.notifications.queryOptions())
  const update = useMutation(
    trpc.account.updateNotification.mutationOptions({
      onSuccess: (saved) => queryClient.setQueryData(trpc.account.notifications.queryKey(), saved),
    }),
  )
  return (
    <NotificationsPanel
      query={query}
      saving={update.isPending}
      error={update.error}
      onChange={(change) => update.mutate(change)}
    />
  )
}
