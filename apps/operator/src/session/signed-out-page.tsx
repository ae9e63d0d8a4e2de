import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Anchor, Button, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { FrontPage } from '../layout/front-page.tsx'

const t = translations('operator.layout')

const route = getRouteApi('/signed-out')

export const Route = createLazyRoute('/signed-out')({ component: SignedOutPage })

/** Shown after signing out, or after a failed sign-in. */
function SignedOutPage() {
  const { error } = route.useSearch()
  return (
    <FrontPage>
      <PageHeader
        title={t(error ? 'signedOut.failed.title' : 'signedOut.title')}
        description={t(error ? 'signedOut.failed.hint' : 'signedOut.hint')}
      />
      {error && (
        <Alert color="red" icon={<IconAlertCircle aria-hidden />} mb="lg" role="alert">
          {t(`signedOut.failed.reasons.${reasonOf(error)}`)}
        </Alert>
      )}
      <Button component="a" href="/auth/login?returnTo=/" size="md" fullWidth>
        {t('welcome.signIn')}
      </Button>
      <Text mt="lg" size="sm">
        <Anchor href="/auth/recovery" inherit>
          {t('welcome.forgotten')}
        </Anchor>
      </Text>
    </FrontPage>
  )
}

const reasons = ['access_denied', 'sign_in_expired', 'sign_in_failed', 'unavailable'] as const

/**
 * Why a sign-in failed, as this portal's server names it. Any other text in the address is not
 * repeated.
 */
function reasonOf(error: string): (typeof reasons)[number] {
  return reasons.find((reason) => reason === error) ?? 'sign_in_failed'
}
