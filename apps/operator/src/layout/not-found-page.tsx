import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

const t = translations('operator.layout')

interface Props {
  title: string
  /** Why it may be missing. */
  children: ReactNode
  /** A link to a page that exists. */
  back: ReactNode
}

/** Shown for a record or page that does not exist. */
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
    <MissingPage
      title={t('notFound.title')}
      back={<LinkAnchor to="/">{t('notFound.home')}</LinkAnchor>}
    >
      {t('notFound.hint')}
    </MissingPage>
  )
}
