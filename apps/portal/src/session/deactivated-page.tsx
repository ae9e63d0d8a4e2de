import { PageHeader } from '@atrium/ui/page-header'
import { Button, Text } from '@mantine/core'
import { FrontPage } from '../layout/front-page.tsx'

/** The account exists and may not be used. */
export function DeactivatedPage() {
  return (
    <FrontPage>
      <PageHeader title="This account is deactivated" />
      <Text mb="lg" maw="52ch">
        You are signed in, but this account can no longer use Atrium. Ask the administrator of your
        workplace if you think that this is a mistake.
      </Text>
      <form method="post" action="/auth/logout">
        <Button type="submit" variant="default">
          Sign out
        </Button>
      </form>
    </FrontPage>
  )
}
