import { ownValue } from '@atrium/core/platform/own-value'
import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Button } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { FrontPage } from '../layout/front-page.tsx'

const route = getRouteApi('/signed-out')

export const Route = createLazyRoute('/signed-out')({ component: SignedOutPage })

/** After signing out, or after a sign-in that did not succeed. */
function SignedOutPage() {
  const { error } = route.useSearch()
  return (
    <FrontPage>
      <PageHeader
        title={error ? 'Signing in did not work' : 'You are signed out'}
        description={
          error ? 'Nothing was changed. You can try again.' : 'Close this window, or sign in again.'
        }
      />
      {error && (
        <Alert color="red" icon={<IconAlertCircle aria-hidden />} mb="lg" role="alert">
          {ownValue(reasons, error) ?? otherReason}
        </Alert>
      )}
      <Button component="a" href="/auth/login?returnTo=/" size="md" fullWidth>
        Sign in
      </Button>
    </FrontPage>
  )
}

/**
 * Why a sign-in came to nothing, as this portal's server names it. Any other text in the address is
 * not repeated.
 */
const reasons: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in was cancelled, or this account may not use the operator portal.',
  sign_in_expired: 'The sign-in took too long, or was begun in another browser.',
  unavailable: 'The identity provider cannot be reached at the moment. Try again in a minute.',
}
const otherReason = 'The identity provider could not complete the sign-in.'
