import { ownValue } from '@atrium/core/platform/own-value'
import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Button, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useSearch } from '@tanstack/react-router'
import { FrontPage } from '../layout/front-page.tsx'
import { readSignedOutSearch } from './search.ts'

/** After leaving, or when signing in did not work out; the address then says why. */
export function SignedOutPage() {
  const { error } = readSignedOutSearch(useSearch({ strict: false }))
  return (
    <FrontPage>
      <PageHeader title={error ? 'You could not be signed in' : 'You are signed out'} />
      {error ? (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} mb="lg">
          {ownValue(reasons, error) ?? reasons.sign_in_failed}
        </Alert>
      ) : (
        <Text mb="lg">See you soon. On a shared computer, close this window too.</Text>
      )}
      <Button component="a" href="/auth/login?returnTo=/">
        {error ? 'Try again' : 'Sign in'}
      </Button>
    </FrontPage>
  )
}

/**
 * Why a sign-in came to nothing, as the portal's server names it. Any other text in the address is
 * not repeated.
 */
const reasons: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in was cancelled, or this account may not use the portal.',
  sign_in_expired: 'The sign-in took too long, or was opened in another browser. Start again.',
  sign_in_failed: 'The identity provider could not complete the sign-in. Try again.',
  unavailable: 'The identity provider cannot be reached at the moment. Try again in a minute.',
}
