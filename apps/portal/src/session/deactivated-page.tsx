import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Button, Text } from '@mantine/core'
import { FrontPage } from '../layout/front-page.tsx'

const t = translations('portal.layout')
const frame = translations('ui.frame')

/** The account exists and may not be used. */
export function DeactivatedPage() {
  return (
    <FrontPage>
      <PageHeader title={t('deactivated.title')} />
      <Text mb="lg" maw="52ch">
        {t('deactivated.hint')}
      </Text>
      <form method="post" action="/auth/logout">
        <Button type="submit" variant="default">
          {frame('signOut')}
        </Button>
      </form>
    </FrontPage>
  )
}
