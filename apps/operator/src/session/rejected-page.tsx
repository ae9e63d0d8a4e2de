import { PageHeader } from '@atrium/ui/page-header'
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { FrontPage } from '../layout/front-page.tsx'
import { type RejectionCode, recheckAccess } from './access.ts'
import { sessionQuery } from './session.ts'

const words: Readonly<Record<RejectionCode, { title: string; text: string; next: string }>> = {
  not_platform_admin: {
    title: "You don't have operator access",
    text: 'You are signed in, but your account does not have the right to operate the platform.',
    next: 'Ask an operator to grant it to you, then check again. If you have another account, sign out and use that one.',
  },
  operator_required: {
    title: 'This session cannot operate the platform',
    text: 'You are signed in, but not through the operator application, and the platform takes nothing else here.',
    next: 'Sign out and sign in again on this site. If it happens again, the sign-in of this portal is set up for the wrong audience.',
  },
  user_deactivated: {
    title: 'Your account is deactivated',
    text: 'An operator has deactivated this account. Nothing can be seen or done with it.',
    next: 'If you think that this is a mistake, ask another operator to reactivate it.',
  },
}

/** Somebody is signed in who may not use this portal: says why, what helps, and lets them out. */
export function RejectedPage({ code }: { code: RejectionCode }) {
  const router = useRouter()
  const [checking, setChecking] = useState(false)
  const { data: session } = useQuery(sessionQuery)
  const { title, text, next } = words[code]
  return (
    <FrontPage>
      <PageHeader title={title} description={text} />
      {session?.email && (
        <Text mb="md">
          Signed in as <strong>{session.email}</strong>.
        </Text>
      )}
      <Text mb="lg">{next}</Text>
      <Group gap="xs">
        <form method="post" action="/auth/logout">
          <Button type="submit">Sign out</Button>
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
          Check again
        </Button>
      </Group>
    </FrontPage>
  )
}
