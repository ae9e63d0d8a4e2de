import { PageHeader } from '@atrium/ui/page-header'
import { signInAddress } from '@atrium/ui/trpc-client'
import { Button, Text } from '@mantine/core'
import { FrontPage } from '../layout/front-page.tsx'
import { Arcade } from './arcade.tsx'
import classes from './welcome-page.module.css'

const parts = [
  ['Identity', 'One account for every service, with the sign-in your people know.'],
  ['Mail', 'Mailboxes and calendars on your own domains.'],
  ['Files', 'A shared space for the whole team, sized by your plan.'],
] as const

/**
 * What somebody sees who is not signed in. Signing in comes back to the address that was asked for.
 */
export function WelcomePage() {
  return (
    <FrontPage
      aside={
        <>
          <Arcade />
          <dl className={classes.parts}>
            {parts.map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </>
      }
    >
      <PageHeader title="Your whole workplace in one place" tabTitle="Welcome" />
      <Text size="lg" mb="xl" maw="44ch">
        Identity, mail and files for your organisation: set up in minutes, and looked after from
        here.
      </Text>
      <Button component="a" href={signInAddress()} size="lg">
        Sign in
      </Button>
    </FrontPage>
  )
}
