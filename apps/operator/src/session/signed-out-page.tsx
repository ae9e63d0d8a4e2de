import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Button } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { FrontPage } from '../layout/front-page.tsx'
import { loginAddress } from './session.ts'

const route = getRouteApi('/signed-out')

export const Route = createLazyRoute('/signed-out')({ component: SignedOutPage })

/** After signing out, or after a sign-in that did not succeed. */
function SignedOutPage() {
  const { error } = route.useSearch()
  return (
    <FrontPage>
      <PageHeader
        title={error ? 'Signing in did not work' : 'You are signed out'}
        description={error ? 'Nothing was changed. You can try again.' : 'Close this window, or sign in again.'}
      />
      {error && (
        <Alert color="red" icon={<IconAlertCircle aria-hidden />} mb="lg" role="alert">
          {signInFailure(error)}
        </Alert>
      )}
      <Button component="a" href={loginAddress('/')} size="md" fullWidth>
        Sign in
      </Button>
    </FrontPage>
  )
}

/** A sentence for what the identity provider or our server says of a failed sign-in. */
function signInFailure(error: string): string {
  switch (error) {
    case 'access_denied':
      return 'The sign-in was cancelled, or this account may not use the operator portal.'
    case 'expired':
    case 'invalid_state':
      return 'The sign-in took too long or was begun in another window.'
    case 'temporarily_unavailable':
    case 'unavailable':
      return 'The sign-in service could not be reached. Try again in a moment.'
    default:
      return `The sign-in service answered: ${error}`
  }
}
