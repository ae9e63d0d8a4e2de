import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { FrontPage } from '../layout/front-page.tsx'
import { type RejectionCode, recheckAccess } from './access.ts'
import { sessionQuery } from './session.ts'

const t = translations('operator.layout')
const frame = translations('ui.frame')

/**
 * For someone who is signed in but cannot use this portal: the reason, what to do, and sign-out.
 */
export function RejectedPage({ code }: { code: RejectionCode }) {
  const router = useRouter()
  const [checking, setChecking] = useState(false)
  const { data: session } = useQuery(sessionQuery)
  return (
    <FrontPage>
      <PageHeader title={t(`rejected.${code}.title`)} description={t(`rejected.${code}.text`)} />
      {session?.email && (
        <Text mb="md">
          {t.rich('rejected.signedInAs', {
            email: session.email,
            strong: (chunks) => <strong>{chunks}</strong>,
          })}
        </Text>
      )}
      <Text mb="lg">{t(`rejected.${code}.next`)}</Text>
      <Group gap="xs">
        <form method="post" action="/auth/logout">
          <Button type="submit">{frame('signOut')}</Button>
        </form>
        <Button
          variant="default"
          loading={checking}
          onClick={() => {
            setChecking(true)
            void recheckAccess(router.options.context)
              .then(() => router.invalidate())
              .finally(() => setChecking(false))
          }}
        >
          {t('rejected.checkAgain')}
        </Button>
      </Group>
    </FrontPage>
  )
}
