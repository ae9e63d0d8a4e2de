import { CredentialsPanel } from '@atrium/ui/account/credentials-panel'
import { OwnNotifications } from '@atrium/ui/account/own-notifications'
import { OwnSessions } from '@atrium/ui/account/own-sessions'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'

const t = translations('ui.account')

export const Route = createLazyRoute('/authenticated/account/security')({ component: SecurityPage })

/** How an operator signs in, and where they are signed in. */
function SecurityPage() {
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
        <OwnNotifications
          notifications={trpc.account.notifications.queryOptions()}
          update={trpc.account.updateNotification.mutationOptions()}
        />
      </Stack>
    </>
  )
}
