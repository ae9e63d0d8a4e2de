import { ErrorState } from '@atrium/ui/data-states'
import { PageHeader } from '@atrium/ui/page-header'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { AccessRefusal, refusalOf } from '../session/access.ts'
import { RefusedPage } from '../session/refused-page.tsx'
import { WelcomePage } from '../session/welcome-page.tsx'
import { FrontPage } from './front-page.tsx'

/** What stands in place of a route that failed: the way in for who is no operator, else the failure and a second try. */
export function RouteFailure({ error }: ErrorComponentProps) {
  const router = useRouter()
  const [retrying, setRetrying] = useState(false)
  if (error instanceof AccessRefusal) {
    return error.reason === 'signed_out' ? <WelcomePage /> : <RefusedPage code={error.reason} />
  }
  const refusal = refusalOf(error)
  if (refusal) return <RefusedPage code={refusal} />
  return (
    <FrontPage>
      <PageHeader title="This page did not open" />
      <ErrorState
        title="Something is in the way."
        error={error}
        retrying={retrying}
        onRetry={() => {
          setRetrying(true)
          void router.invalidate().finally(() => setRetrying(false))
        }}
      />
    </FrontPage>
  )
}
