import type { ErrorComponentProps } from '@tanstack/react-router'
import { AccessRejection, rejectionOf } from '../session/access.ts'
import { RejectedPage } from '../session/rejected-page.tsx'
import { WelcomePage } from '../session/welcome-page.tsx'
import { FrontPage } from './front-page.tsx'
import { PageFailure } from './page-failure.tsx'

/**
 * What stands in place of the whole portal when it is not clear that an operator is there: the way
 * in, or why there is none.
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
