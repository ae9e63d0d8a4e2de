import { ErrorState } from '@atrium/ui/data-states'
import { PageHeader } from '@atrium/ui/page-header'
import { needsSignIn, problemOf } from '@atrium/ui/problem'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { DeactivatedPage } from '../session/deactivated-page.tsx'
import { WelcomePage } from '../session/welcome-page.tsx'
import { FrontPage } from './front-page.tsx'

/**
 * What stands in place of a route that failed: the way in when the session has ended, else the
 * failure and a second try.
 */
export function RouteFailure({ error }: ErrorComponentProps) {
  const router = useRouter()
  const [retrying, setRetrying] = useState(false)
  const problem = problemOf(error)
  if (needsSignIn(problem)) return <WelcomePage />
  if (problem.code === 'user_deactivated') return <DeactivatedPage />
  return (
    <FrontPage>
      <PageHeader title="This page did not open" />
      <ErrorState
        title="Something went wrong."
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
