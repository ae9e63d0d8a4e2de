import { ErrorState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { needsSignIn, problemOf } from '@atrium/ui/problem'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { DeactivatedPage } from '../session/deactivated-page.tsx'
import { WelcomePage } from '../session/welcome-page.tsx'
import { FrontPage } from './front-page.tsx'

const t = translations('portal.layout')

/**
 * Replaces a failed route: a sign-in link when the session has ended, else the error and a retry.
 */
export function RouteFailure({ error }: ErrorComponentProps) {
  const router = useRouter()
  const [retrying, setRetrying] = useState(false)
  const problem = problemOf(error)
  if (needsSignIn(problem)) return <WelcomePage />
  if (problem.code === 'user_deactivated') return <DeactivatedPage />
  return (
    <FrontPage>
      <PageHeader title={t('failure.title')} />
      <ErrorState
        title={t('failure.cause')}
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
