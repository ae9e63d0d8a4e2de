import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Anchor, Button, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useSearch } from '@tanstack/react-router'
import { FrontPage } from '../layout/front-page.tsx'
import { readSignedOutSearch } from './search.ts'

const t = translations('portal.session')
const frame = translations('ui.frame')

/** After leaving, or when signing in did not work out; the address then says why. */
export function SignedOutPage() {
  const { error } = readSignedOutSearch(useSearch({ strict: false }))
  return (
    <FrontPage>
      <PageHeader title={t(error ? 'failed.title' : 'title')} />
      {error ? (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} mb="lg">
          {t(`failed.reasons.${reasonOf(error)}`)}
        </Alert>
      ) : (
        <Text mb="lg">{t('hint')}</Text>
      )}
      <Button component="a" href="/auth/login?returnTo=/">
        {error ? frame('tryAgain') : t('signIn')}
      </Button>
      <Text mt="lg" size="sm">
        <Anchor href="/auth/recovery" inherit>
          {t('forgotten')}
        </Anchor>
      </Text>
    </FrontPage>
  )
}

const reasons = [
  'access_denied',
  'sign_in_expired',
  'sign_in_failed',
  'sign_in_too_old',
  'unavailable',
] as const

/**
 * Why a sign-in failed, as the portal's server names it. Any other text in the address is not
 * repeated.
 */
function reasonOf(error: string): (typeof reasons)[number] {
  return reasons.find((reason) => reason === error) ?? 'sign_in_failed'
}
