import { useRouteContext } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { WelcomePage } from '../session/welcome-page.tsx'

const PortalFrame = lazy(() => import('./portal-frame.tsx'))

/** The portal for who is signed in, the welcome page for everybody else. */
export function House() {
  const { signedIn } = useRouteContext({ strict: false })
  if (!signedIn) return <WelcomePage />
  return (
    <Suspense>
      <PortalFrame />
    </Suspense>
  )
}
