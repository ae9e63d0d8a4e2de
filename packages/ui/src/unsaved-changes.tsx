import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'

// Most forms are saved, and their pages need no confirmation.
const LeaveDialog = lazy(() => import('./leave-dialog.tsx'))

/**
 * Asks before a form with unsaved changes is left: by a link, back, a drawer or choice in the
 * address, by reload or by closing the tab. The last two use the browser's own dialog.
 */
export function UnsavedChanges({ present }: { present: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      present &&
      (current.pathname !== next.pathname ||
        JSON.stringify(current.search) !== JSON.stringify(next.search)),
    enableBeforeUnload: () => present,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Suspense>
      <LeaveDialog onStay={reset} onLeave={proceed} />
    </Suspense>
  )
}
