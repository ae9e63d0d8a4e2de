import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { signInAddress } from '@atrium/ui/trpc-client'
import { Anchor, Button, Text } from '@mantine/core'
import { FrontPage } from '../layout/front-page.tsx'

const t = translations('operator.layout')

/** For someone who is not signed in. Signing in returns to the requested address. */
export function WelcomePage() {
  return (
    <FrontPage>
      <PageHeader title={t('welcome.title')} description={t('welcome.description')} />
      <Button component="a" href={signInAddress()} size="md" fullWidth>
        {t('welcome.signIn')}
      </Button>
      <Text mt="lg" size="sm">
        <Anchor href="/auth/recovery" inherit>
          {t('welcome.forgotten')}
        </Anchor>
      </Text>
      <Text size="sm" c="dimmed" mt="lg">
        {t('welcome.hint')}
      </Text>
    </FrontPage>
  )
}
