import type { ErrorComponentProps } from '@tanstack/react-router'
import { AccessRefusal, refusalOf } from '../session/access.ts'
import { RefusedPage } from '../session/refused-page.tsx'
import { WelcomePage } from '../session/welcome-page.tsx'
import { FrontPage } from './front-page.tsx'
import { PageFailure } from './page-failure.tsx'

/** What stands in place of the whole portal when it is not clear that an operator is there: the way in, or why there is none. */
export function AccessFailure({ error }: ErrorComponentProps) {
  const reason = error instanceof AccessRefusal ? error.reason : refusalOf(error)
  if (reason === 'signed_out') return <WelcomePage />
  if (reason) return <RefusedPage code={reason} />
  return (
    <FrontPage>
      <PageFailure error={error} />
    </FrontPage>
  )
}
