import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Text } from '@mantine/core'
import * as links from '../links.ts'

/** A path that the portal does not have. */
export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <Text mb="lg" maw="60ch">
        There is no page at this address. It may have been mistyped or moved.
      </Text>
      <LinkButton {...links.home} variant="default">
        Go to the start page
      </LinkButton>
    </>
  )
}
