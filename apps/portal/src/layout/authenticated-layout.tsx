import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { sessionQuery } from '../session/session.ts'
import { WelcomePage } from '../session/welcome-page.tsx'

const PortalFrame = lazy(() => import('./portal-frame.tsx'))

/** The portal for signed-in people, the welcome page for everyone else. */
export function AuthenticatedLayout() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  if (!session.signedIn) return <WelcomePage />
  return (
    <Suspense>
      <PortalFrame />
    </Suspense>
  )
}
