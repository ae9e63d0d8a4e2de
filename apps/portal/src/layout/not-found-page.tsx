import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Text } from '@mantine/core'
import * as links from '../links.ts'

const t = translations('portal.layout')

/** A path that the portal does not have. */
export function NotFoundPage() {
  return (
    <>
      <PageHeader title={t('notFound.title')} />
      <Text mb="lg" maw="60ch">
        {t('notFound.hint')}
      </Text>
      <LinkButton {...links.home} variant="default">
        {t('notFound.home')}
      </LinkButton>
    </>
  )
}
