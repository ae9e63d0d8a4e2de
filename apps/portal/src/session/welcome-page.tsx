import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { signInAddress } from '@atrium/ui/trpc-client'
import { Anchor, Button, Text } from '@mantine/core'
import { FrontPage } from '../layout/front-page.tsx'
import { Arcade } from './arcade.tsx'
import classes from './welcome-page.module.css'

const t = translations('portal.layout')

const parts = ['identity', 'mail', 'files'] as const

/** The page for people who are not signed in. Sign-in returns to the requested address. */
export function WelcomePage() {
  return (
    <FrontPage
      aside={
        <>
          <Arcade />
          <dl className={classes.parts}>
            {parts.map((part) => (
              <div key={part}>
                <dt>{t(`welcome.parts.${part}.name`)}</dt>
                <dd>{t(`welcome.parts.${part}.text`)}</dd>
              </div>
            ))}
          </dl>
        </>
      }
    >
      <PageHeader title={t('welcome.title')} tabTitle={t('welcome.tabTitle')} />
      <Text size="lg" mb="xl" maw="44ch">
        {t('welcome.lead')}
      </Text>
      <Button component="a" href={signInAddress()} size="lg">
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
