import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  title: string
  /** Why it may be missing. */
  children: ReactNode
  /** A link to where the person can go on. */
  back: ReactNode
}

/** A record or page that is not there. */
export function MissingPage({ title, children, back }: Props) {
  return (
    <>
      <PageHeader title={title} />
      <Text mb="md" maw="60ch">
        {children}
      </Text>
      {back}
    </>
  )
}

export function NotFoundPage() {
  return (
    <MissingPage title="Page not found" back={<LinkAnchor to="/">Go to the overview</LinkAnchor>}>
      There is no page at this address. It may have been mistyped or moved.
    </MissingPage>
  )
}
