import type { ErrorComponentProps } from '@tanstack/react-router'
import { AccessRejection, rejectionOf } from '../session/access.ts'
import { RejectedPage } from '../session/rejected-page.tsx'
import { WelcomePage } from '../session/welcome-page.tsx'
import { FrontPage } from './front-page.tsx'
import { PageFailure } from './page-failure.tsx'

/**
 * Replaces the whole portal when the caller is not known to be an operator: the sign-in page, the
 * reason for a rejection, or the failure of the check.
 */
export function AccessFailure({ error }: ErrorComponentProps) {
  const reason = error instanceof AccessRejection ? error.reason : rejectionOf(error)
  if (reason === 'signed_out') return <WelcomePage />
  if (reason) return <RejectedPage code={reason} />
  return (
    <FrontPage>
      <PageFailure error={error} />
    </FrontPage>
  )
}
